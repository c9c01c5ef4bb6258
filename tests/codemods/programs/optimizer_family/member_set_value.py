# SPDX-License-Identifier: Apache-2.0
"""A member of the optimizer's family: set value."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
tf.keras.backend.set_value(opt.lr, 0.5)
print(tf.keras.backend.get_value(opt.lr))
