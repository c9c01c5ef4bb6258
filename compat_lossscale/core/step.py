# SPDX-License-Identifier: Apache-2.0
"""Applying a step or skipping it, under any `tf.distribute` strategy that can be supported."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from compat_lossscale.core.branch import either
from compat_lossscale.core.deferred import DeferredUnscaling
from compat_lossscale.core.folding import fold_into_learning_rates
from compat_lossscale.core.gradients import values_of, with_values
from compat_lossscale.core.loss_scale import (
    DynamicLossScale,
    FixedLossScale,
    LossScale,
    moves_by_the_rule,
    stays_a_power_of_2,
)
from compat_lossscale.core.replicas import finite_on_all_replicas
from compat_lossscale.core.step_log import StepLog
from compat_lossscale.core.turns import take_turns


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
    counter: Callable[[], Any] | None = None,
    log: StepLog | None = None,
    *,
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
        counter: Gives the variable that counts skipped steps as well as applied ones, if any
            does. The latter `apply` counts.
        log: Counts what is skipped.
        summed: Whether the strategy has summed the gradients, so that each replica has the same.

    Returns:
        `None` in eager mode, an operation in a graph.
    """
    gradients = list(gradients)
    if type(loss_scale) is FixedLossScale:
        return _together(_apply_always(loss_scale, gradients, apply))
    step = _Step(loss_scale, counter, log, summed)
    if not tf.distribute.has_strategy():
        return step.take(gradients, _call, apply)
    if tf.__internal__.distribute.strategy_supports_no_merge_call():
        return step.judge(gradients, lambda: apply(gradients))

    # The decision is made, and the branch taken, in a cross-replica context: strategies have no
    # merge calls, of which the wrapped optimizers make some, inside a branch within a replica.
    return tf.distribute.get_replica_context().merge_call(
        lambda strategy, gradients: step.take(
            gradients,
            lambda function, *args: strategy.extended.call_for_each_replica(function, args=args),
            apply,
        ),
        args=(gradients,),
    )


def _apply_always(
    loss_scale: FixedLossScale, gradients: list[Any], apply: Callable[[list[Any]], Any]
) -> Any:
    if tf.executing_eagerly() or not stays_a_power_of_2(loss_scale):
        return apply(gradients)
    before = tf.compat.v1.get_default_graph().version
    done = apply(gradients)
    fold_into_learning_rates([values_of(one) for one in gradients if one is not None], before)
    return done


def _call(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)


@dataclasses.dataclass(frozen=True)
class _Step:
    """A step that is applied or skipped.

    Attributes:
        loss_scale: The loss scale, which decides.
        counter: Gives the variable that counts skipped steps too, if any does.
        log: Counts what is skipped.
        summed: Whether each replica has the same gradients.
    """

    loss_scale: LossScale
    counter: Callable[[], Any] | None
    log: StepLog | None
    summed: bool

    @property
    def _our_rule(self) -> DynamicLossScale | None:
        return self.loss_scale if moves_by_the_rule(self.loss_scale) else None

    def take(
        self,
        gradients: list[Any],
        on_each_replica: Callable[..., Any],
        apply: Callable[[list[Any]], Any],
    ) -> Any:
        """Decides about a step, and takes it.

        Args:
            gradients: Unscaled gradients; in a cross-replica context, those of all replicas.
            on_each_replica: Calls a function with each replica's own arguments.
            apply: Applies one replica's gradients.
        """
        if not self._can_defer():
            return self.judge(gradients, lambda: on_each_replica(apply, gradients))

        def put_off(gradients: list[Any]) -> DeferredUnscaling:
            return DeferredUnscaling([values_of(one) for one in gradients if one is not None])

        def unscale_and_apply(deferred: DeferredUnscaling, gradients: list[Any]) -> Any:
            unscaled = deferred.unscaled()
            done = apply(with_values(gradients, unscaled))
            if stays_a_power_of_2(self.loss_scale):
                fold_into_learning_rates(unscaled)
            take_turns(unscaled)
            return done

        deferred = on_each_replica(put_off, gradients)
        finite = finite_on_all_replicas(
            deferred, ask=DeferredUnscaling.all_finite, equal_on_all=self.summed
        )
        return self.decide(
            finite, lambda: on_each_replica(unscale_and_apply, deferred, gradients), gradients
        )

    def _can_defer(self) -> bool:
        """Whether the gradients may be judged before they are unscaled."""
        return (
            not tf.executing_eagerly()
            and self._our_rule is not None
            and self._our_rule.initial_loss_scale >= 1
        )

    def judge(self, gradients: Any, apply: Callable[[], Any]) -> Any:
        """Asks the loss scale about the unscaled gradients; then applies or skips."""
        if self._our_rule is not None:
            finite = finite_on_all_replicas(gradients, equal_on_all=self.summed)
            return self.decide(finite, apply, gradients)
        update_op, should_apply = self.loss_scale.update(gradients)
        return _together(self.decide(should_apply, apply, gradients), update_op)

    def decide(self, should_apply: Any, apply: Callable[[], Any], gradients: Any) -> Any:
        """Applies or skips; in the branch that is taken, the rule need not ask which it is."""
        if isinstance(should_apply, bool) or tf.executing_eagerly():
            return self._applied(apply) if should_apply else self._skipped()
        values = (values_of(one) for one in tf.nest.flatten(gradients) if tf.is_tensor(one))
        return _together(
            either(should_apply, lambda: self._applied(apply), self._skipping(), using=values)
        )

    def _applied(self, apply: Callable[[], Any]) -> Any:
        return _together(self._moved(True), apply())

    def _skipping(self) -> Callable[[], Any]:
        if self._our_rule is None:
            return self._skipped
        with tf.init_scope():
            counter = self.counter and self.counter()
        return self._our_rule.skipping(self.log, counter)

    def _skipped(self) -> Any:
        counted = self.counter and self.counter().assign_add(1, read_value=False)
        return _together(self._moved(False), counted)

    def _moved(self, finite: bool) -> Any:
        if self._our_rule is not None:
            return self._our_rule.advance(finite, self.log)
        return self.log.note(applied=finite) if self.log else None


def _together(*done: Any) -> Any:
    """Makes one operation, or `None` in eager mode, of whatever was done."""
    if tf.executing_eagerly():
        return None
    results = tf.distribute.get_strategy().experimental_local_results
    return tf.group(*(one for each in done if each is not None for one in results(each)))
