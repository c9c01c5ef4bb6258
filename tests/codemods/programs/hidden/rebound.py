# SPDX-License-Identifier: Apache-2.0
"""The name holds a plain optimizer first, and again afterwards."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
plain = opt
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 64)
print(opt.loss_scale().numpy())
opt = plain
print(hasattr(opt, "loss_scale"))
