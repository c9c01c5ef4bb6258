# SPDX-License-Identifier: Apache-2.0
"""A compiled model is saved whole and loaded again, then trained on."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
model.compile(tf.keras.optimizers.Adam(0.1), "mse")
model.fit(np.ones((4, 2)), np.zeros(4), verbose=0)
model.save("model.h5")
again = tf.keras.models.load_model("model.h5")
again.fit(np.ones((4, 2)), np.zeros(4), verbose=0)
print(again.optimizer.iterations.numpy(), [w.tolist() for w in again.get_weights()])
print(float(again.optimizer.loss_scale()))
