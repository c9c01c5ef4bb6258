# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf
from wrappers import LossScaleOptimizer

opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
