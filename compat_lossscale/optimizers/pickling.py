# SPDX-License-Identifier: Apache-2.0
"""Pickles optimizers, which tf-keras cannot and TensorFlow up to 2.3 could.

An optimizer's slots belong to variables that the pickle does not have. They come back when the
optimizer first applies gradients to variables of the same shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from compat_lossscale.optimizers import families

WEIGHTS = "_unpickled_weights"
"""The attribute in which an unpickled optimizer keeps its weights until it has variables."""


def reduce(optimizer: Any) -> tuple[Any, ...]:
    """Returns what `__reduce__` of a LossScaleOptimizer returns."""
    inner_optimizer, loss_scale = optimizer.inner_optimizer, optimizer._loss_scale
    config = optimizer.get_config()
    key = "inner_optimizer" if "inner_optimizer" in config else "optimizer"
    del config[key]
    if "loss_scale" in config:
        # Itself, for a config names its class only, and the class may be of the user's own.
        config["loss_scale"] = loss_scale
    state = {name: _value(variable) for name, variable in loss_scale.state.items()}
    weights = optimizer.__dict__.get(WEIGHTS) or [_value(weight) for weight in optimizer.weights]
    return _unpickled, (
        families.declared(type(optimizer)),
        (key, type(inner_optimizer), inner_optimizer.get_config()),
        config,
        state,
        weights,
    )


def _value(variable: Any) -> np.ndarray[Any, Any]:
    return np.asarray(tf_keras.backend.get_value(variable))


def _unpickled(
    cls: Any,
    inner: tuple[str, Any, Mapping[str, Any]],
    config: Mapping[str, Any],
    state: Mapping[str, np.ndarray[Any, Any]],
    weights: Sequence[np.ndarray[Any, Any]],
) -> Any:
    key, inner_class, inner_config = inner
    made = cls.from_config({**config, key: inner_class.from_config(dict(inner_config))})
    for name, variable in made._loss_scale.state.items():
        tf_keras.backend.set_value(variable, state[name])
    if weights:
        # Some optimizers make their step count only when they are asked for it.
        there = [made.iterations, *made.weights[1:]]
        for variable, value in zip(there, weights, strict=False):
            tf_keras.backend.set_value(variable, value)
        if len(weights) > len(there):
            made.__dict__[WEIGHTS] = list(weights)
    return made


def restore_weights(optimizer: Any, variables: Sequence[Any]) -> None:
    """Gives an unpickled optimizer its weights back, once it has variables to apply gradients to.

    Args:
        optimizer: A LossScaleOptimizer.
        variables: The variables.
    """
    weights = optimizer.__dict__.pop(WEIGHTS)
    with tf.init_scope():
        optimizer._make_weights(variables)
        if [weight.shape for weight in optimizer.weights] == [value.shape for value in weights]:
            optimizer.set_weights(weights)
        else:
            tf.get_logger().warning(
                "This optimizer was pickled with slots of other shapes than those of the variables "
                "that it now applies gradients to. The slots start again."
            )
