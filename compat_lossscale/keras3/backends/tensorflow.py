# SPDX-License-Identifier: Apache-2.0
"""A step on TensorFlow: taken by the shared core, under any strategy that it supports."""

from __future__ import annotations

import math
from typing import Any

import keras
import tensorflow as tf

from compat_lossscale import core
from compat_lossscale.keras3 import private
from compat_lossscale.keras3.private import apply_by_inner
from compat_lossscale.members.guards import warn_that_it_starts_again
from compat_lossscale.members.loss_scales import from_spec
from compat_lossscale.members.optimizer import (
    CountsSkippedSteps,
    check_in_replica_context,
    check_strategy,
)
from compat_lossscale.spec import LossScaleSpec

_LARGEST_WITH_RECIPROCAL = 2.0**126
"""The largest number whose reciprocal float32 holds as a normal number."""


class TensorFlowSteps(CountsSkippedSteps, keras.optimizers.LossScaleOptimizer):
    """Translates the protocol of Keras 3's optimizers into calls of the core."""

    _spec: LossScaleSpec

    @property
    def _loss_scale(self) -> core.LossScale:  # type: ignore[override]  # made when it is first needed
        if "_core_loss_scale" not in self.__dict__:
            with self._outside_of_functions():
                self._make_scale_variables()
            left = self.__dict__.get("hysteresis_left")
            self.__dict__["_core_loss_scale"] = (
                core.DynamicLossScale.of_variables(
                    private.tensorflow_variable(self.dynamic_scale),
                    private.tensorflow_variable(self.step_counter),
                    self._spec,
                    None if left is None else private.tensorflow_variable(left),
                )
                if self._spec.dynamic
                else from_spec(self._spec)
            )
            with self._outside_of_functions():
                self._start_counting()
        loss_scale: core.LossScale = self.__dict__["_core_loss_scale"]
        return loss_scale

    @staticmethod
    def _outside_of_functions() -> Any:
        """Where variables are made: a `tf.function` could make them in its first trace only."""
        return tf.init_scope()

    @staticmethod
    def _traced_function() -> Any:
        """The graph of the function that is being traced; `None` outside of one."""
        return None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()

    @core.as_written  # AutoGraph cannot rewrite a function that has no statement, and warns.
    def _check_not_constant(self, tensors: list[Any], method: str) -> None:
        """Does nothing: functions read the variable each time that they run."""

    def _step_counter(self) -> Any:
        """The variable that counts applied steps."""
        return private.tensorflow_variable(private.step_variable(self.inner_optimizer))

    def _current_scale(self) -> tf.Tensor:
        return tf.convert_to_tensor(self._loss_scale())

    @core.as_written
    def _unscale(self, gradients: list[Any], scale: tf.Tensor) -> list[Any]:
        fixed = self._fixed_scale()
        hidden = fixed is not None and fixed > _LARGEST_WITH_RECIPROCAL
        return [None if one is None else _divided(one, scale, hidden) for one in gradients]

    def _restart_if_infinite(self) -> Any:
        """Starts the loss scale again if it is infinite or NaN: half of it is so too."""
        loss_scale = self._loss_scale
        if not core.moves_by_the_rule(loss_scale):
            return None
        variable, initial = loss_scale.current_loss_scale, loss_scale.initial_loss_scale
        scale = tf.convert_to_tensor(variable)
        if not tf.executing_eagerly():
            useful = tf.where(tf.math.is_finite(scale), scale, initial)
            return variable.assign(useful, read_value=False)
        if not math.isfinite(scale):
            variable.assign(initial)
            warn_that_it_starts_again(float(scale), initial)
        return None

    @core.as_written
    def _take_step(self, gradients: list[Any], variables: Any, scaled: bool) -> None:
        """Applies gradients if they are finite, and moves the loss scale.

        In a function, gradients that are scaled are unscaled in the branch that applies them, as in
        Keras' own class: TensorFlow's graph optimizer folds constants otherwise in another place.
        """
        check_in_replica_context("apply")
        check_strategy()
        inner_optimizer, loss_scale = self.inner_optimizer, self._loss_scale
        trained = variables or self._variables_of(gradients)

        def apply(gradients: list[Any]) -> None:
            apply_by_inner(inner_optimizer, [*map(_with_rows_once, gradients)], variables)

        def unscale_and_apply(values: list[Any]) -> None:
            *gradients, scale, _ = values
            apply(self._unscaled(gradients, trained, scale))

        in_branch = scaled and not tf.executing_eagerly()
        if scaled:
            scale = self._current_scale()
            # With a loss scale of 0 each gradient is 0, which is finite, and its quotient NaN.
            gradients = (
                [*gradients, scale, 1.0 / scale]
                if in_branch
                else self._unscaled(gradients, trained, scale)
            )
        core.apply_or_skip(
            loss_scale,
            gradients,
            unscale_and_apply if in_branch else apply,
            applied=self._note_applied,
            skipped=lambda stuck: (self._count_skipped(stuck), self._restart_if_infinite()),
        )


def _divided(gradient: Any, scale: tf.Tensor, hidden: bool) -> Any:
    """Divides a gradient as `keras.ops.divide` does, in less time.

    With `hidden`, TensorFlow is kept from seeing that all elements are divided by one constant. In
    a function it would multiply by the reciprocal, which is 0 where denormals are.
    """
    if isinstance(gradient, tf.IndexedSlices):
        values = _divided(gradient.values, scale, hidden)
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    gradient = tf.convert_to_tensor(gradient)
    if gradient.dtype == tf.float64:
        scale = tf.cast(scale, tf.float64)
    elif gradient.dtype != tf.float32:
        gradient = tf.cast(gradient, tf.float32)
    if hidden:
        scale = tf.where(tf.equal(gradient, gradient), scale, tf.ones_like(scale))
    return tf.realdiv(gradient, scale)


@core.as_written
def _with_rows_once(gradient: Any) -> Any:
    """Sums the rows of a sparse gradient that are for one row of the variable, as tf-keras does.

    Keras 3's optimizers square row by row. With several rows for one, as of a word that occurs
    twice, Adam's second moment gets the sum of their squares and not the square of their sum.
    """
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient
    if tf.distribute.get_strategy().num_replicas_in_sync > 1:
        # The optimizer joins the rows of all replicas, and sums dense gradients.
        return tf.convert_to_tensor(gradient)
    indices, places = tf.unique(gradient.indices)
    rows = tf.math.unsorted_segment_sum(gradient.values, places, tf.shape(indices)[0])
    return tf.IndexedSlices(rows, indices, gradient.dense_shape)
