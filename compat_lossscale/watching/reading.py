# SPDX-License-Identifier: Apache-2.0
"""Reads the loss scale of an optimizer: of this package, of tf-keras, or of Keras 3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tf_keras

from compat_lossscale.errors import CompatLossScaleError


def is_of_keras_3(optimizer: Any) -> bool:
    """Whether an optimizer is Keras 3's LossScaleOptimizer."""
    return hasattr(optimizer, "scale_loss") and hasattr(optimizer, "dynamic_growth_steps")


def _state_of_keras_3(optimizer: Any) -> dict[str, float]:
    """Reads Keras 3's LossScaleOptimizer, which has no variables before its first step."""
    return {
        "step": int(optimizer.iterations.numpy()),
        "loss_scale": float(loss_scale_of(optimizer)),
        "good_steps": int(optimizer.step_counter.numpy()) if optimizer.built else 0,
    }


def loss_scale_of(optimizer: Any) -> Any:
    """Returns an optimizer's loss scale: a tensor or a LossScale; `None` if it has none."""
    if is_of_keras_3(optimizer):
        return optimizer.dynamic_scale.numpy() if optimizer.built else optimizer.initial_scale
    for name in ("loss_scale", "_loss_scale"):
        value = getattr(optimizer, name, None)
        if value is not None:
            return value
    return None


def skipped_steps_of(optimizer: Any) -> Any:
    """Returns an optimizer's count of skipped steps; `None` if it does not count them."""
    try:
        return getattr(optimizer, "skipped_steps", None)
    except CompatLossScaleError:
        # They are not counted in graphs of TensorFlow 1.
        return None


def state_reader(optimizer: Any) -> Callable[[], dict[str, float]]:
    """Returns a function that reads an optimizer's state."""
    if is_of_keras_3(optimizer):
        return lambda: _state_of_keras_3(optimizer)

    def tensors() -> dict[str, Any]:
        loss_scale = loss_scale_of(optimizer)
        good_steps = getattr(loss_scale, "good_steps", None)
        tensors_by_name = {
            "step": getattr(optimizer, "iterations", None),
            "loss_scale": loss_scale() if callable(loss_scale) else loss_scale,
            "good_steps": getattr(optimizer, "dynamic_counter", good_steps),
            "skipped_steps": skipped_steps_of(optimizer),
        }
        return {name: value for name, value in tensors_by_name.items() if value is not None}

    if tf.executing_eagerly():
        return lambda: _values(tensors())
    # In a graph, the tensors are created once and evaluated often.
    made = tensors()
    return lambda: _values(made)


def _values(tensors: dict[str, Any]) -> dict[str, float]:
    values = {name: tf_keras.backend.get_value(value) for name, value in tensors.items()}
    return {
        name: float(value) if name == "loss_scale" else int(value) for name, value in values.items()
    }
