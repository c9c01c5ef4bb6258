# SPDX-License-Identifier: Apache-2.0
"""Applying a step or skipping it, under any `tf.distribute` strategy that can be supported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from compat_lossscale.core.branch import either
from compat_lossscale.core.deferred import DeferredUnscaling
from compat_lossscale.core.gradients import values_of, with_values
from compat_lossscale.core.loss_scale import DynamicLossScale, FixedLossScale, LossScale


def strategy_is_supported() -> bool:
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


def check_strategy() -> None:
    """Refuses strategies under which loss scaling would go wrong.

    Raises:
        ValueError: The current strategy is not supported; TPU strategies get an explanation of
            their own. Source: TensorFlow 2.2 and later.
    """
    if strategy_is_supported():
        return
    strategy = tf.distribute.get_strategy()
    if isinstance(strategy, tf.distribute.TPUStrategy):
        raise ValueError(
            "Loss scaling is not supported with TPUStrategy, and not needed: TPUs compute in "
            "bfloat16, which has float32's range. Remove the LossScaleOptimizer when you use TPUs."
        )
    raise ValueError(
        "Loss scaling is not supported with the tf.distribute.Strategy: "
        f"{type(strategy).__name__}. Try using a different Strategy, e.g. a MirroredStrategy."
    )


def apply_or_skip(
    loss_scale: LossScale,
    gradients: Sequence[Any],
    apply: Callable[[list[Any]], Any],
    skip: Callable[[], Any],
) -> Any:
    """Updates the loss scale, then applies the step if the loss scale allows and skips it if not.

    Must be called in a replica context. If one replica has a non-finite gradient, all skip.

    Args:
        loss_scale: The loss scale, which decides.
        gradients: This replica's unscaled gradients.
        apply: Applies the given gradients, in a replica context. It should hold the variables in
            its closure: a strategy would unwrap mirrored variables given as arguments, and the
            wrapped optimizer expects them mirrored.
        skip: Is called instead of `apply`, in a cross-replica context.

    Returns:
        `None` in eager mode, an operation in a graph.
    """
    gradients = list(gradients)
    if type(loss_scale) is FixedLossScale:
        return _group(apply(gradients))
    if _can_defer(loss_scale):
        return _decide_before_unscaling(loss_scale, gradients, apply, skip)
    if tf.__internal__.distribute.strategy_supports_no_merge_call():
        return _decide(loss_scale, gradients, lambda: apply(gradients), skip)

    # The decision is made, and the branch taken, in a cross-replica context: strategies have no
    # merge calls, of which the wrapped optimizers make some, inside a branch within a replica.
    def across_replicas(strategy: Any, gradients: list[Any]) -> Any:
        return _decide(
            loss_scale,
            gradients,
            lambda: strategy.extended.call_for_each_replica(apply, args=(gradients,)),
            skip,
        )

    return tf.distribute.get_replica_context().merge_call(across_replicas, args=(gradients,))


def _can_defer(loss_scale: LossScale) -> bool:
    """Whether the gradients are this graph's own, and the package's rule decides."""
    return (
        not tf.executing_eagerly()
        and not tf.distribute.has_strategy()
        and type(loss_scale).update is DynamicLossScale.update
        and loss_scale.initial_loss_scale >= 1
    )


def _decide_before_unscaling(
    loss_scale: DynamicLossScale,
    gradients: list[Any],
    apply: Callable[[list[Any]], Any],
    skip: Callable[[], Any],
) -> Any:
    deferred = DeferredUnscaling([values_of(gradient) for gradient in gradients])
    finite = deferred.all_finite()
    update_op = loss_scale.advance(finite)
    done = either(
        finite,
        lambda: _group(apply(with_values(gradients, deferred.unscaled()))),
        lambda: _group(skip()),
    )
    return tf.group(_group(done), update_op)


def _decide(
    loss_scale: LossScale, gradients: Any, apply: Callable[[], Any], skip: Callable[[], Any]
) -> Any:
    update_op, should_apply = loss_scale.update(gradients)
    if isinstance(should_apply, bool):
        done = apply() if should_apply else skip()
    else:
        done = tf.cond(should_apply, lambda: _group(apply()), lambda: _group(skip()))
    return tf.group(*(op for op in (_group(done), update_op) if op is not None))


def _group(done: Any) -> Any:
    """Makes one operation, or `None` in eager mode, of whatever a branch returned."""
    if tf.executing_eagerly():
        return None
    strategy = tf.distribute.get_strategy()
    return tf.group(*strategy.experimental_local_results(done)) if done is not None else tf.no_op()
