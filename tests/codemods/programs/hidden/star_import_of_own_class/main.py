# SPDX-License-Identifier: Apache-2.0
"""A later star import brings a class of that name."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
from mylib import *

print(LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8).loss_scale)
