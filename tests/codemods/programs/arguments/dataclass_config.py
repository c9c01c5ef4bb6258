# SPDX-License-Identifier: Apache-2.0
"""A config class makes optimizers by their names."""

import dataclasses
from typing import Optional, Union

import tensorflow as tf


@dataclasses.dataclass
class OptimizerConfig:
    name: str = "Adam"
    learning_rate: float = 1e-3
    decay: float = 0.0
    loss_scale: Optional[Union[str, float]] = None


def build(config: OptimizerConfig):
    cls = getattr(tf.keras.optimizers, config.name)
    optimizer = cls(learning_rate=config.learning_rate, decay=config.decay)
    if config.loss_scale is not None:
        optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            optimizer, config.loss_scale
        )
    return optimizer


for config in (
    OptimizerConfig(),
    OptimizerConfig("SGD", 0.1, 0.5, "dynamic"),
    OptimizerConfig("RMSprop", decay=0.1, loss_scale=128.0),
):
    optimizer = build(config)
    scale = float(optimizer.loss_scale()) if config.loss_scale else None
    v = tf.Variable([1.0, -2.0])
    for _ in range(2):
        optimizer.apply_gradients([(v * 0.5, v)])
    print(config.name, scale, float(optimizer.decay), v.numpy().tolist(), int(optimizer.iterations))
