# SPDX-License-Identifier: Apache-2.0
"""Gradients as the optimizers of TensorFlow 2.0 to 2.10 had them. TensorFlow only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat_lossscale.keras3 import private
from compat_lossscale.keras3.arguments import check_has_gradients
from compat_lossscale.members.optimizer import check_has_tape


def compute(
    loss: Any,
    var_list: Any,
    *,
    grad_loss: Any = None,
    tape: tf.GradientTape | None = None,
    scaled: Callable[[Any], Any] = lambda loss: loss,
) -> list[tuple[Any, Any]]:
    """Differentiates a loss.

    Args:
        loss: A floating-point tensor computed under `tape`, or a callable that gives one.
        var_list: A variable, a list of variables, or a callable that gives one.
        grad_loss: The gradient with respect to the loss, a tensor of its shape; `None` for ones.
        tape: The tape under which the loss was computed; not needed for a callable.
        scaled: What is differentiated in place of the loss, given it.

    Returns:
        Pairs of a gradient and a variable.

    Raises:
        ValueError: `loss` is a tensor and there is no `tape`; or there is no variable.
    """
    check_has_tape(loss, tape)
    tape = tf.GradientTape() if tape is None else tape
    with tape:
        if callable(loss):
            if not callable(var_list):
                tape.watch([private.tensorflow_variable(one) for one in tf.nest.flatten(var_list)])
            loss = loss()
        loss = scaled(loss)
    variables = tf.nest.flatten(var_list() if callable(var_list) else var_list)
    check_has_gradients(variables, "minimize")
    watched = [private.tensorflow_variable(variable) for variable in variables]
    gradients = tape.gradient(loss, watched, grad_loss)
    return list(zip(gradients, variables, strict=True))


def are_summed_over_replicas() -> bool:
    """Whether Keras 3 sums gradients over replicas, of which there are several."""
    return int(tf.distribute.get_strategy().num_replicas_in_sync) > 1


def check_not_in_graph() -> None:
    """Refuses to take a step in a graph of TensorFlow 1, where Keras 3's would do nothing.

    Raises:
        RuntimeError: Operations are made for a `tf.compat.v1.Session` to run.
    """
    if not tf.compat.v1.executing_eagerly_outside_functions():
        raise RuntimeError(
            "Optimizers of Keras 3 make no operations for graphs and sessions of TensorFlow 1. "
            "Use tf.function in the place of the graph. Without that change, run the program on "
            "tf-keras: compat-lossscale run, without --keras3."
        )
