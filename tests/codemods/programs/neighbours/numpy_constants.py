# SPDX-License-Identifier: Apache-2.0
"""Spellings of infinity and of what is no number, which went with numpy 2.0."""

import numpy
import numpy as np
import tensorflow as tf
from numpy import Inf, NaN, isnan

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
best, highest, lowest = np.Inf, [np.NINF], {"lowest": np.NINF}
for gradient in [1.0, np.NaN, numpy.PINF, 0.5, NaN]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    best = min(best, float(weight.numpy()))
    print(best, opt.loss_scale().numpy())
print(highest, lowest, Inf, isnan(NaN), np.infty, 1 / np.NINF, np.NINF ** 2, np.NZERO, np.PZERO, -np.Infinity)
