# SPDX-License-Identifier: Apache-2.0
"""The loss scale is taken from the dictionary of the object."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(float(vars(opt)["_loss_scale"]()))
print(float(opt.__dict__["_loss_scale"]()))
