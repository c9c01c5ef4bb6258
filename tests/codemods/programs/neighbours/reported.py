# SPDX-License-Identifier: Apache-2.0
"""Names that no name of today takes the place of in every case: migrated, it ends there."""

import inspect
import time

import tensorflow as tf

started = time.clock() >= 0
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
print(started, inspect.getargspec(lambda a, b=1: a))
