# SPDX-License-Identifier: Apache-2.0
"""`LossScale`, the base class of loss scales, `FixedLossScale` and `DynamicLossScale`.

They have every public member of the classes that TensorFlow 1.14 to 2.4 named
`tf.train.experimental.LossScale` and so on. The optimizers of every generation here keep their
state in one of them. How a dynamic one moves is here too; the rule itself is in `spec`.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Mapping
from typing import Any, TypeGuard

import numpy as np
import tensorflow as tf

from compat_lossscale.core import native
from compat_lossscale.core.gradients import finite_on_all_replicas, grouped, must_merge
from compat_lossscale.core.native import Value, as_written
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
    check_fixed_value,
    next_state,
)

_ASKED_OF_EAGER_TENSORS = {
    "_copy", "_datatype_enum", "_handle_data", "_id", "_num_elements", "_numpy", "_numpy_internal",
    "_rank", "_shape_tuple", "backing_device", "cpu", "ndim",
}  # fmt: skip
"""What TensorFlow reads from an eager tensor beyond the public members of `tf.Tensor`."""


class ScalarTensor(Value, tf.Tensor):
    """Base of objects whose call gives a float32 scalar tensor and that can be used as that tensor.

    Operators, `tf` functions, `float()`, `int()`, numpy and formatting all act on `self()`.
    `isinstance(x, tf.Tensor)` holds. `bool(x)` is `True`, as it was for the objects of TensorFlow
    2.3 and for every non-zero tensor.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Makes the instance itself; `tf.Tensor` would make a symbolic tensor."""
        return object.__new__(cls)

    @abc.abstractmethod
    def __call__(self) -> tf.Tensor:
        """Returns the current value as a float32 scalar tensor."""

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> tf.Tensor:
        """Converts to a tensor, for every TensorFlow function that takes one."""
        return self().__tf_tensor__(dtype, name)

    def __tf_tracing_type__(self, context: Any) -> tf.TensorSpec:
        """Enters a `tf.function` as the tensor it stands for."""
        return tf.TensorSpec([], tf.float32)

    @property
    def _tf_should_use_wrapped_value(self) -> tf.Tensor:
        """Where TensorFlow's native code looks for the tensor behind a wrapper of one."""
        return self()

    _graph_element: tf.Tensor | None = None

    def _as_graph_element(self) -> Any:
        """Lets a Session fetch it, each time as the same tensor: a graph may be finalized."""
        tensor = self._graph_element
        if tensor is None or tensor.graph is not tf.compat.v1.get_default_graph():
            tensor = self._graph_element = self()
        return tensor

    def make_fetchable(self) -> None:
        """Makes the tensor that a Session fetches, while the graph still takes operations."""
        if not tf.compat.v1.executing_eagerly_outside_functions():
            with tf.init_scope():  # Outside of the branch or loop that is being built.
                if not tf.compat.v1.get_default_graph().finalized:
                    self._as_graph_element()

    @property
    def dtype(self) -> tf.DType:
        """Always `tf.float32`."""
        return tf.float32

    _dtype = dtype

    @property
    def shape(self) -> tf.TensorShape:
        """Always the shape of a scalar."""
        return tf.TensorShape([])

    def _shape_as_list(self) -> list[int]:
        return []

    @property
    def name(self) -> str:
        """A readable name. TensorFlow's native code needs one, in eager mode too."""
        return "loss_scale"

    @property
    def op(self) -> tf.Operation:
        """The operation that gives the current value, in a graph."""
        return self().op

    @property
    def graph(self) -> tf.Graph:
        """The graph that the current value belongs to."""
        return self().graph

    @property
    def device(self) -> str:
        """The device of the current value."""
        return str(self().device)

    def numpy(self) -> np.float32:
        """Returns the current value as a numpy scalar (eager mode only)."""
        value: np.float32 = self().numpy()
        return value

    def __getattr__(self, name: str) -> Any:
        if name in _ASKED_OF_EAGER_TENSORS:
            return getattr(self(), name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self.numpy(), dtype=dtype)

    def __float__(self) -> float:
        return float(self())

    def __int__(self) -> int:
        return int(self())

    def __bool__(self) -> bool:
        return True

    def __format__(self, spec: str) -> str:
        return format(self(), spec) if spec else str(self)

    def __iter__(self) -> Any:
        raise TypeError("A loss scale is a scalar and cannot be iterated over.")

    def __len__(self) -> int:
        raise TypeError("A loss scale is a scalar and has no len().")

    def __eq__(self, other: object) -> Any:
        """Compares by value, except that no loss scale equals a string or `None`.

        `loss_scale == "dynamic"` is how programs asked which kind of argument they had been given.
        """
        if self is other:
            return True
        if other is None or isinstance(other, str):
            return False
        return super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return not equal if isinstance(equal, bool) else tf.logical_not(equal)

    __hash__ = object.__hash__


