# SPDX-License-Identifier: Apache-2.0
"""The object that was given is called."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 2)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(scale().numpy(), weight.numpy())
