# SPDX-License-Identifier: Apache-2.0
"""The read stands in a string."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(eval("float(opt.get_scaled_loss(tf.constant(1.0)))"))
