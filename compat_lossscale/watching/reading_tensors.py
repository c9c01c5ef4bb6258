# SPDX-License-Identifier: Apache-2.0
"""Reads the state of an optimizer's loss scale out of TensorFlow's tensors, also in a graph."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tf_keras

from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.watching.reading import (
    is_of_keras_3,
    loss_scale_of,
    skipped_steps_of,
    state_of_keras_3,
)


def state_reader(optimizer: Any) -> Callable[[], dict[str, float]]:
    """Returns what reads an optimizer's state.

    Raises:
        LossScaleArgumentError: It is an optimizer of Keras 3, which does not run on TensorFlow.
    """
    if is_of_keras_3(optimizer):
        # The optimizer has imported Keras 3. This module works without it.
        backend = sys.modules["keras"].config.backend()
        if backend != "tensorflow":
            raise LossScaleArgumentError(
                "compat_lossscale.callbacks.LossScaleLogger reads variables of TensorFlow, and "
                f"Keras runs on {backend}. Use compat_lossscale.keras3.LossScaleLogger."
            )
        return lambda: state_of_keras_3(optimizer)

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
    # In a graph they are made once, and evaluated often.
    made = tensors()
    return lambda: _values(made)


def _values(tensors: dict[str, Any]) -> dict[str, float]:
    values = {name: tf_keras.backend.get_value(value) for name, value in tensors.items()}
    return {
        name: float(value) if name == "loss_scale" else int(value) for name, value in values.items()
    }
