# SPDX-License-Identifier: Apache-2.0
"""The loss scale is read by `getattr`."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(float(getattr(opt, "loss_scale")()))
