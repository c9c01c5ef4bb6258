# SPDX-License-Identifier: Apache-2.0
"""What was kept of 2.4's attribute stays as it was."""

import tensorflow as tf

opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), initial_scale=64, dynamic_growth_steps=1)
before = float(opt.loss_scale)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(before, float(opt.loss_scale))
