# SPDX-License-Identifier: Apache-2.0
"""`MixedPrecisionLossScaleOptimizer`, the front end for optimizers of `tf.compat.v1.train`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat_lossscale.core import (
    DynamicLossScale,
    apply_or_skip,
    as_written,
    native,
    scale_loss,
    unscale_gradients,
    unzip,
)
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.members.counting import CountsSkippedSteps
from compat_lossscale.members.guards import GuardsScaling
from compat_lossscale.members.loss_scales import as_loss_scale, with_rule
from compat_lossscale.members.optimizer import check_in_replica_context
from compat_lossscale.spec import LossScaleRule


class MixedPrecisionLossScaleOptimizer(
    CountsSkippedSteps, GuardsScaling, native.MixedPrecisionLossScaleOptimizer
):
    """Wraps an optimizer of `tf.compat.v1.train` with loss scaling.

    Used like any optimizer of TensorFlow 1: `minimize`, or `compute_gradients` and
    `apply_gradients`; in a session, a `MonitoredTrainingSession`, or eagerly. With a dynamic loss
    scale, a step with a non-finite gradient changes neither variables nor `global_step`.

    Source: `tf.train.experimental.MixedPrecisionLossScaleOptimizer` of TensorFlow 1.14 to 2.4.

    Args:
        opt: The optimizer to wrap.
        loss_scale: `"dynamic"`, a Python int or float of at least 1, or a LossScale, whose state is
            then shared with the caller.
        rule: The rule by which a `"dynamic"` scale moves. TensorFlow has no such argument.

    Raises:
        ValueError: An argument is not of these kinds.
    """

    def __init__(self, opt: Any, loss_scale: Any, *, rule: LossScaleRule | None = None) -> None:
        if not isinstance(opt, tf.compat.v1.train.Optimizer):
            raise LossScaleArgumentError(
                f'"opt" must be an instance of Optimizer, but got: {type(opt)}. Optimizer is '
                "tf.compat.v1.train.Optimizer; a Keras optimizer is wrapped by "
                "compat_lossscale.LossScaleOptimizer."
            )
        made = as_loss_scale(loss_scale) if rule is None else with_rule(loss_scale, rule)
        super().__init__(opt, made)
        self._start_counting()
        if isinstance(opt, native.MixedPrecisionLossScaleOptimizer):
            self._guards.warn(
                "wrapped twice",
                "MixedPrecisionLossScaleOptimizer was given an optimizer that scales the loss "
                "already, so the loss is multiplied by both loss scales, and both decide whether "
                "to skip a step. Use the inner one as it is.",
            )
            if isinstance(opt, GuardsScaling):
                opt._guards.was_told_of("scaled twice")

    def _scale_loss(self, loss: Any) -> Any:
        if callable(loss):
            return as_written(lambda: self._scaled(loss(), "compute_gradients"))
        return self._scaled(loss, "compute_gradients")

    def _multiply(self, loss: Any, method: str) -> Any:
        del method
        return scale_loss(loss, self._loss_scale)

    def _unscale_grads(self, grads: Any) -> list[Any]:
        return unscale_gradients(grads, self._loss_scale())

    @as_written
    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Applies the gradients if they are finite and updates the loss scale.

        Args:
            grads_and_vars: Pairs of an unscaled gradient and a variable, from `compute_gradients`.
            global_step: A variable to count applied steps in.
            name: Name of the operation.

        Returns:
            An operation in a graph, of the given name or else that of the inner optimizer; `None`
            in eager mode.

        Raises:
            ValueError: Called in a cross-replica context.
        """
        check_in_replica_context("apply_gradients")
        inner_optimizer = self._optimizer
        if not isinstance(self._loss_scale, DynamicLossScale):
            # Whatever is not a DynamicLossScale was never asked to update, in any version.
            return inner_optimizer.apply_gradients(grads_and_vars, global_step, name)
        gradients, variables = unzip(grads_and_vars)
        name = self.get_name() if name is None else name
        inner_name = f"{name}-wrapped"  # One object for all replicas, or a strategy packs it.
        done = apply_or_skip(
            self._loss_scale,
            gradients,
            apply=lambda gradients: inner_optimizer.apply_gradients(
                list(zip(gradients, variables, strict=True)), global_step, inner_name
            ),
            applied=self._note_applied,
            skipped=self._count_skipped,
        )
        if tf.executing_eagerly():
            return None
        # Programs fetch it by name, so there is one for all replicas.
        return tf.distribute.get_replica_context().merge_call(
            lambda strategy, done: tf.group(*strategy.experimental_local_results(done), name=name),
            args=(done,),
        )
