# SPDX-License-Identifier: Apache-2.0
"""Reads the loss scale of an optimizer: of this package, of tf-keras, or of Keras 3."""

from __future__ import annotations

from typing import Any


def is_of_keras_3(optimizer: Any) -> bool:
    """Whether it is a LossScaleOptimizer of Keras 3: Keras' own, or this package's."""
    return hasattr(optimizer, "scale_loss") and hasattr(optimizer, "dynamic_growth_steps")


def state_of_keras_3(optimizer: Any) -> dict[str, float]:
    """The state of a LossScaleOptimizer of Keras 3, which has no variables before it is built."""
    state = {
        # Keras' own wrapper has another variable for them up to 3.6, which stays 0.
        "step": int(optimizer.inner_optimizer.iterations.numpy()),
        "loss_scale": float(loss_scale_of(optimizer)),
    }
    if optimizer.dynamic_growth_steps is not None:
        state["good_steps"] = int(optimizer.step_counter.numpy()) if optimizer.built else 0
    skipped = skipped_steps_of(optimizer)
    return state if skipped is None else {**state, "skipped_steps": int(skipped)}


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
    # In graphs of TensorFlow 1, and in Keras 3 on JAX, it has none: NotCountedError says so.
    return getattr(optimizer, "skipped_steps", None)


def hysteresis_left_of(optimizer: Any) -> int | None:
    """Returns how many bad steps are left until a loss scale of Keras 3 shrinks.

    `None` if its rule tolerates none, or if the optimizer is not built.
    """
    variable = getattr(optimizer, "hysteresis_left", None)
    return None if variable is None else int(variable.numpy())
