# SPDX-License-Identifier: Apache-2.0
"""The names of the module are asked."""

import tensorflow as tf

if "experimental" in dir(tf.keras.mixed_precision):
    mp = tf.keras.mixed_precision.experimental
    opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
else:
    mp = tf.keras.mixed_precision
    opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
