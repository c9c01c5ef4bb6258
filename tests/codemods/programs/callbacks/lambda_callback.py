# SPDX-License-Identifier: Apache-2.0
"""A lambda reads the scale after each epoch."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), tf.train.experimental.DynamicLossScale(64, 2))
model.compile(opt, "mse")
logger = tf.keras.callbacks.LambdaCallback(
    on_epoch_end=lambda epoch, logs: print(epoch, opt.loss_scale().numpy())
)
x = np.array([[1.0], [2.0]], np.float32)
model.fit(x, 2 * x, batch_size=1, epochs=3, shuffle=False, verbose=0, callbacks=[logger])
