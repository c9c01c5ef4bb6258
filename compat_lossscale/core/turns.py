# SPDX-License-Identifier: Apache-2.0
"""Large gradients are unscaled by turns, each when an earlier one has been applied.

TensorFlow starts whatever it can. Left to itself it unscales all gradients, each into memory of its
own, before it applies the first. By turns, a few buffers do for all, and what was unscaled is still
in the processor's cache when it is applied.
"""

from __future__ import annotations

from collections.abc import Iterable

import tensorflow as tf

from compat_lossscale.core.deferred import is_unscaling
from compat_lossscale.core.traced import compiled_by_xla

_LARGE = 1 << 15
"""Elements of a tensor from which memory matters."""
_AT_ONCE = 4
"""How many may be under way: enough to keep the processor busy, as one alone already can."""


def take_turns(gradients: Iterable[tf.Tensor]) -> None:
    """Puts gradients in turns, as far as that is safe.

    It is where nothing but the operation that applies it uses a gradient. Nothing that an earlier
    gradient waits for can then wait for a later one.

    Args:
        gradients: Gradients that are unscaled, and applied, in the graph that is being built.
    """
    if compiled_by_xla() or not tf.compat.v1.executing_eagerly_outside_functions():
        return
    operations = tf.compat.v1.get_default_graph().get_operations()
    number = {operation.name: number for number, operation in enumerate(operations)}
    turns = [
        (_unscaling(gradient), gradient.consumers()[0])
        for gradient in gradients
        if _can_wait(gradient)
    ]
    turns.sort(key=lambda turn: number[turn[1].name])
    for (_, applying), (unscaling, _) in zip(turns, turns[_AT_ONCE:], strict=False):
        unscaling._add_control_input(applying)


def _unscaling(gradient: tf.Tensor) -> tf.Operation:
    """The operation that unscales a gradient, which may have been cast after that."""
    return gradient.op.inputs[0].op if gradient.op.type == "Cast" else gradient.op


def _can_wait(gradient: tf.Tensor) -> bool:
    users = gradient.consumers()
    return (
        (gradient.shape.num_elements() or 0) >= _LARGE
        and is_unscaling(_unscaling(gradient))
        and len(_unscaling(gradient).outputs[0].consumers()) == 1
        and len(users) == 1
        and users[0].type.startswith("ResourceApply")
    )
