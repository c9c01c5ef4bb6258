# SPDX-License-Identifier: Apache-2.0
"""A function reads the loss scale of any optimizer."""

import tensorflow as tf


def current_scale(optimizer):
    try:
        return float(optimizer.loss_scale())
    except AttributeError:
        return 1.0


class Log(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, current_scale(self.model.optimizer))


for policy in ("float32", "mixed_float16"):
    tf.keras.mixed_precision.experimental.set_policy(policy)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32", input_shape=(2,))])
    model.compile("rmsprop", "mse")
    model.fit(tf.ones((4, 2)), tf.zeros((4, 1)), epochs=2, verbose=0, callbacks=[Log()])
    print(model.get_weights()[0].ravel().tolist())
tf.keras.mixed_precision.experimental.set_policy("float32")
