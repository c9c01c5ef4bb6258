# SPDX-License-Identifier: Apache-2.0
"""Optimizers are copied, pickled and made again from their class."""

import copy

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
opt = mp.LossScaleOptimizer(tf.keras.optimizers.Adam(0.25, decay=0.5), 8)
again = type(opt._optimizer).from_config(opt._optimizer.get_config())
other = opt._optimizer.__class__(**{"learning_rate": 0.5, "decay": 0.25})
third = copy.copy(tf.keras.optimizers.SGD(0.25, decay=0.5))
for inner in [again, other, third]:
    one = mp.LossScaleOptimizer(inner, 8)
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        one.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), type(inner).__name__)
