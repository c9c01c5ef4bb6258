# SPDX-License-Identifier: Apache-2.0
"""A step in Keras' own operations: without side effects on JAX, and at once on PyTorch."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from compat_lossscale.errors import (
    LossScaleArgumentError,
    LossScaleMisuseError,
    LossScaleStuckError,
    NotCountedError,
)
from compat_lossscale.keras3 import private
from compat_lossscale.keras3.private import apply_by_inner
from compat_lossscale.members.guards import (
    AT_FLOOR,
    warn_that_it_is_stuck,
    warn_that_it_starts_again,
)
from compat_lossscale.spec import LossScaleRule, LossScaleSpec, Operations, ScaleState, next_state

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
_INSTEAD_OF_SCALE_LOSS = (
    "Call stateless_scale_loss(optimizer_variables, loss), with the optimizer_variables that "
    "stateless_apply() is given."
)
_IN_A_SCOPE = (
    "Call {}() in `with keras.StatelessScope(state_mapping=zip(optimizer.variables, "
    "optimizer_variables)):`, with the optimizer_variables that stateless_apply() is given."
)


class StatelessSteps(keras.optimizers.LossScaleOptimizer):
    """Takes a step on values, and returns the values after it."""

    _spec: LossScaleSpec

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

    def _check_not_constant(self, tensors: list[Any], method: str) -> None:
        """Warns if JAX takes the value that the loss scale has now for a constant of a function."""
        if keras.backend.backend() != "jax" or not self._spec.dynamic:
            return
        import jax  # noqa: PLC0415  # not installed with every backend

        scale = self._current_scale()
        if isinstance(scale, jax.core.Tracer) or not any(
            isinstance(one, jax.core.Tracer) for one in jax.tree_util.tree_leaves(tensors)
        ):
            return
        # A function that is only differentiated has tracers too, and runs with today's loss scale.
        # Where JAX compiles, what is computed from constants is traced as well.
        if isinstance(ops.add(scale, 0.0), jax.core.Tracer):
            in_a_scope = _IN_A_SCOPE.format(method)
            self._guards.warn(
                "constant",
                f"{method}() was called in a function that JAX compiles, where the variables of "
                f"this optimizer are not traced. The loss scale that it has now, {float(scale):g}, "
                "becomes a constant of the function, while stateless_apply() uses the one that "
                "moves: the updates become too small or too large, or every step is skipped. "
                f"{_INSTEAD_OF_SCALE_LOSS if method == 'scale_loss' else in_a_scope}",
            )

    def _current_scale(self) -> Any:
        # Before the optimizer is built there is no variable; where a function is traced, none may
        # be made.
        if "dynamic_scale" not in self.__dict__ or not self._spec.dynamic:
            return ops.convert_to_tensor(self.initial_scale, "float32")
        return ops.convert_to_tensor(self.dynamic_scale)

    def _unscale(self, gradients: list[Any], scale: Any, *, in_branch: bool = False) -> list[Any]:
        # Quotients, as in Keras' own class: in float16, the reciprocal of a scale above 2 ** 24 is
        # 0. In the branch, the same operation in the same place gives the same bits.
        if in_branch or keras.backend.backend() != "jax":
            return [None if one is None else ops.divide(one, scale) for one in gradients]
        return [None if one is None else _quotient(one, scale) for one in gradients]

    def _take_step(self, gradients: list[Any], variables: Any, scaled: bool) -> None:
        raise LossScaleMisuseError(
            f"On {keras.backend.backend()}, an optimizer with loss scaling cannot change variables "
            "in place. Use trainable_variables, optimizer_variables = "
            "optimizer.stateless_apply(optimizer_variables, gradients, trainable_variables)."
        )

    def _step_on_values(
        self,
        optimizer_variables: Sequence[Any],
        gradients: list[Any],
        trainable: Sequence[Any],
        scaled: bool,
    ) -> tuple[list[Any], list[Any]]:
        """Applies gradients if they are finite, and moves the loss scale.

        Gradients that are scaled are unscaled in the branch that applies them, as in Keras' own
        class: what enters a branch is stored before, and what is computed in it need not be.

        Takes the values of `variables`, and as `trainable` those of the variables that the
        optimizer was built for. Returns the values after the step: of the trained variables, and of
        `variables`.
        """
        inner_optimizer = self.inner_optimizer
        count = len(self.variables) - len(inner_optimizer.variables)
        own, inner = list(optimizer_variables[:count]), list(optimizer_variables[count:])
        dynamic = self._spec.dynamic

        def applied() -> tuple[list[Any], list[Any]]:
            unscaled = gradients
            if scaled:
                variables, scale = self._variables_of(gradients), self._current_scale()
                unscaled = self._unscaled(gradients, variables, scale, in_branch=dynamic)
            new_trainable, new_inner = inner_optimizer.stateless_apply(
                inner, unscaled, list(trainable)
            )
            return list(new_trainable), [*self._moved(own, True), *new_inner]

        def skipped() -> tuple[list[Any], list[Any]]:
            return list(trainable), [*self._moved(own, False), *self._counted(inner)]

        if not dynamic:
            return applied()
        # A loss scale of 0 makes each gradient 0, which is finite, and its quotient NaN.
        checked = [*gradients, ops.divide(1.0, self._current_scale())] if scaled else gradients
        result: tuple[list[Any], list[Any]] = ops.cond(all_finite(checked), applied, skipped)
        return result

    def _moved(self, own: list[Any], finite: bool) -> list[Any]:
        """The values of this optimizer's own variables after a step."""
        numbers = self._spec.numbers
        if numbers is None:
            return own
        places = [_place(self.variables, one) for one in self._scale_variables()]
        state = ScaleState(*(own[place] for place in places))
        after = next_state(state, finite, numbers, _OPERATIONS)
        if not finite:
            # Half of an infinite scale is infinite: every step would be skipped.
            is_useful = ops.isfinite(state.scale)
            after = after._replace(scale=ops.where(is_useful, after.scale, self.initial_scale))
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
        steps = private.step_variable(self.inner_optimizer)
        place = _place(self.inner_optimizer.variables, steps)
        return [*inner[:place], inner[place] + 1, *inner[place + 1 :]]

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


