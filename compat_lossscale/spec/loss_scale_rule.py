# SPDX-License-Identifier: Apache-2.0
"""`LossScaleRule`: how a dynamic loss scale moves, with what other systems let you set.

`LossScaleState` is a loss scale that moves by a rule, in loops outside of Keras: of Python's
numbers, or of arrays of NumPy, JAX and PyTorch. The values decide. JAX and PyTorch are imported
here only if one of their arrays is there.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from compat_lossscale.errors import (
    ConfigFormatError,
    InexpressibleLossScaleError,
    LossScaleArgumentError,
)
from compat_lossscale.spec.update_rule import (
    DEFAULT_INITIAL_SCALE,
    PYTHON,
    Operations,
    RuleNumbers,
    ScaleState,
    next_state,
)

_MAX_COUNT = 2**53
"""The largest number of steps that a float64 can count."""


def checked_count(name: str, value: object, lowest: int) -> int:
    """Returns a number of steps, at least `lowest`, as an int."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if is_number and lowest <= value <= _MAX_COUNT and float(value).is_integer():  # type: ignore[operator, arg-type]  # it is
        return int(float(value))  # type: ignore[arg-type]  # it is a number
    raise refusal(name, f"a whole number from {lowest} to 2 ** 53", value)


def checked_number(name: str, value: object) -> float:
    """Returns a number that float32 can hold, as a float."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(PYTHON.float32(number)):
            return number
    raise refusal(name, "a number that is finite in float32", value)


def check_fixed_value(value: float) -> None:
    """Refuses a fixed loss scale that only float64 can hold.

    Raises:
        LossScaleArgumentError: It is. (It is a `ValueError`, as in TensorFlow 2.1 to 2.15, which
            raised it when the loss scale was read.)
    """
    if math.isfinite(value) and not math.isfinite(PYTHON.float32(value)):
        raise LossScaleArgumentError(
            f"The fixed loss scale {value:g} is infinite in float32, in which the loss is scaled, "
            "and so is every scaled loss. The largest one is about 3.4e38."
        )


def refusal(name: str, bound: str, value: object) -> LossScaleArgumentError:
    """Returns the error about the value of a field."""
    return LossScaleArgumentError(
        f'"{name}" of a loss-scale rule must be {bound}, but is {value!r}.'
    )


OnFloor = Literal["warn", "raise", "ignore"]
_ON_FLOOR = ("warn", "raise", "ignore")


@dataclasses.dataclass(frozen=True, kw_only=True)
class LossScaleRule:
    """How a dynamic loss scale grows and shrinks.

    The default is TensorFlow's rule, and an optimizer with it is the same as one without a rule.
    The class methods give the rules of other systems. The arithmetic is
    `compat_lossscale.spec.next_state`.

    Attributes:
        growth_steps: Good steps in a row after which the scale grows, at least 1.
        growth_factor: The factor by which it grows, above 1.
        backoff_factor: The factor by which it shrinks after a step with a NaN or an infinity, above
            0 and below 1. The scale is divided by `1 / backoff_factor`, rounded to float32. For a
            power of 2, that is the same to the bit as a product with `backoff_factor`. For other
            factors, the last bit can differ in each step, and this adds up: to 1e-4 of the loss
            scale after 5,000 steps with 1.001 and 0.999, beside PyTorch's `GradScaler`.
        min_scale: The floor: the scale does not shrink below it. 0 means that there is none. A
            scale below the floor stays until it shrinks, and is then raised to the floor.
        max_scale: The cap: the scale does not grow beyond it. `None` means that it grows as long as
            it is finite in float32.
        hysteresis: Bad steps before the scale shrinks, at least 1. With 2, the first one is
            skipped and leaves the scale as it is. Growth starts the count again.
        consecutive_hysteresis: Whether every good step starts that count again.
        on_floor: What happens when the scale is at its floor and has to shrink: `"warn"` once,
            `"raise"` a `LossScaleStuckError`, or `"ignore"`.
        floor_steps: The number of such steps after which that happens, counted since the optimizer
            was made, at least 1.
        growth_delay: Good steps at the start, and after each bad step, that do not count towards
            `growth_steps`.

    Raises:
        LossScaleArgumentError: A field is out of its bounds. The message names both.
    """

    growth_steps: int = 2000
    growth_factor: float = 2.0
    backoff_factor: float = 0.5
    min_scale: float = 1.0
    max_scale: float | None = None
    hysteresis: int = 1
    consecutive_hysteresis: bool = False
    on_floor: OnFloor = "warn"
    floor_steps: int = 1
    growth_delay: int = 0

    def __post_init__(self) -> None:
        for name, lowest in _COUNTS.items():
            object.__setattr__(self, name, checked_count(name, getattr(self, name), lowest))
        for name in ("growth_factor", "backoff_factor", "min_scale"):
            object.__setattr__(self, name, checked_number(name, getattr(self, name)))
        if self.max_scale is not None:
            object.__setattr__(self, "max_scale", checked_number("max_scale", self.max_scale))
        if not isinstance(self.consecutive_hysteresis, bool):
            raise refusal("consecutive_hysteresis", "a bool", self.consecutive_hysteresis)
        if self.on_floor not in _ON_FLOOR:
            raise refusal("on_floor", 'one of "warn", "raise" and "ignore"', self.on_floor)
        if PYTHON.float32(self.growth_factor) <= 1:
            raise refusal("growth_factor", "greater than 1", self.growth_factor)
        if not (self.backoff_factor > 0 and 1 < PYTHON.float32(1 / self.backoff_factor) < math.inf):
            raise refusal("backoff_factor", "greater than 0 and less than 1", self.backoff_factor)
        if self.min_scale < 0:
            raise refusal("min_scale", "at least 0", self.min_scale)
        if self.max_scale is not None and self.max_scale < max(self.min_scale, _SMALLEST):
            bound = f"greater than 0 and at least min_scale, which is {self.min_scale}"
            raise refusal("max_scale", bound, self.max_scale)

    def replace(self, **changes: Any) -> LossScaleRule:
        """Returns the rule with other values of some fields."""
        return dataclasses.replace(self, **changes)

    def to_config(self) -> dict[str, Any]:
        """Returns the fields that differ from the defaults, as a dictionary for JSON."""
        return {
            field.name: value
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) != field.default
        }

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> LossScaleRule:
        """Makes a rule from what `to_config` returned.

        Raises:
            ConfigFormatError: `config` is no dictionary, or has another key.
            LossScaleArgumentError: A value is out of its bounds.
        """
        if not isinstance(config, Mapping):
            raise ConfigFormatError(f"A rule must be a dictionary, but got: {config!r:.80}.")
        unknown = sorted(map(str, config.keys() - {one.name for one in dataclasses.fields(cls)}))
        if unknown:
            raise ConfigFormatError(
                f"A rule has no {', '.join(unknown)}. It may be of a newer version of this package."
            )
        return cls(**config)

    @property
    def multiplier(self) -> float | None:
        """The one factor of growth and backoff, if the old constructors can say the whole rule."""
        says_more = self.to_config().keys() - {"growth_steps", "growth_factor", "backoff_factor"}
        is_one = PYTHON.float32(self.growth_factor) == PYTHON.float32(1 / self.backoff_factor)
        return self.growth_factor if is_one and not says_more else None

    @property
    def numbers(self) -> RuleNumbers:
        """The rule's numbers for `next_state`."""
        return RuleNumbers(
            self.growth_steps,
            self.growth_factor,
            1 / self.backoff_factor,
            self.min_scale,
            self.max_scale,
            self.hysteresis,
            self.consecutive_hysteresis,
            self.growth_delay,
        )

    def init(
        self, initial_scale: Any = DEFAULT_INITIAL_SCALE, *, good_steps: Any = 0
    ) -> LossScaleState:
        """Returns the loss scale of a training loop of your own, which moves by this rule.

        Args:
            initial_scale: Its first value, above 0. An array of JAX or a tensor of PyTorch makes a
                state of arrays or tensors, and any other number one of Python's numbers.
            good_steps: Good steps in a row before.

        Raises:
            LossScaleArgumentError: `initial_scale` is no single number, or not above 0 and finite
                in float32. The values of arrays of JAX and tensors are not looked at.
        """
        if getattr(initial_scale, "ndim", 0):
            raise refusal("initial_scale", "a single number", initial_scale)
        scalars = scalars_of(initial_scale)
        if scalars.operations is PYTHON:
            number = initial_scale.item() if hasattr(initial_scale, "item") else initial_scale
            if PYTHON.float32(checked_number("initial_scale", number)) <= 0:
                raise refusal("initial_scale", "greater than 0", initial_scale)
        return LossScaleState(
            self,
            scalars.float32(initial_scale),
            scalars.int32(good_steps),
            scalars.int32(self.hysteresis),
        )

    @classmethod
    def tensorflow(cls, *, increment_period: int = 2000, multiplier: float = 2.0) -> LossScaleRule:
        """Returns the rule of TensorFlow, tf-keras and jmp, with the names of `DynamicLossScale`.

        Args:
            increment_period: Good steps before growth.
            multiplier: The factor of growth and backoff.

        Raises:
            LossScaleArgumentError: The old constructors take the numbers, but a rule does not.
        """
        if not multiplier:
            raise refusal("multiplier", "greater than 1", multiplier)
        return cls(
            growth_steps=increment_period, growth_factor=multiplier, backoff_factor=1 / multiplier
        )

    @classmethod
    def keras3(cls, *, dynamic_growth_steps: int = 2000) -> LossScaleRule:
        """Returns the rule of Keras 3, which has no floor.

        Keras 3's own loss scale also grows to infinity, after which every step is skipped. This
        rule does not copy that.

        Args:
            dynamic_growth_steps: Good steps before growth.
        """
        return cls(growth_steps=dynamic_growth_steps, min_scale=0.0)

    @classmethod
    def torch(
        cls, *, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000
    ) -> LossScaleRule:
        """Returns the rule of PyTorch's `torch.amp.GradScaler`.

        Args:
            growth_factor: The factor of growth.
            backoff_factor: The factor of backoff.
            growth_interval: Good steps before growth.
        """
        return cls(
            growth_steps=growth_interval,
            growth_factor=growth_factor,
            backoff_factor=backoff_factor,
            min_scale=0.0,
        )

    @classmethod
    def deepspeed(
        cls,
        *,
        scale_window: int = 1000,
        min_scale: float = 1.0,
        delayed_shift: int = 2,
        consecutive_hysteresis: bool = False,
        raise_error_at_min_scale: bool = True,
        scale_factor: float = 2.0,
    ) -> LossScaleRule:
        """Returns the rule of DeepSpeed's `DynamicLossScaler`, which DeepSpeed uses with ZeRO.

        The names are those of the class, and the defaults are those of DeepSpeed's configuration.
        The first good step after an overflow does not count, as in DeepSpeed.

        Without ZeRO, DeepSpeed has another rule: it ignores `hysteresis` and
        `consecutive_hysteresis`, and does not raise at the floor. That is this rule with
        `delayed_shift=1` and `raise_error_at_min_scale=False`.

        Args:
            scale_window: Good steps before growth; `loss_scale_window` in the configuration.
            min_scale: The floor; `min_loss_scale` in the configuration.
            delayed_shift: Bad steps before backoff; `hysteresis` in the configuration.
            consecutive_hysteresis: Whether every good step starts that count again.
            raise_error_at_min_scale: Whether a step that would shrink the scale below its floor is
                an error.
            scale_factor: The factor of growth and backoff.
        """
        if checked_number("scale_factor", scale_factor) <= 1:
            raise refusal("scale_factor", "greater than 1", scale_factor)
        return cls(
            growth_steps=scale_window,
            growth_factor=scale_factor,
            backoff_factor=1 / scale_factor,
            min_scale=min_scale,
            hysteresis=delayed_shift,
            consecutive_hysteresis=consecutive_hysteresis,
            on_floor="raise" if raise_error_at_min_scale else "warn",
            growth_delay=1,
        )

    @classmethod
    def apex(
        cls,
        *,
        scale_window: int = 2000,
        min_loss_scale: float | None = None,
        max_loss_scale: float = 2.0**24,
    ) -> LossScaleRule:
        """Returns the rule of `amp` in NVIDIA's Apex.

        Args:
            scale_window: Good steps before growth.
            min_loss_scale: The floor; `None` for none.
            max_loss_scale: The cap.
        """
        return cls(
            growth_steps=scale_window, min_scale=min_loss_scale or 0.0, max_scale=max_loss_scale
        )

    @classmethod
    def megatron(
        cls,
        *,
        growth_interval: int = 1000,
        hysteresis: int = 2,
        min_scale: float = 1.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
    ) -> LossScaleRule:
        """Returns the rule of Megatron's `DynamicGradScaler`.

        The defaults are those of Megatron's command line.

        Args:
            growth_interval: Good steps before growth; `--loss-scale-window`.
            hysteresis: Bad steps before backoff; `--hysteresis`.
            min_scale: The floor; `--min-loss-scale`.
            growth_factor: The factor of growth.
            backoff_factor: The factor of backoff.
        """
        return cls(
            growth_steps=growth_interval,
            growth_factor=growth_factor,
            backoff_factor=backoff_factor,
            min_scale=min_scale,
            hysteresis=hysteresis,
        )


