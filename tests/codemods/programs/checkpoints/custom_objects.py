# SPDX-License-Identifier: Apache-2.0
"""The class stands among the custom objects."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), 32)
with tf.keras.utils.custom_object_scope({"LossScaleOptimizer": tf.keras.mixed_precision.experimental.LossScaleOptimizer}):
    again = tf.keras.mixed_precision.experimental.LossScaleOptimizer.from_config(opt.get_config())
print(again.get_scaled_loss(tf.constant(1.0)).numpy())
