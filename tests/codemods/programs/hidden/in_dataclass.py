# SPDX-License-Identifier: Apache-2.0
"""The optimizer is a field of a dataclass."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass
class State:
    optimizer: tf.keras.optimizers.Optimizer
    step: int = 0


state = State(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64))
print(state.optimizer.loss_scale().numpy())