class Scalars(NamedTuple):
    """How to compute with scalars.

    Attributes:
        operations: The arithmetic of the update rule.
        float32: Makes a float32 scalar of a number.
        int32: Makes an int32 scalar of a number.
        condition: Makes a condition for `operations.select` of a truth value.
    """

    operations: Operations
    float32: Callable[[Any], Any]
    int32: Callable[[Any], Any]
    condition: Callable[[Any], Any]


def scalars_of(*values: Any) -> Scalars:
    """Returns the arithmetic of JAX or PyTorch if a value is an array of theirs, or Python's."""
    for value in values:
        if is_torch(value):
            return _torch_scalars(value.device)
    if any(is_jax(value) for value in values):
        return _jax_scalars()
    return Scalars(PYTHON, PYTHON.float32, int, bool)


def _jax_scalars() -> Scalars:
    import jax.numpy as jnp  # noqa: PLC0415  # an array of it is there

    operations = Operations(
        jnp.where, jnp.divide, jnp.maximum, jnp.minimum, jnp.isfinite, jnp.float32
    )
    return Scalars(operations, jnp.float32, jnp.int32, jnp.asarray)


def _torch_scalars(device: Any) -> Scalars:
    import torch  # noqa: PLC0415  # a tensor of it is there

    def scalar(number: Any, dtype: Any) -> Any:
        return torch.as_tensor(number, dtype=dtype, device=device)

    def select(condition: Any, a: Any, b: Any) -> Any:
        if isinstance(condition, bool):
            return a if condition else b
        return torch.where(condition, a, b)

    operations = Operations(
        select=select,
        divide=torch.div,
        maximum=lambda tensor, floor: torch.clamp(tensor, min=floor),
        minimum=lambda tensor, cap: torch.clamp(tensor, max=cap),
        is_finite=torch.isfinite,
        float32=lambda number: number,
    )
    return Scalars(
        operations,
        lambda number: scalar(number, torch.float32),
        lambda number: scalar(number, torch.int32),
        lambda value: scalar(value, torch.bool),
    )


