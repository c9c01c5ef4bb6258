# SPDX-License-Identifier: Apache-2.0
"""Applying a step or skipping it, under any `tf.distribute` strategy that can be supported."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import tensorflow as tf

from compat_lossscale.core.dynamic_loss_scale import (
    DynamicLossScale,
    moves_by_the_rule,
    reserve_cond,
)
from compat_lossscale.core.gradients import values_of
from compat_lossscale.core.loss_scale import FixedLossScale, LossScale
from compat_lossscale.core.replicas import finite_on_all_replicas, grouped, must_merge
from compat_lossscale.core.tracing import as_written

OnGradients: TypeAlias = Callable[[Callable[[list[Any]], Any]], Any]
"""Calls a function with each replica's gradients, and returns what it returns for each."""


@as_written
def apply_or_skip(
    loss_scale: LossScale,
    gradients: Sequence[Any],
    apply: Callable[[list[Any]], Any],
    *,
    applied: Callable[[], Any] = lambda: None,
    skipped: Callable[[Any], Any] = lambda stuck: None,
    inspect: Callable[[OnGradients], Any] | None = None,
    summed: bool = False,
) -> Any:
    """Applies the step if all gradients are finite and skips it if not, and moves the loss scale.

    A loss scale of a user's own class decides by itself, and a fixed one applies every step. Must
    be called in a replica context. If one replica has a non-finite gradient, all skip.

    Args:
        loss_scale: The loss scale.
        gradients: This replica's unscaled gradients.
        apply: Applies the given gradients, in a replica context. It should hold the variables in
            its closure: a strategy would unwrap mirrored variables given as arguments, and the
            wrapped optimizer expects them mirrored.
        applied: Is called where the step is applied, in a cross-replica context if there is one.
        skipped: Is called where the step is skipped, in the same context, with whether the loss
            scale had to shrink at its floor: a bool scalar tensor, or `None` if it never shrinks
            or is of a user's own rule.
        inspect: Is called after `skipped`, with what calls a function with the unscaled gradients
            of each replica, in the replica's context.
        summed: Whether the strategy has summed the gradients, so that each replica has the same.

    Returns:
        `None` in eager mode, an operation in a graph.
    """
    step = _Step(loss_scale, apply, applied, skipped, inspect, summed)
    gradients = list(gradients)
    if not must_merge():
        return step.take(gradients, lambda function: function(gradients))
    # The decision is made, and the branch taken, in a cross-replica context: strategies have no
    # merge calls, of which the wrapped optimizers make some, inside a branch within a replica.
    return tf.distribute.get_replica_context().merge_call(
        lambda strategy, gradients: step.take(
            gradients,
            lambda function: strategy.extended.call_for_each_replica(function, args=(gradients,)),
        ),
        args=(gradients,),
    )


@dataclasses.dataclass(frozen=True)
class _Step:
    """A step that is yet to be taken; see `apply_or_skip`."""

    loss_scale: LossScale
    apply: Callable[[list[Any]], Any]
    applied: Callable[[], Any]
    skipped: Callable[[Any], Any]
    inspect: Callable[[OnGradients], Any] | None
    summed: bool

    def take(self, gradients: Any, on_gradients: OnGradients) -> Any:
        """Takes the step.

        Args:
            gradients: Unscaled gradients; in a cross-replica context, those of all replicas.
            on_gradients: Calls a function with each replica's own.

        Returns:
            `None` in eager mode, an operation in a graph.
        """
        loss_scale = self.loss_scale
        if type(loss_scale) is FixedLossScale:
            return grouped(on_gradients(self.apply))
        if moves_by_the_rule(loss_scale):
            reserve_cond()
            finite = finite_on_all_replicas(gradients, equal_on_all=self.summed)
            return self._branch(finite, on_gradients, loss_scale)
        # In a graph of TensorFlow 1, an update that ignores the gradients could come before the
        # loss scale is read to unscale them.
        unscaled = grouped(on_gradients(values_of))
        with tf.control_dependencies([] if unscaled is None else [unscaled]):
            update, should_apply = loss_scale.update(gradients)
        return grouped(update, self._branch(should_apply, on_gradients, None))

    def _branch(
        self, should_apply: Any, on_gradients: OnGradients, rule: DynamicLossScale | None
    ) -> Any:
        """Applies or skips.

        Args:
            should_apply: Which of the two, a bool or a bool scalar tensor.
            on_gradients: See `take`.
            rule: The loss scale, if the branch is to move it.
        """

        def applied() -> Any:
            moved = None if rule is None else rule.advance(True)
            return grouped(moved, self.applied(), on_gradients(self.apply))

        def skipped() -> Any:
            stuck = None if rule is None else rule.has_to_shrink_at_floor()
            # A graph of TensorFlow 1 does not order by itself what reads a variable and moves it.
            with tf.control_dependencies([] if stuck is None else [stuck]):
                moved = None if rule is None else rule.advance(False)
            counted = self.skipped(stuck)
            return grouped(moved, counted, self.inspect and self.inspect(on_gradients))

        if isinstance(should_apply, bool) or tf.executing_eagerly():
            return applied() if should_apply else skipped()
        return grouped(tf.cond(should_apply, applied, skipped))
