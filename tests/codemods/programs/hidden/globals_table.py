# SPDX-License-Identifier: Apache-2.0
"""The optimizer is looked up among the global names."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(globals()["opt"].loss_scale().numpy())
