# SPDX-License-Identifier: Apache-2.0
"""Applying a step or skipping it, under any `tf.distribute` strategy that can be supported."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import tensorflow as tf

from compat_lossscale.core import graph_names
from compat_lossscale.core.dynamic_loss_scale import moves_by_the_rule
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
    """Updates the loss scale, then applies the step if the loss scale allows and skips it if not.

    Must be called in a replica context. If one replica has a non-finite gradient, all skip.

    Args:
        loss_scale: The loss scale, which decides.
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
    if not must_merge():
        return step.take(gradients, _call)
    # The decision is made, and the branch taken, in a cross-replica context: strategies have no
    # merge calls, of which the wrapped optimizers make some, inside a branch within a replica.
    return tf.distribute.get_replica_context().merge_call(
        lambda strategy, gradients: step.take(
            gradients,
            lambda function, *args: strategy.extended.call_for_each_replica(function, args=args),
        ),
        args=(list(gradients),),
    )


def _call(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)


@dataclasses.dataclass(frozen=True)
class _Step:
    """A step that is yet to be taken; see `apply_or_skip`."""

    loss_scale: LossScale
    apply: Callable[[list[Any]], Any]
    applied: Callable[[], Any]
    skipped: Callable[[Any], Any]
    inspect: Callable[[OnGradients], Any] | None
    summed: bool

    def take(self, gradients: Any, on_each_replica: Callable[..., Any]) -> Any:
        """Takes the step.

        Args:
            gradients: Unscaled gradients; in a cross-replica context, those of all replicas.
            on_each_replica: Calls a function with each replica's own arguments.

        Returns:
            `None` in eager mode, an operation in a graph.
        """

        def on_gradients(function: Callable[[list[Any]], Any]) -> Any:
            return on_each_replica(function, gradients)

        if type(self.loss_scale) is FixedLossScale:
            return grouped(on_gradients(self.apply))
        if not moves_by_the_rule(self.loss_scale):
            # In a graph of TensorFlow 1, an update that ignores the gradients could come before the
            # loss scale is read to unscale them.
            unscaled = grouped(on_gradients(values_of))
            with tf.control_dependencies([] if unscaled is None else [unscaled]):
                update, should_apply = self.loss_scale.update(gradients)
            return grouped(update, self._branch(should_apply, on_gradients))
        graph_names.reserve_cond()
        finite = finite_on_all_replicas(gradients, equal_on_all=self.summed)
        return self._branch(finite, on_gradients)

    def _branch(self, should_apply: Any, on_gradients: OnGradients) -> Any:
        """Applies or skips, and moves the loss scale if that was not done before."""
        rule = self.loss_scale if moves_by_the_rule(self.loss_scale) else None

        def applied() -> Any:
            moved = rule and rule.advance(True)
            return grouped(moved, self.applied(), on_gradients(self.apply))

        def skipped() -> Any:
            stuck = rule and rule.has_to_shrink_at_floor()
            # A graph of TensorFlow 1 does not order by itself what reads a variable and moves it.
            with tf.control_dependencies([] if stuck is None else [stuck]):
                moved = rule and rule.advance(False)
            counted = self.skipped(stuck)
            return grouped(moved, counted, self.inspect and self.inspect(on_gradients))

        if isinstance(should_apply, bool) or tf.executing_eagerly():
            return applied() if should_apply else skipped()
        return grouped(tf.cond(should_apply, applied, skipped))
