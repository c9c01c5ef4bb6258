# SPDX-License-Identifier: Apache-2.0
"""A state that holds the loss scale of this step, read after the next."""

import collections

import tensorflow as tf

State = collections.namedtuple("State", "step scale")
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), "dynamic")
weight = tf.Variable(1.0)
states = []
for step in range(3):
    states.append(State(step, opt.loss_scale()))
    opt.apply_gradients([(tf.constant(float("nan")), weight)])
print([(s.step, float(s.scale)) for s in states])
