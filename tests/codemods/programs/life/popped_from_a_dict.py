# SPDX-License-Identifier: Apache-2.0
"""The loss scale is kept in a dictionary."""

import tensorflow as tf


def make(rate):
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(rate), tf.mixed_precision.experimental.DynamicLossScale(16, 1))
    return {"optimizer": optimizer, "ls": optimizer.loss_scale, "rate": rate}


state = make(0.1)
v = tf.Variable([1.0])
ls = state.pop("ls")
state["optimizer"].apply_gradients([(tf.constant([1.0]), v)])
print(float(ls()), float(state["optimizer"].loss_scale()))
