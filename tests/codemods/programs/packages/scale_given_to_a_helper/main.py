# SPDX-License-Identifier: Apache-2.0
"""The loss scale is given to a function of another file, which calls it."""

import tensorflow as tf
from logs import describe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
v = tf.Variable([1.0])
opt.apply_gradients([(tf.constant([float("nan")]), v)])
print(describe(scale=opt.loss_scale))
