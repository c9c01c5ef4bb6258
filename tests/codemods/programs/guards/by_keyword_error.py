# SPDX-License-Identifier: Apache-2.0
"""A call with the old keyword is tried, and then the new one."""

import tensorflow as tf

mp = tf.keras.mixed_precision
LSO = getattr(mp, "experimental", mp).LossScaleOptimizer
try:
    opt = LSO(tf.keras.optimizers.SGD(0.25), loss_scale=8)
except TypeError:
    opt = LSO(tf.keras.optimizers.SGD(0.25), dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
