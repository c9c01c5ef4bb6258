# SPDX-License-Identifier: Apache-2.0
"""A lambda makes the optimizer."""

import tensorflow as tf

make = lambda scale: tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
opt = make(64)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(opt.loss_scale().numpy())