class LossScale(ScalarTensor, native.LossScale):
    """Base class of loss scales, and of your own ones.

    A subclass defines `__call__`, `update` and `get_config`. It may keep state in variables made
    with `self._add_weight(name, initial_value, dtype)`, which are then saved in checkpoints under
    that name. Instances also stand for their value as a tensor: see `ScalarTensor`.

    Source: `tf.train.experimental.LossScale` of TensorFlow 1.14 to 2.4.
    """

    @abc.abstractmethod
    def update(self, grads: Any) -> tuple[Any, Any]:
        """Updates the loss scale after a step.

        Args:
            grads: A nested structure of unscaled gradients. `None` is ignored. Under a
                `tf.distribute` strategy, in a cross-replica context, each may hold one value per
                replica.

        Returns:
            A pair `(update_op, should_apply)`. `update_op` is `None` in eager mode; in a graph, a
            tensor or an operation that updates. `should_apply` is a bool or a bool scalar tensor:
            if false, this step's gradients must not be applied.
        """

    @abc.abstractmethod
    def get_config(self) -> dict[str, Any]:
        """Returns the arguments from which `from_config` makes this loss scale again."""

    @property
    def state(self) -> dict[str, tf.Variable]:
        """The variables that hold the live state, by their names in checkpoints."""
        children = self._trackable_children()
        return {name: child for name, child in children.items() if isinstance(child, tf.Variable)}

    @property
    def spec(self) -> LossScaleSpec:
        """This loss scale's spec.

        Raises:
            LossScaleArgumentError: It is neither fixed nor dynamic but of a user's own class.
        """
        return LossScaleSpec.from_argument(self)

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class FixedLossScale(LossScale, native.FixedLossScale):
    """A loss scale that never changes.

    Source: `tf.train.experimental.FixedLossScale` of TensorFlow 1.14 to 2.4.

    Args:
        loss_scale_value: The value, a Python int or float of at least 1.

    Raises:
        ValueError: It is no Python number, below 1, or infinite in float32 only.
    """

    def __init__(self, loss_scale_value: float) -> None:
        if not isinstance(loss_scale_value, int | float):
            raise LossScaleArgumentError(
                f"loss_scale_value must be a Python int or float, but got: {loss_scale_value!r}."
            )
        if loss_scale_value < 1:
            raise LossScaleArgumentError(
                f"loss_scale_value must be at least 1, but got: {loss_scale_value}. Smaller "
                "ones go into compat_lossscale.LossScaleOptimizer(opt, dynamic=False, "
                "initial_scale=...)."
            )
        self._set_up(loss_scale_value)

    def _set_up(self, value: float) -> None:
        LossScale.__init__(self)
        check_fixed_value(value)
        self._loss_scale_value = float(value)

    @classmethod
    def of_any_value(cls, value: float) -> FixedLossScale:
        """Makes one of any value: the optimizers of TensorFlow 2.4 take a value below 1 too."""
        loss_scale: FixedLossScale = cls.__new__(cls)
        loss_scale._set_up(value)
        return loss_scale

    def __call__(self) -> tf.Tensor:
        """Returns the value as a float32 scalar tensor."""
        return tf.constant(self._loss_scale_value, tf.float32)

    def update(self, grads: Any) -> tuple[Any, bool]:
        """Changes nothing. Returns `(no-op, True)`: non-finite gradients are applied as well."""
        del grads
        return tf.no_op(), True

    def get_config(self) -> dict[str, Any]:
        """Returns `{"loss_scale_value": value}`."""
        return {"loss_scale_value": self._loss_scale_value}

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"


_RAISES = "raise"


class RuleSettings:
    """Holds a rule, and its numbers in one variable that traced functions read.

    In a graph of TensorFlow 1 there is no variable, because a Saver would save it with the model:
    the numbers are constants of the graph. So a rule that needs to count steps is refused there.

    Attributes:
        variable: A float64 vector of the numbers, and of how many steps at the floor are an error;
            `None` in a graph of TensorFlow 1.
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

        `finite` is whether all gradients, on all replicas, were finite: a bool scalar tensor, or a
        bool in a branch where it is known. Returns the operations that move it in a graph; none in
        eager mode.
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

        It is `None` for a loss scale that never shrinks.
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
