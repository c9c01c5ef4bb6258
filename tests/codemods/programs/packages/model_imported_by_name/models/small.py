# SPDX-License-Identifier: Apache-2.0
import numpy as np
import tensorflow as tf


def build():
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,), dtype="float32")])
    model.compile(tf.keras.optimizers.Adam(0.1, decay=0.5), "mse")
    model.fit(np.ones((2, 1)), np.ones((2, 1)), verbose=0, epochs=2)
    return model
