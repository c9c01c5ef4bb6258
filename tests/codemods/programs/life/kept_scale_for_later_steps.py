# SPDX-License-Identifier: Apache-2.0
"""The loss scale object is kept, and called after each step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), "dynamic")
scale = opt.loss_scale
weight = tf.Variable(1.0)
for grad in (float("inf"), 1.0, float("inf")):
    opt.apply_gradients([(tf.constant(grad), weight)])
    print(scale().numpy(), scale.initial_loss_scale, scale.increment_period)
