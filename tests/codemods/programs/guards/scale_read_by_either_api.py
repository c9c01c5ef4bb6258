# SPDX-License-Identifier: Apache-2.0
"""The scale is called if it can be, as code for both TensorFlows did."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), 32)


def scale_of(optimizer):
    scale = getattr(optimizer, "loss_scale", 1.0)
    return float(scale() if callable(scale) else scale)


print(scale_of(opt), scale_of(tf.keras.optimizers.SGD(0.5)))
