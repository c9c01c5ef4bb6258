# SPDX-License-Identifier: Apache-2.0
"""Applying a step or skipping it, under any `tf.distribute` strategy that can be supported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeGuard

import tensorflow as tf

from compat_lossscale.core.branch import either
from compat_lossscale.core.deferred import DeferredUnscaling
from compat_lossscale.core.gradients import values_of, with_values
from compat_lossscale.core.loss_scale import (
    DynamicLossScale,
    FixedLossScale,
    LossScale,
    finite_on_all_replicas,
)
from compat_lossscale.core.step_log import StepLog


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
    log: StepLog | None = None,
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
        log: Counts what is skipped.

    Returns:
        `None` in eager mode, an operation in a graph.
    """
    gradients = list(gradients)
    if type(loss_scale) is FixedLossScale:
        return _group(apply(gradients))
    if _can_defer(loss_scale):
        given = [values_of(gradient) for gradient in gradients if gradient is not None]
        deferred = DeferredUnscaling(given)
        finite, scale = deferred.all_finite(), loss_scale()
        return _decide(
            _Verdict(loss_scale.advance(finite, log), finite, scale),
            lambda: apply(with_values(gradients, deferred.unscaled())),
            skip,
            log,
        )
    if tf.__internal__.distribute.strategy_supports_no_merge_call():
        verdict = _verdict(loss_scale, gradients, log)
        return _decide(verdict, lambda: apply(gradients), skip, log)

    # The decision is made, and the branch taken, in a cross-replica context: strategies have no
    # merge calls, of which the wrapped optimizers make some, inside a branch within a replica.
    def across_replicas(strategy: Any, gradients: list[Any]) -> Any:
        return _decide(
            _verdict(loss_scale, gradients, log),
            lambda: strategy.extended.call_for_each_replica(apply, args=(gradients,)),
            skip,
            log,
        )

    return tf.distribute.get_replica_context().merge_call(across_replicas, args=(gradients,))


class _Verdict(NamedTuple):
    """What becomes of a step.

    Attributes:
        update_op: Updates the loss scale; `None` in eager mode.
        should_apply: Whether the step is applied.
        scale: The loss scale during the step, if the package's rule moves it.
    """

    update_op: Any
    should_apply: Any
    scale: tf.Tensor | None = None


def _follows_our_rule(loss_scale: LossScale) -> TypeGuard[DynamicLossScale]:
    """Whether it is up to this package, and not to a user's subclass, how a step is judged."""
    return type(loss_scale).update is DynamicLossScale.update


def _can_defer(loss_scale: LossScale) -> TypeGuard[DynamicLossScale]:
    """Whether the gradients may be judged before they are unscaled."""
    return (
        not tf.executing_eagerly()
        and not tf.distribute.has_strategy()
        and _follows_our_rule(loss_scale)
        and loss_scale.initial_loss_scale >= 1
    )


def _verdict(loss_scale: LossScale, gradients: Any, log: StepLog | None) -> _Verdict:
    """Updates the loss scale."""
    if not _follows_our_rule(loss_scale):
        return _Verdict(*loss_scale.update(gradients))
    finite, scale = finite_on_all_replicas(gradients), loss_scale()
    return _Verdict(loss_scale.advance(finite, log), finite, scale)


def _decide(
    verdict: _Verdict, apply: Callable[[], Any], skip: Callable[[], Any], log: StepLog | None
) -> Any:
    update_op, should_apply, scale = verdict

    def applied() -> Any:
        noted = _group(log.note_applied()) if log else None
        return _grouped(_group(apply()), noted)

    def skipped() -> Any:
        noted = _group(log.note_skipped(scale)) if log else None
        return _grouped(_group(skip()), noted)

    if isinstance(should_apply, bool):
        done = applied() if should_apply else skipped()
    else:
        done = either(should_apply, applied, skipped)
    return _grouped(_group(done), update_op)


def _grouped(*operations: Any) -> Any:
    """Makes one operation of several; `None` is left out."""
    return tf.group(*(operation for operation in operations if operation is not None))


def _group(done: Any) -> Any:
    """Makes one operation, or `None` in eager mode, of whatever a branch returned."""
    if tf.executing_eagerly():
        return None
    strategy = tf.distribute.get_strategy()
    return tf.group(*strategy.experimental_local_results(done)) if done is not None else tf.no_op()
