# SPDX-License-Identifier: Apache-2.0
"""The loss scale object is compared with itself, and is a key."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(32, 1)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
names = {id(scale): "mine"}
print(opt.loss_scale is scale, names.get(id(opt.loss_scale), "another"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan")]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(scale()), float(opt.loss_scale()))