def is_jax(value: Any) -> bool:
    """Whether a value is an array of JAX, or stands for one in a function that is traced."""
    return type(value).__module__.partition(".")[0] in ("jax", "jaxlib")


def is_torch(value: Any) -> bool:
    """Whether a value is a tensor of PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def in_float32(array: Any) -> Any:
    """Casts an array of float16 or bfloat16, and returns any other value as it is."""
    if "float16" not in str(getattr(array, "dtype", "")):
        return array
    return array.float() if is_torch(array) else array.astype("float32")


def beside(scalar: Any, array: Any) -> Any:
    """Returns a scalar, on the device of an array if both are tensors of PyTorch."""
    return scalar.to(array.device) if is_torch(scalar) and is_torch(array) else scalar


def map_tree(function: Callable[[Any], Any], tree: Any) -> Any:
    """Returns nested containers with `function` of each number and array in its place."""
    if tree is None:
        return None
    if isinstance(tree, float | int) or hasattr(tree, "dtype"):
        return function(tree)
    if type(tree) in (dict, OrderedDict):
        return type(tree)((key, map_tree(function, value)) for key, value in tree.items())
    if type(tree) in (list, tuple):
        return type(tree)([map_tree(function, value) for value in tree])
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[map_tree(function, value) for value in tree])
    jax = sys.modules.get("jax")
    if jax is None or jax.tree_util.all_leaves([tree]):
        raise LossScaleArgumentError(
            f"A {type(tree).__qualname__} is neither a number, an array nor a container of them: "
            f"{tree!r:.80}. Containers are dictionaries, lists, tuples and pytrees of JAX."
        )
    return jax.tree_util.tree_map(function, tree)


def all_finite(tree: Any) -> Any:
    """Returns whether all numbers in nested containers are finite.

    Args:
        tree: Numbers and arrays of NumPy, JAX or PyTorch, in dictionaries, lists, tuples or pytrees
            of JAX. `None` is left out.

    Returns:
        A bool; for JAX an array and for PyTorch a tensor, both without dimensions.

    Raises:
        LossScaleArgumentError: A value is neither a number, an array nor a container of them.
    """
    arrays: list[Any] = []
    map_tree(arrays.append, tree)
    if any(is_torch(one) for one in arrays):
        import torch  # noqa: PLC0415  # a tensor of it is there

        checked = [torch.isfinite(torch.as_tensor(one)).all() for one in arrays]
        return torch.stack([one.to(checked[0].device) for one in checked]).all()
    if any(is_jax(one) for one in arrays):
        import jax.numpy as jnp  # noqa: PLC0415  # an array of it is there

        return jnp.stack([jnp.isfinite(one).all() for one in arrays]).all()
    if all(isinstance(one, float | int) for one in arrays):
        return all(math.isfinite(one) for one in arrays)
    import numpy as np  # noqa: PLC0415  # an array of it is there

    return all(bool(np.isfinite(one).all()) for one in arrays)


_with_jax: set[type] = set()
"""The classes that are pytrees of JAX."""


def register_pytree(cls: type, children: tuple[str, ...], static: str) -> None:
    """Makes a class a pytree of JAX, if JAX is imported.

    Args:
        cls: The class. Its constructor takes `static`, and then the children.
        children: The attributes with scalars. Python's numbers become float32 and int32, as which
            they leave a function. Otherwise, JAX would compile the function twice.
        static: The attribute that JAX compiles into a function.
    """
    jax = sys.modules.get("jax")
    if jax is None or cls in _with_jax:
        return
    import numpy as np  # noqa: PLC0415  # JAX needs it

    types: dict[type, Any] = {float: np.float32, int: np.int32}

    def flatten(value: Any) -> tuple[list[Any], Any]:
        found = [getattr(value, name) for name in children]
        return [types.get(type(one), lambda x: x)(one) for one in found], getattr(value, static)

    def flatten_with_keys(value: Any) -> tuple[list[Any], Any]:
        found, fixed = flatten(value)
        return [*zip(map(jax.tree_util.GetAttrKey, children), found, strict=True)], fixed

    jax.tree_util.register_pytree_with_keys(
        cls, flatten_with_keys, lambda fixed, found: cls(fixed, *found), flatten
    )
    _with_jax.add(cls)


@dataclasses.dataclass(frozen=True)
class LossScaleState:
    """A dynamic loss scale in a training loop of your own. Its methods are pure functions.

    `LossScaleRule.init` makes one. In each step::

        loss = state.scale(loss)                # and differentiate it
        gradients = state.unscale(gradients)
        finite = all_finite(gradients)          # apply the gradients if it is true
        state = state.adjust(finite)

    It is a pytree of JAX, so functions in `jax.jit` can take and return it, and so can functions in
    `torch.compile`. The rule is compiled into them.

    Attributes:
        rule: How it moves. `on_floor` has no effect: a pure function does not warn.
        loss_scale: The loss scale, a float or a float32 scalar of the framework.
        good_steps: Good steps in a row since it last changed, an int or an int32 scalar.
        hysteresis_left: Bad steps until it shrinks, an int or an int32 scalar.
    """

    rule: LossScaleRule
    loss_scale: Any
    good_steps: Any
    hysteresis_left: Any

    def __post_init__(self) -> None:
        register_pytree(
            LossScaleState, ("loss_scale", "good_steps", "hysteresis_left"), static="rule"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return LossScaleState, tuple(vars(self).values())  # so that JAX knows a copy too

    def scale(self, loss: Any) -> Any:
        """Returns a loss, or nested losses, multiplied by the loss scale.

        float16 and bfloat16 become float32, in which a scaled loss does not overflow as soon.

        Args:
            loss: A number or an array of NumPy, JAX or PyTorch, or nested containers of them.

        Raises:
            LossScaleArgumentError: A value is neither a number, an array nor a container of them.
        """
        return map_tree(lambda one: in_float32(one) * beside(self.loss_scale, one), loss)

    def unscale(self, gradients: Any) -> Any:
        """Returns gradients divided by the loss scale.

        float16 and bfloat16 become float32, in which small gradients do not become 0.

        Args:
            gradients: Arrays of NumPy, JAX or PyTorch in nested dictionaries, lists, tuples or
                pytrees of JAX. `None` stays.

        Raises:
            LossScaleArgumentError: A value is neither a number, an array nor a container of them.
        """
        return map_tree(lambda one: in_float32(one) / beside(self.loss_scale, one), gradients)

    def adjust(self, finite: Any) -> LossScaleState:
        """Returns the state for the next step, as `compat_lossscale.spec.next_state` computes it.

        Args:
            finite: Whether all gradients of this step were finite, for example `all_finite` of
                them: a bool, or a scalar of the framework.

        Raises:
            LossScaleArgumentError: `finite` has dimensions, as gradients have.
        """
        if getattr(finite, "ndim", 0):
            raise LossScaleArgumentError(
                f'"finite" must be a single truth value, but has the shape {tuple(finite.shape)}. '
                "Pass all_finite(gradients)."
            )
        scalars = scalars_of(self.loss_scale, finite)
        before = ScaleState(
            scalars.float32(self.loss_scale),
            scalars.int32(self.good_steps),
            scalars.int32(self.hysteresis_left),
        )
        condition, numbers = scalars.condition(finite), self.rule.numbers
        if scalars.operations is not PYTHON:
            # Frameworks compare with an int32, in which larger numbers wrap.
            steps, delay = min(numbers.growth_steps, 2**30), min(numbers.growth_delay, 2**30)
            numbers = numbers._replace(growth_steps=steps, growth_delay=delay)
        after = next_state(before, condition, numbers, scalars.operations)
        return LossScaleState(
            self.rule,
            scalars.float32(after.scale),
            scalars.int32(after.good_steps),
            scalars.int32(after.hysteresis_left),
        )

    @classmethod
    def from_grad_scaler(cls, state_dict: Mapping[str, Any]) -> LossScaleState:
        """Reads what `state_dict()` of PyTorch's `torch.amp.GradScaler` returns.

        Args:
            state_dict: The dictionary.

        Returns:
            A state of Python's numbers.

        Raises:
            ConfigFormatError: An entry is missing, as in that of a scaler that is not enabled.
            LossScaleArgumentError: A value is out of its bounds.
        """
        try:
            rule = LossScaleRule.torch(
                growth_factor=state_dict["growth_factor"],
                backoff_factor=state_dict["backoff_factor"],
                growth_interval=state_dict["growth_interval"],
            )
            return rule.init(state_dict["scale"], good_steps=state_dict["_growth_tracker"])
        except KeyError as error:
            raise ConfigFormatError(
                f"A state_dict of GradScaler has {error}, but this one has {sorted(state_dict)}. "
                "It is empty if the scaler is not enabled."
            ) from None

    def to_grad_scaler(self) -> dict[str, Any]:
        """Returns what `load_state_dict` of PyTorch's `torch.amp.GradScaler` takes.

        Raises:
            InexpressibleLossScaleError: The rule says what GradScaler cannot do, such as a floor.
        """
        rule = self.rule
        written = {
            "scale": float(self.loss_scale),
            "growth_factor": rule.growth_factor,
            "backoff_factor": rule.backoff_factor,
            "growth_interval": rule.growth_steps,
            "_growth_tracker": int(self.good_steps),
        }
        _require_equal(rule, LossScaleState.from_grad_scaler(written).rule, "GradScaler")
        return written

    @classmethod
    def from_dynamic_scale(cls, dynamic_scale: Any) -> LossScaleState:
        """Reads a `flax.training.dynamic_scale.DynamicScale`.

        Args:
            dynamic_scale: The object. Arrays of JAX stay what they are.

        Raises:
            LossScaleArgumentError: A value is out of its bounds.
        """
        rule = LossScaleRule(
            # It grows one step later than its interval says.
            growth_steps=dynamic_scale.growth_interval + 1,
            growth_factor=dynamic_scale.growth_factor,
            backoff_factor=dynamic_scale.backoff_factor,
            min_scale=float(dynamic_scale.minimum_scale or 0.0),
            max_scale=_LARGEST,
        )
        return rule.init(dynamic_scale.scale, good_steps=dynamic_scale.fin_steps)

    def to_dynamic_scale(self) -> Any:
        """Returns a `flax.training.dynamic_scale.DynamicScale`.

        Its last growth is to the largest float32, and that of a rule without `max_scale` is left
        out. This is the only difference.

        Raises:
            InexpressibleLossScaleError: The rule says what flax cannot do, such as hysteresis.
            ImportError: flax is not installed.
        """
        from flax.training.dynamic_scale import DynamicScale  # noqa: PLC0415  # only if used

        rule = self.rule
        made = DynamicScale(
            growth_factor=rule.growth_factor,
            backoff_factor=rule.backoff_factor,
            growth_interval=rule.growth_steps - 1,
            fin_steps=self.good_steps,
            scale=self.loss_scale,
            minimum_scale=rule.min_scale,
        )
        capped = rule if rule.max_scale is not None else rule.replace(max_scale=_LARGEST)
        _require_equal(capped, LossScaleState.from_dynamic_scale(made).rule, "flax' DynamicScale")
        return made


_COUNTS = {"growth_steps": 1, "hysteresis": 1, "floor_steps": 1, "growth_delay": 0}
"""The fields that count steps, and their lowest values."""
_SMALLEST = 2.0**-149
"""The smallest float32 above 0."""
_LARGEST = 3.4028234663852886e38
"""The largest float32."""


def _require_equal(rule: LossScaleRule, expressed: LossScaleRule, reader: str) -> None:
    """Refuses a rule if `expressed`, as which another library reads it, moves in another way."""
    for field in dataclasses.fields(rule):
        value, other = getattr(rule, field.name), getattr(expressed, field.name)
        if value != other and field.name not in ("on_floor", "floor_steps"):
            raise InexpressibleLossScaleError(
                f"{reader} cannot have {field.name}={value!r} of a loss-scale rule. Use "
                f"rule.replace({field.name}={other!r}) if that will do."
            )


def check_rule(
    rule: object, *, dynamic: bool = True, dynamic_growth_steps: int | None = None
) -> None:
    """Refuses a `rule` that contradicts the other arguments of a constructor."""
    if not isinstance(rule, LossScaleRule):
        raise LossScaleArgumentError(f'"rule" must be a LossScaleRule, but got: {rule!r}.')
    if not dynamic:
        raise LossScaleArgumentError(
            'A fixed loss scale has no "rule", as it never changes. Leave out one of the two.'
        )
    if dynamic_growth_steps is not None:
        raise LossScaleArgumentError(
            'Leave out "dynamic_growth_steps": the rule has growth_steps. For other ones, pass '
            f"rule=rule.replace(growth_steps={dynamic_growth_steps})."
        )
