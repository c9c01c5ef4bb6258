# SPDX-License-Identifier: Apache-2.0
"""Applying a step or skipping it, under any `tf.distribute` strategy that can be supported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from compat_lossscale.core.gradients import finite_on_all_replicas, grouped, must_merge, values_of
from compat_lossscale.core.loss_scale import (
    FixedLossScale,
    LossScale,
    moves_by_the_rule,
    reserve_cond,
)
from compat_lossscale.core.native import as_written


@as_written
def apply_or_skip(
    loss_scale: LossScale,
    gradients: Sequence[Any],
    apply: Callable[[list[Any]], Any],
    *,
    applied: Callable[[], Any] = lambda: None,
    skipped: Callable[[Any], Any] = lambda stuck: None,
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

    Returns:
        `None` in eager mode, an operation in a graph.
    """

    def take(gradients: Any, on_gradients: Callable[[Callable[[list[Any]], Any]], Any]) -> Any:
        # `on_gradients` calls a function with the gradients of each replica that is in view.
        if type(loss_scale) is FixedLossScale:
            return grouped(on_gradients(apply))
        rule = loss_scale if moves_by_the_rule(loss_scale) else None
        update = None
        if rule is not None:
            reserve_cond()
            finite = finite_on_all_replicas(gradients)
        else:
            # In a graph of TensorFlow 1, an update that ignores the gradients could come before
            # the loss scale is read to unscale them.
            unscaled = grouped(on_gradients(values_of))
            with tf.control_dependencies([] if unscaled is None else [unscaled]):
                update, finite = loss_scale.update(gradients)

        def apply_step() -> Any:
            moved = None if rule is None else rule.advance(True)
            return grouped(moved, applied(), on_gradients(apply))

        def skip_step() -> Any:
            stuck = None if rule is None else rule.has_to_shrink_at_floor()
            # A graph of TensorFlow 1 does not order by itself what reads a variable and moves it.
            with tf.control_dependencies([] if stuck is None else [stuck]):
                moved = None if rule is None else rule.advance(False)
            return grouped(moved, skipped(stuck))

        if isinstance(finite, bool) or tf.executing_eagerly():
            done = apply_step() if finite else skip_step()
        else:
            done = grouped(tf.cond(finite, apply_step, skip_step))
        return done if rule is not None else grouped(update, done)

    gradients = list(gradients)
    if not must_merge():
        return take(gradients, lambda function: function(gradients))
    # The decision is made, and the branch taken, in a cross-replica context: strategies have no
    # merge calls, of which the wrapped optimizers make some, inside a branch within a replica.
    return tf.distribute.get_replica_context().merge_call(
        lambda strategy, gradients: take(
            gradients,
            lambda function: strategy.extended.call_for_each_replica(function, args=(gradients,)),
        ),
        args=(gradients,),
    )
