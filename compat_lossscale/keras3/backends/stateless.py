# SPDX-License-Identifier: Apache-2.0
"""A step without side effects, in Keras' own operations: on JAX there is no other."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from compat_lossscale.errors import (
    LossScaleArgumentError,
    LossScaleMisuseError,
    NotCountedError,
)
from compat_lossscale.keras3 import private
from compat_lossscale.keras3.overflow_record import RecordsOverflowsInPython
from compat_lossscale.spec import (
    LossScaleRule,
    LossScaleSpec,
    Operations,
    ScaleState,
    next_state,
)

_OPERATIONS = Operations(
    select=ops.where,
    divide=ops.divide,
    maximum=ops.maximum,
    minimum=ops.minimum,
    is_finite=ops.isfinite,
    float32=lambda number: number,
)
"""The update rule's arithmetic on float32 and integer scalar tensors."""

_NOT_COUNTED = ("skipped_steps", "last_step_skipped")
"""What optimizers of the other backends have."""


class StatelessSteps(RecordsOverflowsInPython):
    """Takes a step on values, and returns the values after it."""

    _spec: LossScaleSpec
    _counts_skipped_too: bool
    inner_optimizer: Any
    built: bool
    initial_scale: float
    dynamic_scale: Any
    step_counter: Any
    variables: list[Any]

    @staticmethod
    def _outside_of_functions() -> Any:
        """Where variables are made: here, it makes no difference."""
        return contextlib.nullcontext()

    @staticmethod
    def _traced_function() -> Any:
        """The function that is being traced, of which nothing is known here."""

    def _fixed_scale(self) -> float | None:
        """The loss scale if it is fixed, and `None` otherwise."""
        return None if self._spec.dynamic else self.initial_scale

    def _current_scale(self) -> Any:
        # Before the optimizer is built there is no variable; where a function is traced, none may
        # be made.
        if "dynamic_scale" not in self.__dict__ or not self._spec.dynamic:
            return ops.convert_to_tensor(self.initial_scale, "float32")
        return ops.convert_to_tensor(self.dynamic_scale)

    def _unscale(self, gradients: list[Any], scale: Any) -> list[Any]:
        # As TensorFlow's own classes do: a product with the reciprocal.
        reciprocal = ops.divide(1.0, scale)
        return [
            None if one is None else ops.multiply(one, ops.cast(reciprocal, one.dtype))
            for one in gradients
        ]

    def _take_step(self, gradients: list[Any], variables: Any) -> None:
        raise LossScaleMisuseError(
            f"On {keras.backend.backend()}, an optimizer with loss scaling cannot change variables "
            "in place. Use trainable_variables, optimizer_variables = "
            "optimizer.stateless_apply(optimizer_variables, gradients, trainable_variables)."
        )

    def _step_on_values(
        self, optimizer_variables: Sequence[Any], gradients: list[Any], trainable: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        """Applies unscaled gradients if they are finite, and moves the loss scale.

        Args:
            optimizer_variables: The values of `variables`.
            gradients: The gradients, `None` where there is none.
            trainable: The values of the variables that the optimizer was built for.

        Returns:
            The values after the step: of the trained variables, and of `variables`.
        """
        inner_optimizer = self.inner_optimizer
        count = len(self.variables) - len(inner_optimizer.variables)
        own, inner = list(optimizer_variables[:count]), list(optimizer_variables[count:])
        dynamic = self._spec.dynamic

        def applied() -> tuple[list[Any], list[Any]]:
            new_trainable, new_inner = inner_optimizer.stateless_apply(
                inner, gradients, list(trainable)
            )
            return list(new_trainable), [*self._moved(own, True), *new_inner]

        def skipped() -> tuple[list[Any], list[Any]]:
            counted = self._counted(inner)
            self._note_overflow(gradients, counted[self._place_of_steps()])
            return list(trainable), [*self._moved(own, False), *counted]

        if not dynamic:
            return applied()
        result: tuple[list[Any], list[Any]] = ops.cond(all_finite(gradients), applied, skipped)
        return result

    def _moved(self, own: list[Any], finite: bool) -> list[Any]:
        """The values of this optimizer's own variables after a step."""
        numbers = self._spec.numbers
        if numbers is None:
            return own
        places = [_place(self.variables, one) for one in self._scale_variables()]
        state = ScaleState(*(own[place] for place in places))
        after = next_state(state, finite, numbers, _OPERATIONS)
        moved = list(own)
        for place, value in zip(places, after, strict=False):
            moved[place] = ops.cast(value, self.variables[place].dtype)
        return moved

    def _scale_variables(self) -> list[Any]:
        """The variables of a dynamic loss scale, in the order of `ScaleState`."""
        variables = [self.dynamic_scale, self.step_counter]
        left = self.__dict__.get("hysteresis_left")
        return variables if left is None else [*variables, left]

    def _stated_rule(self) -> LossScaleRule | None:
        """The rule, if one was stated."""
        return self._spec.rule

    @property
    def loss_scale_rule(self) -> LossScaleRule | None:
        """The rule by which a dynamic loss scale moves; `None` if fixed.

        Raises:
            LossScaleArgumentError: It is set, and cannot change.
        """
        return self._spec.whole_rule

    @loss_scale_rule.setter
    def loss_scale_rule(self, rule: LossScaleRule) -> None:
        self._change_rule(rule)

    def _change_rule(self, rule: LossScaleRule) -> None:
        del rule
        raise LossScaleArgumentError(
            f"On {keras.backend.backend()}, the numbers of a rule are compiled into the step. Make "
            "a new optimizer with the other rule, and give it the variables of this one."
        )

    def _counted(self, inner: list[Any]) -> list[Any]:
        """The values of the inner optimizer's variables after a step that is skipped."""
        if not self._counts_skipped_too:
            return inner
        place = self._place_of_steps()
        return [*inner[:place], inner[place] + 1, *inner[place + 1 :]]

    def _place_of_steps(self) -> int:
        """Where the inner optimizer's variables have the one that counts steps."""
        return _place(self.inner_optimizer.variables, private.step_variable(self.inner_optimizer))

    def __getattr__(self, name: str) -> Any:
        if name not in _NOT_COUNTED:
            return object.__getattribute__(self, name)  # Python's own words.
        raise NotCountedError(
            f"Skipped steps are not counted on {keras.backend.backend()}, where an optimizer has "
            "no state beyond its variables. Look at the loss scale instead: it shrinks when a step "
            "is skipped. LossScaleLogger(every=1) counts skipped steps that way."
        )


def all_finite(gradients: list[Any]) -> Any:
    """Whether no gradient holds a NaN or an infinity, a bool scalar tensor; `None` is left out."""
    finite = [ops.all(ops.isfinite(one)) for one in gradients if one is not None]
    return ops.all(ops.stack(finite)) if finite else ops.convert_to_tensor(True)


def _place(variables: Sequence[Any], variable: Any) -> int:
    return next(place for place, one in enumerate(variables) if one is variable)
