# SPDX-License-Identifier: Apache-2.0
"""Old names stand in type variables, casts and annotations that are strings."""

from __future__ import annotations

import typing

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

T = typing.TypeVar("T", bound="tf.keras.mixed_precision.experimental.LossScaleOptimizer")
Scales = typing.Dict[str, "tf.train.experimental.LossScale"]


def wrap(opt: tf.keras.optimizers.Optimizer, scale: typing.Union[int, str]) -> "LossScaleOptimizer":
    made: typing.Optional["LossScaleOptimizer"] = None
    made = LossScaleOptimizer(opt, scale)
    return typing.cast("LossScaleOptimizer", made)


def same(opt: T) -> T:
    return opt


opt = same(wrap(tf.keras.optimizers.SGD(0.25), 8))
print(sorted(wrap.__annotations__), T.__bound__ is not None)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy())
