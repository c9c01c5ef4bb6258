# SPDX-License-Identifier: Apache-2.0
"""The optimizer is a field of a named tuple."""

import collections

import tensorflow as tf

State = collections.namedtuple("State", "step optimizer")
state = State(0, tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64))
print(state.optimizer.loss_scale().numpy(), state[1].loss_scale().numpy())
