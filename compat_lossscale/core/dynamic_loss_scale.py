# SPDX-License-Identifier: Apache-2.0
"""`DynamicLossScale`: the state of a loss scale that follows the gradients, and how it moves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeGuard

import tensorflow as tf

from compat_lossscale.core import native
from compat_lossscale.core.gradients import finite_on_all_replicas, grouped, must_merge
from compat_lossscale.core.loss_scale import LossScale
from compat_lossscale.core.native import as_written
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import (
    DEFAULT_GROWTH_STEPS,
    DEFAULT_INITIAL_SCALE,
    DEFAULT_MULTIPLIER,
    LossScaleRule,
    LossScaleSpec,
    Operations,
    RuleNumbers,
    ScaleState,
    next_state,
)

_RAISES = "raise"


class RuleSettings:
    """Holds a rule, and its numbers in one variable that traced functions read.

    In a graph of TensorFlow 1 there is no variable, because a Saver would save it with the model:
    the numbers are constants of the graph.

    Args:
        rule: The rule at first.

    Attributes:
        rule: The rule now.
        variable: A float64 vector of the numbers, and of how many steps at the floor are an error;
            `None` in a graph of TensorFlow 1.

    Raises:
        LossScaleArgumentError: In a graph of TensorFlow 1, the rule needs to count steps.
    """

    def __init__(self, rule: LossScaleRule) -> None:
        self.rule = rule
        self.variable: Any = None
        if tf.compat.v1.executing_eagerly_outside_functions():
            self.variable = tf.Variable(
                _values(rule),
                dtype=tf.float64,
                trainable=False,
                synchronization=tf.VariableSynchronization.AUTO,
                aggregation=tf.VariableAggregation.NONE,
            )
        elif rule.on_floor == _RAISES and rule.floor_steps > 1:
            raise LossScaleArgumentError(
                f'on_floor="raise" with floor_steps={rule.floor_steps} needs a count of steps, and '
                "there is none in a graph of TensorFlow 1. Use floor_steps=1."
            )

    @property
    def numbers(self) -> RuleNumbers:
        """The rule's numbers: of Python in eager mode, and tensors in a `tf.function`."""
        numbers = self.rule.numbers
        if tf.executing_eagerly():
            return numbers
        counts = ("growth_steps", "hysteresis", "growth_delay")
        if self.variable is None:
            # Two Python numbers would make an int32 tensor, and the variables are int64.
            made = {name: tf.constant(getattr(numbers, name), tf.int64) for name in counts}
            return numbers._replace(**made)
        dtypes = {**dict.fromkeys(counts, tf.int64), "consecutive_hysteresis": tf.bool}
        values = zip(RuleNumbers._fields, tf.unstack(self.variable), strict=False)
        return RuleNumbers(
            **{name: tf.cast(value, dtypes.get(name, tf.float32)) for name, value in values}
        )

    @property
    def floor_steps_to_raise(self) -> Any:
        """Steps at the floor after which a `tf.function` raises, a float64 scalar tensor."""
        return self.variable[-1]

    def change(self, rule: LossScaleRule) -> None:
        """Takes another rule, in functions that are traced already as well.

        Raises:
            LossScaleArgumentError: It is no rule, it needs a variable that is not there, or the
                settings are constants of a graph.
        """
        if not isinstance(rule, LossScaleRule):
            raise LossScaleArgumentError(f"loss_scale_rule must be a LossScaleRule, not {rule!r}.")
        if self.variable is None:
            raise LossScaleArgumentError(
                "In a graph of TensorFlow 1, the numbers of a rule are constants. Make a new "
                "optimizer with the other rule."
            )
        before, after = self.rule.hysteresis, rule.hysteresis
        if (before > 1) != (after > 1):
            raise LossScaleArgumentError(
                f"hysteresis cannot change from {before} to {after}: above 1 it needs a variable, "
                "which an optimizer has from the start or never. Make a new optimizer with the "
                "other rule."
            )
        self.variable.assign(_values(rule))
        self.rule = rule


