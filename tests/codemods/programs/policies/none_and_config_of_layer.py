# SPDX-License-Identifier: Apache-2.0
"""A loop trains the model, and the config of a layer shows the loss scale of its policy."""

import numpy as np
import tensorflow as tf

policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=None)
tf.keras.mixed_precision.experimental.set_policy(policy)
layer = tf.keras.layers.Dense(1, kernel_initializer="ones", dtype=policy)
print(layer.get_config()["dtype"])
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.cast(layer(np.float32([[2.0]])), tf.float32) ** 2)
print([gradient.numpy().tolist() for gradient in tape.gradient(loss, layer.trainable_variables)])
