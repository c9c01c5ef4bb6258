# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf
from optim import make

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make("sgd"), "dynamic")
