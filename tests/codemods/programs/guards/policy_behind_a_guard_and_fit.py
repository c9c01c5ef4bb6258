# SPDX-License-Identifier: Apache-2.0
"""The policy is set by version, and a model is compiled with an optimizer by its name."""

import numpy as np
import tensorflow as tf

if int(tf.__version__.split(".")[1]) >= 4:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
else:
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
model.compile("rmsprop", "mse")
model.fit(np.ones((4, 2)), np.zeros(4), verbose=0, epochs=3)
print([w.tolist() for w in model.get_weights()])
