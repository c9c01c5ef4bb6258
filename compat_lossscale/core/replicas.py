# SPDX-License-Identifier: Apache-2.0
"""The replicas of a `tf.distribute` strategy: what they agree on, and what all of them did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat_lossscale.core import private
from compat_lossscale.core.gradients import all_finite


def must_merge() -> bool:
    """Whether this is a replica's view and the loss scale's variables can't be assigned from it."""
    return (
        tf.distribute.has_strategy()
        and not tf.distribute.in_cross_replica_context()
        and not private.replicas_apply_by_themselves()
    )


def finite_on_all_replicas(
    gradients: Any,
    *,
    ask: Callable[[Any], tf.Tensor] = all_finite,
    equal_on_all: bool = False,
) -> tf.Tensor:
    """Asks whether all gradients are finite on each replica that is in view.

    Args:
        gradients: A nested structure of gradients, or whatever `ask` can be asked about.
        ask: Asks whether those of one replica are finite.
        equal_on_all: Whether the replicas have the same gradients, so that one need be asked.

    Returns:
        A bool scalar tensor.
    """
    if not (tf.distribute.has_strategy() and tf.distribute.in_cross_replica_context()):
        return ask(gradients)
    strategy = tf.distribute.get_strategy()
    # Workers have to agree, and are asked each, so that none waits for another forever.
    if equal_on_all and not private.spans_workers(strategy):
        first = tf.nest.map_structure(
            lambda one: strategy.experimental_local_results(one)[0], gradients
        )
        return ask(first)
    # Strategies reduce numbers, not bools.
    finite = strategy.extended.call_for_each_replica(
        lambda gradients: tf.cast(ask(gradients), tf.float32), args=(gradients,)
    )
    total = strategy.reduce(tf.distribute.ReduceOp.SUM, finite, axis=None)
    return tf.equal(total, float(strategy.num_replicas_in_sync))


def grouped(*done: Any) -> Any:
    """One operation for all that was done, also in lists, on any replica; `None` in eager mode."""
    if tf.executing_eagerly():
        return None
    results = tf.distribute.get_strategy().experimental_local_results
    flat = (one for each in tf.nest.flatten(done) for one in results(each))
    return tf.group(*(one for one in flat if one is not None))
