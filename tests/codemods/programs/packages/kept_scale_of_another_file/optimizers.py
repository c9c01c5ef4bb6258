# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), "dynamic"
)
