# SPDX-License-Identifier: Apache-2.0
"""A step on TensorFlow: taken by the shared core, under any strategy that it supports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from compat_lossscale.arguments import from_spec
from compat_lossscale.core import (
    DynamicLossScale,
    LossScale,
    apply_or_skip,
    as_written,
    check_strategy,
    fixed_value,
    unscale_gradients,
)
from compat_lossscale.keras3 import private
from compat_lossscale.keras3.backends.inner_step import apply_by_inner
from compat_lossscale.spec import LossScaleSpec
from compat_lossscale.steps.counting import CountsSkippedSteps


class TensorFlowSteps(CountsSkippedSteps):
    """Translates the protocol of Keras 3's optimizers into calls of the core."""

    _spec: LossScaleSpec
    inner_optimizer: Any
    dynamic_scale: Any
    step_counter: Any
    _make_scale_variables: Callable[[], None]
    _variables_of: Callable[[list[Any]], Sequence[Any]]

    @property
    def _loss_scale(self) -> LossScale:  # type: ignore[override]  # made when it is first needed
        if "_core_loss_scale" not in self.__dict__:
            with self._outside_of_functions():
                self._make_scale_variables()
            self.__dict__["_core_loss_scale"] = (
                DynamicLossScale.of_variables(
                    private.tensorflow_variable(self.dynamic_scale),
                    private.tensorflow_variable(self.step_counter),
                    self._spec,
                    self._hysteresis_variable(),
                )
                if self._spec.dynamic
                else from_spec(self._spec)
            )
            with self._outside_of_functions():
                self._start_counting()
        loss_scale: LossScale = self.__dict__["_core_loss_scale"]
        return loss_scale

    def _hysteresis_variable(self) -> Any:
        variable = self.__dict__.get("hysteresis_left")
        return None if variable is None else private.tensorflow_variable(variable)

    @staticmethod
    def _outside_of_functions() -> Any:
        """Where variables are made: a `tf.function` could make them in its first trace only."""
        return tf.init_scope()

    @staticmethod
    def _traced_function() -> Any:
        """The graph of the function that is being traced; `None` outside of one."""
        return None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()

    def _fixed_scale(self) -> float | None:
        """The loss scale if it is fixed, and `None` otherwise."""
        return fixed_value(self._loss_scale)

    def _step_counter(self) -> Any:
        """The variable that counts applied steps."""
        return private.tensorflow_variable(private.step_variable(self.inner_optimizer))

    def _current_scale(self) -> tf.Tensor:
        return tf.convert_to_tensor(self._loss_scale())

    @as_written
    def _unscale(self, gradients: list[Any], scale: tf.Tensor) -> list[Any]:
        return unscale_gradients(gradients, scale)

    @as_written
    def _take_step(self, gradients: list[Any], variables: Any) -> None:
        """Applies unscaled gradients if they are finite, and moves the loss scale."""
        if tf.distribute.in_cross_replica_context():
            raise ValueError(
                "apply() must be called in a replica context: from a function that "
                "strategy.run() calls."
            )
        check_strategy()
        inner_optimizer = self.inner_optimizer

        def apply(gradients: list[Any]) -> None:
            apply_by_inner(inner_optimizer, gradients, variables)

        apply_or_skip(
            self._loss_scale,
            gradients,
            apply,
            applied=self._note_applied,
            skipped=self._count_skipped,
            inspect=self._overflow_inspection(
                gradients, variables or self._variables_of(gradients)
            ),
        )