def _quotient(gradient: Any, scale: Any) -> Any:
    """Divides a gradient on JAX so that XLA does not compute a product with the reciprocal.

    It takes the reciprocal of a loss scale above 2 ** 126 for 0, as that is denormal. It does so
    where it knows that all elements are divided by one number.
    """
    if hasattr(gradient, "todense"):  # A sparse one has no comparison.
        return ops.divide(gradient, scale)
    return ops.divide(gradient, ops.where(ops.equal(gradient, gradient), scale, 1.0))


def _place(variables: Sequence[Any], variable: Any) -> int:
    return next(place for place, one in enumerate(variables) if one is variable)


class EagerSteps(StatelessSteps):
    """Takes a step on variables."""

    _skipped = 0
    _last_step_was_skipped = False
    _steps_at_floor = 0
    _has_said_it_is_stuck = False

    def _take_step(self, gradients: list[Any], variables: Any, scaled: bool) -> None:
        """Applies gradients if they are finite, and moves the loss scale."""
        if scaled:
            trained = variables or self._variables_of(gradients)
            gradients = self._unscaled(gradients, trained, self._current_scale())
        finite = not self._spec.dynamic or bool(all_finite(gradients))
        if finite:
            apply_by_inner(self.inner_optimizer, gradients, variables)
        elif self._counts_skipped_too:
            private.step_variable(self.inner_optimizer).assign_add(1)
        if self._spec.dynamic:
            self._move(finite)
            self._last_step_was_skipped = not finite
            self._skipped += not finite

    def _move(self, finite: bool) -> None:
        numbers = self._spec.numbers
        assert numbers is not None
        variables = self._scale_variables()
        before = ScaleState(*(ops.convert_to_numpy(one).item() for one in variables))
        if not (finite or math.isfinite(before.scale)):
            self._restart()
            warn_that_it_starts_again(before.scale, self.initial_scale)
            return
        after = next_state(before, finite, numbers)
        for variable, old, new in zip(variables, before, after, strict=False):
            if new != old:
                variable.assign(new)
        has_shrunk = after.scale != before.scale or after.hysteresis_left != before.hysteresis_left
        if not (finite or has_shrunk):
            self._note_floor()

    def _note_floor(self) -> None:
        """Notes a skipped step at the floor, and does what the rule says."""
        self._steps_at_floor += 1
        rule = self._spec.rule or LossScaleRule()
        if self._steps_at_floor < rule.floor_steps:
            return
        if rule.on_floor == "raise":
            raise LossScaleStuckError(AT_FLOOR)
        if rule.on_floor == "warn" and not self._has_said_it_is_stuck:
            self._has_said_it_is_stuck = True
            warn_that_it_is_stuck(rule.min_scale)

    def _change_rule(self, rule: LossScaleRule) -> None:
        spec = LossScaleSpec(initial_scale=self._spec.initial_scale, rule=rule)
        if not self._spec.dynamic or (spec.rule is None) or (self._spec.rule is None):
            raise LossScaleArgumentError(
                "This optimizer was made without a rule that differs from TensorFlow's by more "
                "than the growth steps and one factor, or is to lose it. Make a new optimizer with "
                "rule=."
            )
        if (spec.rule.hysteresis > 1) != (self._spec.rule.hysteresis > 1):
            raise LossScaleArgumentError(
                "hysteresis above 1 needs a variable, which an optimizer has from the start or "
                "never. Make a new optimizer with the other rule."
            )
        self.__dict__["_spec"] = spec

    @property
    def skipped_steps(self) -> Any:
        """Steps that this optimizer skipped since it was made; files do not have it."""
        return self._skipped

    @property
    def last_step_skipped(self) -> Any:
        """Whether the latest step was skipped; files do not have it."""
        return self._last_step_was_skipped
