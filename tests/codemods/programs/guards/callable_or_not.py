# SPDX-License-Identifier: Apache-2.0
"""Calls the loss scale if it can be called."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
scale = opt.loss_scale() if callable(opt.loss_scale) else opt.loss_scale
print("scale", scale.numpy())
