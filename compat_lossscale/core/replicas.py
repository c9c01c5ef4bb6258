# SPDX-License-Identifier: Apache-2.0
"""The replicas of a `tf.distribute` strategy: which are supported, and what they agree on."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat_lossscale.core import native
from compat_lossscale.core.gradients import all_finite


def must_merge() -> bool:
    """Whether this is a replica's view and the loss scale's variables can't be assigned from it."""
    return (
        tf.distribute.has_strategy()
        and not tf.distribute.in_cross_replica_context()
        and not native.replicas_apply_by_themselves()
    )


def finite_on_all_replicas(gradients: Any, *, equal_on_all: bool = False) -> tf.Tensor:
    """Asks whether all gradients are finite on each replica that is in view.

    Args:
        gradients: A nested structure of gradients.
        equal_on_all: Whether the replicas have the same gradients, so that one need be asked.

    Returns:
        A bool scalar tensor.
    """
    if not (tf.distribute.has_strategy() and tf.distribute.in_cross_replica_context()):
        return all_finite(gradients)
    strategy = tf.distribute.get_strategy()
    # Workers have to agree, and are asked each, so that none waits for another forever.
    if equal_on_all and not native.spans_workers(strategy):
        results = strategy.experimental_local_results
        return all_finite(tf.nest.map_structure(lambda one: results(one)[0], gradients))
    # Strategies reduce numbers, not bools.
    finite = strategy.extended.call_for_each_replica(
        lambda gradients: tf.cast(all_finite(gradients), tf.float32), args=(gradients,)
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


def supports_strategy() -> bool:
    """Whether loss scaling works under the current `tf.distribute` strategy.

    It works where each replica has its own copy of every variable, so that gradients are unscaled
    once per copy: without a strategy, and under OneDevice, Mirrored and MultiWorkerMirrored
    strategies. Source: TensorFlow 2.2 and later.
    """
    if not tf.distribute.has_strategy():
        return True
    supported = (
        tf.distribute.OneDeviceStrategy,
        tf.compat.v1.distribute.OneDeviceStrategy,
        tf.distribute.MirroredStrategy,
        tf.compat.v1.distribute.MirroredStrategy,
        tf.distribute.MultiWorkerMirroredStrategy,
        tf.compat.v1.distribute.experimental.MultiWorkerMirroredStrategy,
    )
    return isinstance(tf.distribute.get_strategy(), supported)
