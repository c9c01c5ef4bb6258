# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf

if hasattr(tf.keras.mixed_precision, "set_global_policy"):
    set_policy = tf.keras.mixed_precision.set_global_policy
    LossScaleOptimizer = tf.keras.mixed_precision.LossScaleOptimizer
else:
    set_policy = tf.keras.mixed_precision.experimental.set_policy
    LossScaleOptimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer
