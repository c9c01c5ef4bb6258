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
from compat_lossscale.steps.guards import MisuseGuards
from compat_lossscale.steps.tensor_notes import TensorNotes

_OPERATIONS = Operations(
    select=ops.where,
    divide=ops.divide,
    maximum=ops.maximum,
    minimum=ops.minimum,
    is_finite=ops.isfinite,
    float32=lambda number: number,
)
"""The update rule's arithmetic on float32 and integer scalar tensors."""

_factors: TensorNotes[tuple[Any, Any]] = TensorNotes("_factors")
"""Of an unscaled gradient in a function that JAX traces: the scaled one, and its factor."""
_NOT_COUNTED = ("skipped_steps", "last_step_skipped")
"""What optimizers of the other backends have."""
_ROUNDED = ("float32", "float64")
"""The dtypes whose rounding XLA does not skip between operations."""


class StatelessSteps(RecordsOverflowsInPython):
    """Takes a step on values, and returns the values after it."""

    _knows_functions = False
    """Whether calls in a function that is traced once can be told from others."""
    _guards: MisuseGuards
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

    def _check_range(self, loss: Any, scaled: Any) -> None:
        """Warns if a fixed loss scale makes a float16 loss infinite, whatever its value."""
        del loss, scaled
        self._guards.check_range(self._fixed_scale())

    def _check_unaltered(self, gradients: list[Any], method: str) -> None:
        """Does nothing: tensors do not tell where they come from."""

    def _current_scale(self) -> Any:
        # Before the optimizer is built there is no variable; where a function is traced, none may
        # be made.
        if "dynamic_scale" not in self.__dict__ or not self._spec.dynamic:
            return ops.convert_to_tensor(self.initial_scale, "float32")
        return ops.convert_to_tensor(self.dynamic_scale)

    def _unscale(self, gradients: list[Any], scale: Any) -> list[Any]:
        # As TensorFlow's own classes do: a product with the reciprocal.
        reciprocal = ops.divide(1.0, scale)
        return [None if one is None else _product(one, reciprocal) for one in gradients]

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
            ready = [_again_in_branch(one) for one in gradients] if dynamic else gradients
            new_trainable, new_inner = inner_optimizer.stateless_apply(
                inner, ready, list(trainable)
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


def _product(gradient: Any, factor: Any) -> Any:
    """Multiplies a gradient in its own dtype. While JAX traces, the product's factors are noted."""
    product = ops.multiply(gradient, ops.cast(factor, gradient.dtype))
    if _is_traced(product) and keras.backend.standardize_dtype(product.dtype) in _ROUNDED:
        _factors.write([product], (gradient, factor))
    return product


def _is_traced(tensor: Any) -> bool:
    if keras.backend.backend() != "jax":
        return False
    import jax  # noqa: PLC0415  # not installed with every backend

    return isinstance(tensor, jax.core.Tracer)


def _again_in_branch(gradient: Any) -> Any:
    """Unscales a gradient again in the branch of a step whose gradients are finite.

    What enters a branch is stored before. What is computed in it is not, if a sum follows.

    Args:
        gradient: A gradient as it comes to the branch, or `None`.

    Returns:
        The same to the bit, computed in the branch if the gradient is noted as a product.
    """
    noted = _factors.of(gradient)
    if noted is None:
        return gradient
    scaled, factor = noted
    product = ops.multiply(scaled, ops.cast(factor, scaled.dtype))
    # XLA computes a product and the sum that follows it as one, with one rounding. This selection,
    # whose condition always holds here, keeps them apart.
    return ops.where(ops.isfinite(product), product, scaled)


def _place(variables: Sequence[Any], variable: Any) -> int:
    return next(place for place, one in enumerate(variables) if one is variable)
