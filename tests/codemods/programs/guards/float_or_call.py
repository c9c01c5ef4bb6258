# SPDX-License-Identifier: Apache-2.0
"""Takes the loss scale for a number, and calls it if it is none."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 32)
try:
    scale = float(opt.loss_scale)
except TypeError:
    scale = float(opt.loss_scale())
print("scale", scale)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
