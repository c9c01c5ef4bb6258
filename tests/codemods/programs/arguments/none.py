# SPDX-License-Identifier: Apache-2.0
"""`None` fails, and the program goes on without."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
try:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, None)
except (ValueError, TypeError, AttributeError):
    print("no loss scale")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(weight.numpy())
