# SPDX-License-Identifier: Apache-2.0
"""The class is the default argument of a lambda."""

import tensorflow as tf

wrap = lambda opt, scale=8, to=tf.keras.mixed_precision.experimental.LossScaleOptimizer: to(opt, scale)
opt = wrap(tf.keras.optimizers.SGD(0.25))

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy(), wrap(tf.keras.optimizers.SGD(0.25), "dynamic").loss_scale().numpy())
