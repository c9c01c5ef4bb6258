# SPDX-License-Identifier: Apache-2.0
"""Writes a `LossScaleSpec` in the forms that each generation reads. Its methods say which."""

from __future__ import annotations

from typing import Any, Protocol

from compat_lossscale.errors import InexpressibleLossScaleError
from compat_lossscale.spec.generation import (
    DEFAULT_GROWTH_STEPS,
    DEFAULT_INITIAL_SCALE,
    DEFAULT_MULTIPLIER,
    Generation,
)
from compat_lossscale.spec.loss_scale_rule import LossScaleRule


class StatedLossScale(Protocol):
    """The fields of a `LossScaleSpec`."""

    @property
    def dynamic(self) -> bool: ...  # noqa: D102  # as in the spec
    @property
    def initial_scale(self) -> float: ...  # noqa: D102  # as in the spec
    @property
    def growth_steps(self) -> int | None: ...  # noqa: D102  # as in the spec
    @property
    def multiplier(self) -> float | None: ...  # noqa: D102  # as in the spec
    @property
    def rule(self) -> LossScaleRule | None: ...  # noqa: D102  # as in the spec


def loss_scale_config(spec: StatedLossScale) -> dict[str, Any]:
    """Does what `LossScaleSpec.to_loss_scale_config` says."""
    if spec.dynamic:
        config = {
            "initial_loss_scale": spec.initial_scale,
            "increment_period": spec.growth_steps,
            "multiplier": spec.multiplier,
            **stated_rule(spec),
        }
        return {"class_name": "DynamicLossScale", "config": config}
    return {"class_name": "FixedLossScale", "config": {"loss_scale_value": spec.initial_scale}}


def optimizer_config(spec: StatedLossScale, generation: Generation) -> dict[str, Any]:
    """Does what `LossScaleSpec.to_config` says."""
    _require_no_rule(spec, f"{generation.title} moves")
    if generation is Generation.TF23:
        if not spec.dynamic and spec.initial_scale < 1:
            raise InexpressibleLossScaleError(
                "TensorFlow 2.0-2.3 refuses a fixed loss scale below 1 "
                f"({spec.initial_scale}). Convert to tf2.4 or tf-keras instead."
            )
        return {"loss_scale": loss_scale_config(spec)}
    _require_multiplier_two(spec, f"The {generation.value} config")
    if generation is Generation.KERAS3:
        if not spec.dynamic:
            return {"loss_scale_factor": spec.initial_scale}
        return {"initial_scale": spec.initial_scale, "dynamic_growth_steps": spec.growth_steps}
    return {
        "dynamic": spec.dynamic,
        "initial_scale": spec.initial_scale,
        "dynamic_growth_steps": spec.growth_steps,
    }


def constructor_kwargs(spec: StatedLossScale) -> dict[str, Any]:
    """Does what `LossScaleSpec.to_constructor_kwargs` says."""
    _require_no_rule(
        spec, "The constructor of tf.keras.mixed_precision makes an optimizer that moves"
    )
    _require_multiplier_two(spec, "The constructor of tf.keras.mixed_precision")
    if not spec.dynamic:
        return {"dynamic": False, "initial_scale": spec.initial_scale}
    kwargs: dict[str, Any] = {}
    if spec.initial_scale != DEFAULT_INITIAL_SCALE:
        kwargs["initial_scale"] = spec.initial_scale
    if spec.growth_steps != DEFAULT_GROWTH_STEPS:
        kwargs["dynamic_growth_steps"] = spec.growth_steps
    return kwargs


def stated_rule(spec: StatedLossScale) -> dict[str, Any]:
    """Returns the key `rule` and its value, if the spec has a rule."""
    return {} if spec.rule is None else {"rule": spec.rule.to_config()}


def _require_no_rule(spec: StatedLossScale, what_moves: str) -> None:
    if spec.rule is not None:
        fields = (f"{name}={value!r}" for name, value in spec.rule.to_config().items())
        raise InexpressibleLossScaleError(
            f"{what_moves} the loss scale by TensorFlow's rule, and cannot express "
            f"{', '.join(fields)}. Only the optimizers of compat_lossscale take a rule."
        )


def _require_multiplier_two(spec: StatedLossScale, place: str) -> None:
    if spec.dynamic and spec.multiplier != DEFAULT_MULTIPLIER:
        raise InexpressibleLossScaleError(
            f"{place} cannot express a multiplier other than 2, and this one is "
            f"{spec.multiplier}. Use compat_lossscale.experimental.LossScaleOptimizer, or the "
            "form of TensorFlow 2.0-2.3."
        )
