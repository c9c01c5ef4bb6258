# SPDX-License-Identifier: Apache-2.0
"""`LossScaleSpec`: one frozen value for every spelling of a loss scale.

`"dynamic"`, `128`, `DynamicLossScale(2048, 500)`, `dynamic=False, initial_scale=128` and the config
dictionaries of all generations mean one of two things: a fixed number, or a number that grows after
a number of good steps and shrinks after a bad one. `configs` knows the forms of configs.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import (
    ConfigFormatError,
    InexpressibleLossScaleError,
    LossScaleArgumentError,
)
from compat_lossscale.spec import configs
from compat_lossscale.spec.configs import Generation
from compat_lossscale.spec.loss_scale_rule import LossScaleRule, check_rule
from compat_lossscale.spec.update_rule import (
    DEFAULT_GROWTH_STEPS,
    DEFAULT_INITIAL_SCALE,
    DEFAULT_MULTIPLIER,
    RuleNumbers,
)

_WHAT_IT_MUST_BE = (
    "loss_scale must be the string 'dynamic', an int, a float, a FixedLossScale or a "
    "DynamicLossScale."
)

_PACKAGES = ("compat_lossscale", "tensorflow", "lossscale_codemods")
"""The packages whose own classes of loss scales are known; the codemod has stand-ins for them."""


@dataclasses.dataclass(frozen=True)
class LossScaleSpec:
    """A loss scale without its live state.

    Attributes:
        dynamic: Whether the scale is dynamic (`True`) or fixed (`False`).
        initial_scale: The first value of a dynamic scale, the only value of a fixed one.
        growth_steps: Good steps in a row before a dynamic scale grows; `None` if fixed.
        multiplier: Factor by which a dynamic scale grows and shrinks; `None` if fixed.
        rule: The rule by which a dynamic scale moves, if it says more than the growth steps and the
            multiplier. It then gives these two as well. A rule that says no more becomes `None`.

    Raises:
        LossScaleArgumentError: A fixed spec is given growth steps, a multiplier or a rule, a
            dynamic one lacks the first two, a number is not finite, or the rule contradicts the
            other numbers.
    """

    dynamic: bool = True
    initial_scale: float = DEFAULT_INITIAL_SCALE
    growth_steps: int | None = DEFAULT_GROWTH_STEPS
    multiplier: float | None = DEFAULT_MULTIPLIER
    rule: LossScaleRule | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "initial_scale", _finite(self.initial_scale, "loss scale"))
        if not self.dynamic:
            if (self.growth_steps, self.multiplier, self.rule) != (None, None, None):
                raise LossScaleArgumentError(
                    "A fixed loss scale never changes, so growth_steps, multiplier and rule must "
                    "be None."
                )
            return
        if self.rule is not None:
            self._take_numbers_of(self.rule)
        if self.growth_steps is None or self.multiplier is None:
            raise LossScaleArgumentError(
                "A dynamic loss scale needs growth_steps and a multiplier; "
                "use LossScaleSpec.fixed(value) for a fixed one."
            )
        object.__setattr__(self, "growth_steps", int(self.growth_steps))
        object.__setattr__(self, "multiplier", _finite(self.multiplier, "multiplier"))

    def _take_numbers_of(self, rule: LossScaleRule) -> None:
        if not isinstance(rule, LossScaleRule):
            raise LossScaleArgumentError(f"rule must be a LossScaleRule, but got: {rule!r}.")
        for name, default, stated in (
            ("growth_steps", DEFAULT_GROWTH_STEPS, rule.growth_steps),
            ("multiplier", DEFAULT_MULTIPLIER, rule.growth_factor),
        ):
            value = getattr(self, name)
            if value not in (default, stated):
                raise LossScaleArgumentError(
                    f"The rule says {stated}, but {name} is {value}. Give one of the two."
                )
            object.__setattr__(self, name, stated)
        if rule.multiplier is not None:
            object.__setattr__(self, "rule", None)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields by name; those of a rule that differ from the default as `rule.<field>`."""
        rule = {} if self.rule is None else self.rule.to_config()
        fields = {
            "dynamic": self.dynamic,
            "initial_scale": self.initial_scale,
            "growth_steps": self.growth_steps,
            "multiplier": self.multiplier,
        }
        return {**fields, **{f"rule.{name}": value for name, value in rule.items()}}

    @property
    def numbers(self) -> RuleNumbers | None:
        """The numbers for `next_state`; `None` if fixed."""
        if self.growth_steps is None or self.multiplier is None:
            return None
        if self.rule is not None:
            return self.rule.numbers
        return RuleNumbers.of_multiplier(self.growth_steps, self.multiplier)

    @property
    def whole_rule(self) -> LossScaleRule | None:
        """The rule by which a dynamic scale moves, whichever way it was stated.

        `None` if the scale is fixed, or if its growth steps or multiplier are numbers that the old
        constructors take and a rule does not, such as a multiplier of 1.
        """
        if self.rule is not None or self.growth_steps is None or self.multiplier is None:
            return self.rule
        try:
            return LossScaleRule.tensorflow(
                increment_period=self.growth_steps, multiplier=self.multiplier
            )
        except LossScaleArgumentError:
            return None

    @classmethod
    def fixed(cls, value: float) -> LossScaleSpec:
        """Returns the spec of a fixed loss scale."""
        return cls(dynamic=False, initial_scale=value, growth_steps=None, multiplier=None)

    @classmethod
    def from_argument(cls, loss_scale: object) -> LossScaleSpec:
        """Reads the `loss_scale` argument of the old constructors.

        Args:
            loss_scale: The string `"dynamic"`, a Python int or float, or a `FixedLossScale` or
                `DynamicLossScale`, of this package or of `tf.compat.v1.mixed_precision`.

        Returns:
            The spec with the same meaning.

        Raises:
            LossScaleArgumentError: It is anything else. As in TensorFlow 2.0 to 2.4, that includes
                `None`, numpy's `float32` and integer scalars (which are not Python numbers), and
                custom loss scales (which are neither fixed nor dynamic).
        """
        if loss_scale is None:
            raise LossScaleArgumentError(f"loss_scale cannot be None. {_WHAT_IT_MUST_BE}")
        if isinstance(loss_scale, int | float):
            return cls.fixed(loss_scale)
        if isinstance(loss_scale, str):
            if loss_scale == "dynamic":
                return cls()
        elif callable(getattr(loss_scale, "get_config", None)):
            return cls._from_loss_scale_object(loss_scale)
        raise LossScaleArgumentError(
            f"Could not interpret loss scale identifier: {loss_scale}. {_WHAT_IT_MUST_BE}"
        )

    @classmethod
    def _from_loss_scale_object(cls, loss_scale: Any) -> LossScaleSpec:
        # Exactly these: what a subclass adds would be lost. TensorFlow is not imported here.
        name, package = type(loss_scale).__name__, type(loss_scale).__module__.partition(".")[0]
        if name in ("DynamicLossScale", "FixedLossScale") and package in _PACKAGES:
            return cls.from_config({"class_name": name, "config": loss_scale.get_config()})
        raise LossScaleArgumentError(
            f"{name} is neither FixedLossScale nor DynamicLossScale itself, so it has rules of its "
            "own that no spec can state. It can still be used as the loss_scale of "
            "compat_lossscale.experimental.LossScaleOptimizer."
        )

    @classmethod
    def from_constructor(
        cls,
        dynamic: bool = True,
        initial_scale: float | None = None,
        dynamic_growth_steps: int | None = None,
        rule: LossScaleRule | None = None,
    ) -> LossScaleSpec:
        """Reads the arguments of the non-experimental constructor of TensorFlow 2.4 and later.

        Args:
            dynamic: Whether the scale is dynamic.
            initial_scale: The first or only value; `None` means the default, if dynamic.
            dynamic_growth_steps: Good steps before growth; `None` means the default, if dynamic.
            rule: The rule of a dynamic scale, which contains the growth steps.

        Returns:
            The spec with the same meaning.

        Raises:
            LossScaleArgumentError: `dynamic` is not a bool (a `TypeError`, as in TensorFlow 2.4),
                or a fixed scale has no `initial_scale`, or has `dynamic_growth_steps` or a rule, or
                there are both.
        """
        if not isinstance(dynamic, bool):
            raise LossScaleArgumentError(
                '"dynamic" argument to LossScaleOptimizer.__init__ must be a bool, but got: '
                f"{dynamic!r}. The loss scale itself goes into initial_scale, with dynamic=False "
                "if it is fixed."
            )
        if rule is not None:
            check_rule(rule, dynamic=dynamic, dynamic_growth_steps=dynamic_growth_steps)
        if dynamic:
            return cls(
                rule=rule,
                initial_scale=DEFAULT_INITIAL_SCALE if initial_scale is None else initial_scale,
                growth_steps=(
                    DEFAULT_GROWTH_STEPS if dynamic_growth_steps is None else dynamic_growth_steps
                ),
            )
        if initial_scale is None:
            raise LossScaleArgumentError(
                '"initial_scale" must be specified if "dynamic" is False: it is the fixed '
                "loss scale."
            )
        if dynamic_growth_steps is not None:
            raise LossScaleArgumentError(
                '"dynamic_growth_steps" must be None if "dynamic" is False, but got: '
                f"{dynamic_growth_steps}. A fixed loss scale never grows; leave it out."
            )
        return cls.fixed(initial_scale)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> LossScaleSpec:
        """Reads the loss scale from a config dictionary of any generation.

        Args:
            config: The config of a loss-scale optimizer (2.0-2.3, 2.4-2.15, tf-keras or Keras 3),
                of an optimizer of Keras 3 with a `loss_scale_factor`, of a LossScale, of a Policy
                with a loss scale, or any of these inside `{"class_name": ..., "config": ...}`.
                Other keys are ignored.

        Returns:
            The spec.

        Raises:
            ConfigFormatError: `config` states no loss scale, or a value has a wrong type.
            LossScaleArgumentError: It states an invalid loss scale.
        """
        if not isinstance(config, Mapping):
            raise ConfigFormatError(
                f"A config must be a dictionary, but got {type(config).__name__}."
            )
        own = configs.own_loss_scale(config)
        if own is not None:
            raise ConfigFormatError(
                f"The config states a loss scale of a class of its own, {own.get('class_name')!r}, "
                "whose rules no spec can state. "
                "compat_lossscale.experimental.LossScaleOptimizer.from_config makes it, given the "
                "class in custom_objects."
            )
        bare, class_name = configs.unwrapped(config)
        stated = bare.get("loss_scale")
        if isinstance(stated, Mapping):
            return cls.from_config(stated)
        if "loss_scale" in bare:
            return cls.from_argument(stated)
        if class_name == "FixedLossScale" or "loss_scale_value" in bare:
            return cls.fixed(configs.fixed_value(bare, "loss_scale_value"))
        if class_name == "DynamicLossScale" or bare.keys() & configs.KEYS_OF_LOSS_SCALES:
            values = {
                "initial_scale": configs.number_in(bare, "initial_loss_scale"),
                "growth_steps": configs.integer_in(bare, "increment_period"),
                "multiplier": configs.number_in(bare, "multiplier"),
            }
            known = {name: value for name, value in values.items() if value is not None}
            return cls(**known)._with_rule_in(bare)  # type: ignore[arg-type]  # by their names
        if bare.keys() & (configs.LOSS_SCALE_KEYS - {"rule"}):
            # Keras 3 knows no "dynamic": its scale always is.
            dynamic = bare.get("dynamic", True)
            if not isinstance(dynamic, bool):
                raise ConfigFormatError(
                    f"'dynamic' must be of type bool, but the config has {dynamic!r}."
                )
            initial_scale = configs.number_in(bare, "initial_scale")
            growth_steps = configs.integer_in(bare, "dynamic_growth_steps")
            return cls.from_constructor(dynamic, initial_scale, growth_steps)._with_rule_in(bare)
        if bare.get(configs.FACTOR) is not None:
            return cls.fixed(configs.fixed_value(bare, configs.FACTOR))
        raise ConfigFormatError(
            "This config states no loss scale: it has none of the keys loss_scale, dynamic, "
            "initial_scale, initial_loss_scale, loss_scale_value, loss_scale_factor. Its keys are: "
            f"{sorted(map(str, bare))}."
        )

    def _with_rule_in(self, config: Mapping[str, Any]) -> LossScaleSpec:
        """The spec with the rule that a config states, which only this package does."""
        if config.get("rule") is None:
            return self
        return dataclasses.replace(self, rule=LossScaleRule.from_config(config["rule"]))

    @classmethod
    def from_optimizer_config(cls, config: Mapping[str, Any]) -> LossScaleSpec:
        """Reads the config of a loss-scale optimizer, as `from_config` does.

        It is the default loss scale if there is an `inner_optimizer` alone, as in TensorFlow 2.4.
        """
        if configs.INNER_KEYS[0] in config and not config.keys() & configs.LOSS_SCALE_KEYS:
            return cls()
        return cls.from_config(config)

    def to_loss_scale_config(self) -> dict[str, Any]:
        """Returns `{"class_name", "config"}` of the LossScale object with the same meaning.

        The form is that of TensorFlow 2.1 to 2.3, with a key `rule` if there is one.
        """
        if not self.dynamic:
            config: dict[str, Any] = {"loss_scale_value": self.initial_scale}
            return {"class_name": "FixedLossScale", "config": config}
        config = {
            "initial_loss_scale": self.initial_scale,
            "increment_period": self.growth_steps,
            "multiplier": self.multiplier,
            **self._stated_rule(),
        }
        return {"class_name": "DynamicLossScale", "config": config}

    def to_config(self, generation: Generation | str) -> dict[str, Any]:
        """Returns the part of an optimizer's config that states this loss scale.

        Args:
            generation: The form of the config: a `Generation` or its value, such as `"tf2.4"`.

        Returns:
            The keys for the loss scale, without the key for the wrapped optimizer. In Keras 3, a
            fixed scale is a key of the optimizer itself, which has no wrapper.

        Raises:
            InexpressibleLossScaleError: The generation cannot express it: a multiplier other than 2
                after TensorFlow 2.3, a fixed scale below 1 before 2.4, or a rule.
        """
        generation = Generation(generation)
        if self.rule is not None:
            fields = (f"{name}={value!r}" for name, value in self.rule.to_config().items())
            raise InexpressibleLossScaleError(
                f"{generation.title} moves the loss scale by TensorFlow's rule, and cannot express "
                f"{', '.join(fields)}. Only the optimizers of compat_lossscale take a rule."
            )
        if generation is Generation.TF23:
            if not self.dynamic and self.initial_scale < 1:
                raise InexpressibleLossScaleError(
                    "TensorFlow 2.0-2.3 refuses a fixed loss scale below 1 "
                    f"({self.initial_scale}). Convert to tf2.4 or tf-keras instead."
                )
            return {"loss_scale": self.to_loss_scale_config()}
        if self.dynamic and self.multiplier != DEFAULT_MULTIPLIER:
            raise InexpressibleLossScaleError(
                f"The {generation.value} config cannot express a multiplier other than 2, and this "
                f"one is {self.multiplier}. Use compat_lossscale.experimental.LossScaleOptimizer, "
                "or the form of TensorFlow 2.0-2.3."
            )
        if generation is Generation.KERAS3:
            if not self.dynamic:
                return {"loss_scale_factor": self.initial_scale}
            return {"initial_scale": self.initial_scale, "dynamic_growth_steps": self.growth_steps}
        return {
            "dynamic": self.dynamic,
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.growth_steps,
        }

    def to_own_config(self, generation: Generation) -> dict[str, Any]:
        """Returns what `to_config` does, with a key `rule` if there is one.

        Only this package reads such a config. Others refuse the key.
        """
        if self.rule is None:
            return self.to_config(generation)
        bare = dataclasses.replace(self, rule=None, multiplier=DEFAULT_MULTIPLIER)
        return {**bare.to_config(generation), **self._stated_rule()}

    def to_own_arguments(self) -> dict[str, Any]:
        """Returns the arguments of this package's constructors, which take a rule."""
        if self.rule is None:
            return self.to_config(Generation.TF24)
        return {"initial_scale": self.initial_scale, "rule": self.rule}

    def _stated_rule(self) -> dict[str, Any]:
        return {} if self.rule is None else {"rule": self.rule.to_config()}


def _finite(number: float, what: str) -> float:
    try:
        value = float(number)
    except OverflowError:
        raise LossScaleArgumentError(
            f"This {what} is larger than any float. Use a smaller one."
        ) from None
    if not math.isfinite(value):
        raise LossScaleArgumentError(f"A {what} must be a finite number, but got {value}.")
    return value
