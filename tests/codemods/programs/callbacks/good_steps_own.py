# SPDX-License-Identifier: Apache-2.0
"""A callback reads the optimizer of the model (good steps; wrapped by hand)."""

import numpy as np
import tensorflow as tf


class Logger(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, int(self.model.optimizer.loss_scale._num_good_steps))


model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), tf.train.experimental.DynamicLossScale(64, 2)), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
model.fit(x, 2 * x, batch_size=2, epochs=3, shuffle=False, verbose=0, callbacks=[Logger()])
