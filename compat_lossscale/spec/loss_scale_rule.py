# SPDX-License-Identifier: Apache-2.0
"""`LossScaleRule`: how a dynamic loss scale moves, with what other systems let you set."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Literal

from compat_lossscale.errors import ConfigFormatError, LossScaleArgumentError
from compat_lossscale.spec.rule_fields import (
    checked_count,
    checked_number,
    float32,
    reciprocal,
    refusal,
)
from compat_lossscale.spec.update_rule import RuleNumbers

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
            power of 2, that is the same to the bit. For other factors, the last bit can differ.
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
        if float32(self.growth_factor) <= 1:
            raise refusal("growth_factor", "greater than 1", self.growth_factor)
        if not (self.backoff_factor > 0 and 1 < float32(1 / self.backoff_factor) < math.inf):
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

    @classmethod
    def of_multiplier(cls, growth_steps: int, multiplier: float) -> LossScaleRule:
        """Returns TensorFlow's rule with other numbers.

        Raises:
            LossScaleArgumentError: The old constructors take the numbers, but a rule does not.
        """
        if not multiplier:
            raise refusal("multiplier", "greater than 1", multiplier)
        return cls(
            growth_steps=growth_steps, growth_factor=multiplier, backoff_factor=1 / multiplier
        )

    @property
    def multiplier(self) -> float | None:
        """The one factor of growth and backoff, if the old constructors can say the whole rule."""
        says_more = self.to_config().keys() - {"growth_steps", "growth_factor", "backoff_factor"}
        is_one = float32(self.growth_factor) == float32(1 / self.backoff_factor)
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

    @classmethod
    def tensorflow(cls, *, increment_period: int = 2000, multiplier: float = 2.0) -> LossScaleRule:
        """Returns the rule of TensorFlow, tf-keras and jmp, with the names of `DynamicLossScale`.

        Args:
            increment_period: Good steps before growth.
            multiplier: The factor of growth and backoff.
        """
        return cls.of_multiplier(increment_period, multiplier)

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
        cls,
        *,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
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
        """Returns the rule of DeepSpeed's `DynamicLossScaler`.

        The names are those of the class, and the defaults are those of DeepSpeed's configuration.
        The first good step after an overflow does not count, as in DeepSpeed.

        Args:
            scale_window: Good steps before growth; `loss_scale_window` in the configuration.
            min_scale: The floor; `min_loss_scale` in the configuration.
            delayed_shift: Bad steps before backoff; `hysteresis` in the configuration.
            consecutive_hysteresis: Whether every good step starts that count again.
            raise_error_at_min_scale: Whether a step that would shrink the scale below its floor is
                an error.
            scale_factor: The factor of growth and backoff.
        """
        return cls(
            growth_steps=scale_window,
            growth_factor=scale_factor,
            backoff_factor=reciprocal("scale_factor", scale_factor),
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


_COUNTS = {"growth_steps": 1, "hysteresis": 1, "floor_steps": 1, "growth_delay": 0}
"""The fields that count steps, and their lowest values."""
_SMALLEST = 2.0**-149
"""The smallest float32 above 0."""


def check_rule(
    rule: object, *, dynamic: bool = True, dynamic_growth_steps: int | None = None
) -> None:
    """Refuses a `rule` that contradicts the other arguments of a constructor.

    Raises:
        LossScaleArgumentError: It is no rule, or the scale is fixed or has growth steps of its own.
    """
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
