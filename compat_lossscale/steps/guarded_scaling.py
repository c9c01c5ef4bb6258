# SPDX-License-Identifier: Apache-2.0
"""Scaling and unscaling by the core, with the guards against mistakes around them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from compat_lossscale.core import (
    FixedLossScale,
    LossScale,
    as_written,
    fixed_value,
    scale_loss,
    traced_function,
    unscale_gradients,
)
from compat_lossscale.steps.altered_gradients import are_zeroed, clipped_by
from compat_lossscale.steps.guards import MisuseGuards


class GuardedScaling:
    """Adds guarded scaling to an optimizer with a `_loss_scale`."""

    _loss_scale: LossScale

    @functools.cached_property
    def _guards(self) -> MisuseGuards:
        return MisuseGuards(traced_function)

    def _fixed_scale(self) -> float | None:
        """The loss scale if it is fixed, and `None` otherwise."""
        return fixed_value(self._loss_scale)

    def _scale_guarded(self, loss: Any, method: str) -> Any:
        """Does what `core.scale_loss` does.

        Args:
            loss: A floating-point tensor of any shape, or a callable that gives one.
            method: The method that was called, for messages.

        Returns:
            The scaled loss; a callable for a callable.
        """
        if callable(loss):
            return as_written(lambda: self._scale_guarded(loss(), method))
        guards = self._guards
        guards.check_loss(loss, method, self._fixed_scale)
        scaled = scale_loss(loss, self._loss_scale)
        guards.note_scaled(scaled)
        if type(self._loss_scale) is FixedLossScale and scaled.dtype == tf.float16:
            check_range(guards, self._fixed_scale(), loss, scaled)
        return scaled

    def _unscale_guarded(self, grads: Iterable[Any], method: str) -> list[Any]:
        """Does what `core.unscale_gradients` does.

        Args:
            grads: Tensors, `tf.IndexedSlices` or `None`, of any floating-point dtype.
            method: The method that was called, for messages.

        Returns:
            The unscaled gradients.
        """
        guards = self._guards
        grads = list(grads)
        guards.check_gradients(grads, method, self._fixed_scale)
        if not tf.executing_eagerly():
            check_unaltered(guards, grads, method, self._fixed_scale())
        unscaled = unscale_gradients(grads, self._loss_scale())
        guards.note_unscaled(grads, unscaled)
        return unscaled


def check_range(guards: MisuseGuards, fixed_scale: float | None, loss: Any, scaled: Any) -> None:
    """Warns if a fixed loss scale has made a float16 loss infinite.

    Args:
        guards: The optimizer's.
        fixed_scale: The loss scale if it is fixed, and `None` otherwise.
        loss: The float16 loss. Its values are looked at in eager mode.
        scaled: The scaled loss.
    """

    def overflows() -> bool:
        finite = [tf.reduce_all(tf.math.is_finite(one)) for one in (loss, scaled)]
        return bool(finite[0]) and not finite[1]

    guards.check_range(fixed_scale, overflows if tf.executing_eagerly() else None)


def check_unaltered(
    guards: MisuseGuards, gradients: list[Any], method: str, fixed_scale: float | None
) -> None:
    """Warns of gradients of a graph that were clipped or zeroed while they were scaled.

    Args:
        guards: The optimizer's.
        gradients: Gradients that are to be unscaled.
        method: The method that was called, for messages.
        fixed_scale: The loss scale if it is fixed, and `None` otherwise.
    """
    if fixed_scale == 1:
        return
    clip = clipped_by(gradients, fixed_scale)
    if clip is not None:
        guards.warn(
            "clipped",
            f"{method}() was given gradients that {clip}() clipped while they were scaled, so the "
            "bound is as many times too small as the loss scale is large, and changes with it. "
            "Unscale the gradients first and clip them then, or use an argument of the inner "
            "optimizer such as clipnorm.",
        )
    if fixed_scale is None and are_zeroed(gradients):
        guards.warn(
            "zeroed",
            f"{method}() was given gradients in which tf.where() has replaced NaNs or infinities. "
            "The dynamic loss scale shrinks when it sees them, and now never does. Leave them "
            "there: a step that has them is skipped.",
        )
