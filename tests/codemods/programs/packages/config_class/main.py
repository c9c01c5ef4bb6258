# SPDX-License-Identifier: Apache-2.0
"""The loss scale is an attribute of a configuration class."""

import tensorflow as tf
from config import Config, Dynamic

for config in (Config, Dynamic):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(config.rate), config.loss_scale)
    print(opt.get_scaled_loss(tf.constant(1.0)).numpy())
