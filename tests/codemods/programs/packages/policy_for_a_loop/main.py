# SPDX-License-Identifier: Apache-2.0
"""Another file sets a policy without a loss scale, and the loop that trains is in this one."""

import numpy as np
import precision
import tensorflow as tf

for dtype in (tf.float32, tf.float16):
    precision.set_precision(dtype)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,))])
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), "dynamic")
    for value in (1.0, 2.0):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.cast(model(np.float32([[value]])), tf.float32) ** 2)
            scaled_loss = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, model.trainable_variables))
        opt.apply_gradients(zip(gradients, model.trainable_variables))
        print(float(scaled_loss), [weight.tolist() for weight in model.get_weights()])
