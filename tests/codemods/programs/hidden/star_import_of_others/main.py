# SPDX-License-Identifier: Apache-2.0
"""A star import brings other names only."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
from mylib import *

opt = LossScaleOptimizer(tf.keras.optimizers.SGD(RATE), 8)
print(opt.loss_scale().numpy())
