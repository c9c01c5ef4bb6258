# SPDX-License-Identifier: Apache-2.0
"""A factory takes the class and its keyword arguments."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


def make(cls, *args, **kwargs):
    return cls(*args, **kwargs)


opt = make(mp.LossScaleOptimizer, tf.keras.optimizers.SGD(0.5), loss_scale=8)
print(float(opt.get_scaled_loss(tf.constant(1.0))))
