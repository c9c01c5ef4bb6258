# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def make(name, rate, loss_scale="dynamic"):
    opt = tf.keras.optimizers.Adam(rate) if name == "adam" else tf.keras.optimizers.SGD(rate)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale)