def _values(rule: LossScaleRule) -> list[float]:
    numbers = rule.numbers
    if numbers.max_scale is None:
        numbers = numbers._replace(max_scale=math.inf)
    floor_steps = rule.floor_steps if rule.on_floor == _RAISES else math.inf
    return [*map(float, numbers), float(floor_steps)]


def _select(condition: Any, a: Any, b: Any) -> Any:
    """`tf.where`, without an operation for what is known while tracing."""
    if isinstance(condition, bool):
        return a if condition else b
    return tf.where(condition, a, b)


_ON_TENSORS = Operations(
    select=_select,
    divide=tf.divide,
    maximum=tf.maximum,
    minimum=tf.minimum,
    is_finite=tf.math.is_finite,
    float32=lambda number: number,
)
"""The update rule's arithmetic on float32 and int64 scalar tensors."""


class DynamicLossScale(LossScale, native.DynamicLossScale):
    """A loss scale that grows while the gradients are finite and shrinks when they are not.

    The rule is `compat_lossscale.spec.next_state`. A checkpoint has its two variables under
    `current_loss_scale` (float32) and `good_steps` (int64).

    Source: `tf.train.experimental.DynamicLossScale` of TensorFlow 1.14 to 2.4.

    Args:
        initial_loss_scale: The first value.
        increment_period: Good steps in a row after which the loss scale grows.
        multiplier: The factor by which it grows and shrinks.
        rule: The rule by which it moves instead, which no TensorFlow has. If it tolerates bad
            steps, there is a third variable, `hysteresis_left` (int64).

    Raises:
        LossScaleArgumentError: The rule contradicts the other numbers.
    """

    hysteresis_left: Any = None
    """Bad steps until it shrinks, an int64 variable; `None` if the first bad step shrinks it."""
    settings: RuleSettings | None = None
    """Where graphs read the numbers of a rule; `None` without a rule."""

    def __init__(
        self,
        initial_loss_scale: float = DEFAULT_INITIAL_SCALE,
        increment_period: int = DEFAULT_GROWTH_STEPS,
        multiplier: float = DEFAULT_MULTIPLIER,
        rule: LossScaleRule | None = None,
    ) -> None:
        if rule is not None:
            spec = LossScaleSpec(True, initial_loss_scale, increment_period, multiplier, rule)
            self._set_up_from(spec)
        else:
            self._set_up(initial_loss_scale, increment_period, multiplier)
        initial = self._initial_loss_scale
        self._current_loss_scale = self._add_weight("current_loss_scale", initial, tf.float32)
        self._num_good_steps = self._add_weight("good_steps", 0, tf.int64)
        if self.settings is not None and self.settings.rule.hysteresis > 1:
            hysteresis = self.settings.rule.hysteresis
            self.hysteresis_left = self._add_weight("hysteresis_left", hysteresis, tf.int64)

    def _set_up_from(self, spec: LossScaleSpec) -> None:
        assert spec.growth_steps is not None
        assert spec.multiplier is not None
        self._set_up(spec.initial_scale, spec.growth_steps, spec.multiplier)
        if spec.rule is not None:
            self.settings = RuleSettings(spec.rule)

    def _set_up(self, initial: float, period: int, multiplier: float) -> None:
        LossScale.__init__(self)
        self._initial_loss_scale = float(initial)
        self._increment_period = int(period)
        self._multiplier = float(multiplier)

    @classmethod
    def sharing_state_of(cls, native: Any) -> DynamicLossScale:
        """Makes one that shares its variables with a `DynamicLossScale` of TensorFlow's own."""
        spec = LossScaleSpec.from_argument(native)
        loss_scale = cls.of_variables(native._current_loss_scale, native._num_good_steps, spec)
        loss_scale._weights = native._weights
        return loss_scale

    @classmethod
    def of_variables(
        cls, current: Any, good_steps: Any, spec: LossScaleSpec, hysteresis_left: Any = None
    ) -> DynamicLossScale:
        """Makes one whose state is in variables of the caller's, who puts them in checkpoints."""
        loss_scale: DynamicLossScale = cls.__new__(cls)
        loss_scale._set_up_from(spec)
        loss_scale.hysteresis_left = hysteresis_left
        loss_scale._current_loss_scale = current
        loss_scale._num_good_steps = good_steps
        return loss_scale

    @property
    def initial_loss_scale(self) -> float:
        """The loss scale's first value."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """Good steps in a row after which the loss scale grows."""
        return self._increment_period if self.settings is None else self.settings.rule.growth_steps

    @property
    def multiplier(self) -> float:
        """The factor by which the loss scale grows and shrinks; of a rule, its growth factor."""
        return self._multiplier if self.settings is None else self.settings.rule.growth_factor

    @property
    def rule(self) -> LossScaleRule | None:
        """The rule by which the loss scale moves. To change it, assign another one.

        It can change if it differs from TensorFlow's by more than the period and the multiplier,
        also in functions that are traced already. It is `None` for numbers that no rule has.

        Raises:
            LossScaleArgumentError: It cannot change. The message says why.
        """
        if self.settings is not None:
            return self.settings.rule
        return LossScaleSpec(
            True, self._initial_loss_scale, self._increment_period, self._multiplier
        ).whole_rule

    @rule.setter
    def rule(self, rule: LossScaleRule) -> None:
        if self.settings is None:
            raise LossScaleArgumentError(
                "This loss scale was made without a rule, or with one that says no more than the "
                "growth steps and one factor: these are constants of its functions. To change the "
                "rule later, make the optimizer with rule= and what differs from TensorFlow, for "
                "example rule=LossScaleRule(max_scale=2.0**127)."
            )
        self.settings.change(rule)

    @property
    def good_steps(self) -> tf.Variable:
        """The number of good steps in a row so far, an int64 variable."""
        return self._num_good_steps

    # What TensorFlow 2.4 called them in the private class that its optimizers kept.
    counter, growth_steps = good_steps, increment_period

    @property
    def current_loss_scale(self) -> tf.Variable:
        """The variable that holds the current value, a float32 scalar."""
        return self._current_loss_scale

    def __call__(self) -> tf.Tensor:
        """Returns the current value as a float32 scalar tensor."""
        return tf.convert_to_tensor(self._current_loss_scale)

    def _as_graph_element(self) -> Any:
        """Lets a Session fetch it, as it fetches the variable: without a new operation."""
        if tf.compat.v1.executing_eagerly_outside_functions():
            return super()._as_graph_element()
        return tf.compat.v1.get_default_graph().as_graph_element(self._current_loss_scale)

    @as_written
    def update(self, grads: Any) -> tuple[Any, tf.Tensor]:
        """Moves the loss scale by the update rule; see `LossScale.update`.

        In a graph, `update_op` is a tensor of the value of `should_apply`.
        """
        if must_merge():
            updated: tuple[Any, tf.Tensor] = tf.distribute.get_replica_context().merge_call(
                lambda _, grads: self.update(grads), args=(grads,)
            )
            return updated
        reserve_cond()
        finite = finite_on_all_replicas(grads)
        moved = self.advance(finite)
        if tf.executing_eagerly():
            return None, finite
        with tf.control_dependencies([grouped(moved)]):
            return tf.identity(finite), finite

    def advance(self, finite: Any) -> list[Any]:
        """Moves the loss scale by `compat_lossscale.spec.next_state`.

        Args:
            finite: Whether all gradients, on all replicas, were finite: a bool scalar tensor, or a
                bool in a branch where it is known.

        Returns:
            The operations that move it in a graph; none in eager mode.
        """
        variables = [self._current_loss_scale, self._num_good_steps]
        if self.hysteresis_left is not None:
            variables.append(self.hysteresis_left)
        if not tf.executing_eagerly():
            return self._advance_in_graph(variables, finite)
        # Python's arithmetic gives the same, and spares a dozen operations.
        before = ScaleState(*(tf.convert_to_tensor(one).numpy().item() for one in variables))
        after = next_state(before, bool(finite), self.numbers)
        for variable, old, new in zip(variables, before, after, strict=False):
            if new != old:
                variable.assign(new, read_value=False)
        return []

    def _advance_in_graph(self, variables: list[Any], finite: Any) -> list[Any]:
        def move() -> list[Any]:
            before = ScaleState(*map(tf.convert_to_tensor, variables))
            after = next_state(before, finite, self.numbers, _ON_TENSORS)
            return [
                variable.assign(new, read_value=False)
                for variable, new in zip(variables, after, strict=False)
            ]

        if finite is not True or self.settings is not None:
            return move()
        # As in TensorFlow, growth is a branch of its own: it hardly ever happens.
        grown = tf.cond(
            self._num_good_steps + 1 < self._increment_period,
            lambda: grouped(self._num_good_steps.assign_add(1, read_value=False)),
            lambda: grouped(move()),
            name="count_or_grow",  # See `reserve_cond`.
        )
        return [grown]

    def has_to_shrink_at_floor(self) -> Any:
        """Whether it is at its floor, so that it could not shrink after a bad step as it has to.

        Returns:
            A bool scalar tensor; `None` of a loss scale that never shrinks.
        """
        if self.settings is None and self._multiplier == 1:
            return None
        floor = 1.0 if self.settings is None else tf.cast(self.numbers.min_scale, tf.float32)
        at_floor = tf.equal(self._current_loss_scale, floor)
        left = self.hysteresis_left
        return at_floor if left is None else tf.logical_and(at_floor, left <= 1)

    @property
    def numbers(self) -> RuleNumbers:
        """The numbers by which it moves; tensors in a `tf.function`, if they can change."""
        if self.settings is not None:
            return self.settings.numbers
        return RuleNumbers.of_multiplier(self._increment_period, self._multiplier)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's three arguments, and a rule as a dictionary, if there is one.

        A rule that has changed is stated as it is now.
        """
        config = {
            "initial_loss_scale": self._initial_loss_scale,
            "increment_period": self.increment_period,
            "multiplier": self.multiplier,
        }
        rule = {} if self.settings is None else {"rule": self.settings.rule.to_config()}
        return {**config, **rule}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LossScale:
        """Makes a loss scale, in its initial state, from `get_config()`'s dictionary."""
        if isinstance(config, Mapping) and config.get("rule") is not None:
            config = {**config, "rule": LossScaleRule.from_config(config["rule"])}
        loss_scale: LossScale = super().from_config(config)
        return loss_scale

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> Any:
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == "savedmodel" and self.settings is not None:
            # A SavedModel refuses functions whose variables it does not have.
            return {**children, "rule_settings": self.settings.variable}
        return children

    def __repr__(self) -> str:
        config = [f"{name}={value}" for name, value in self.get_config().items()]
        if tf.executing_eagerly():
            state = [
                f"current_loss_scale={self._current_loss_scale.numpy()}",
                f"num_good_steps={self._num_good_steps.numpy()}",
            ]
            config = state + config
        return f"DynamicLossScale({', '.join(config)})"


def moves_by_the_rule(loss_scale: LossScale) -> TypeGuard[DynamicLossScale]:
    """Whether a loss scale moves by this package's rule, and not by a user's subclass' own."""
    return type(loss_scale).update is DynamicLossScale.update


def reserve_cond() -> None:
    """Reserves the name of the `tf.cond` in which TensorFlow updates a dynamic loss scale.

    The `tf.cond` that applies the gradients is the next one, `cond_1`. With the control flow of
    TensorFlow 1 the variables that an optimizer makes in there are called `cond_1/beta1_power`, in
    checkpoints too. So a `tf.cond` that TensorFlow does not have needs a name of its own, best one
    within `cond`, which no variable of a program has.
    Source: TensorFlow 1.14 to today.
    """
    if not tf.executing_eagerly():
        tf.compat.v1.get_default_graph().unique_name("cond")
