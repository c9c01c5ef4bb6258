# SPDX-License-Identifier: Apache-2.0
"""What the optimizers of TensorFlow 2.0 to 2.4 have in common, whichever Keras they are for."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.errors import ConfigFormatError, InexpressibleLossScaleError, UnscalableError
from compat_lossscale.members.loss_scales import LossScaleConfigs
from compat_lossscale.spec import DEFAULT_MULTIPLIER, Generation, LossScaleSpec

_LOSS_SCALE_KEYS = frozenset(
    {"dynamic", "initial_scale", "dynamic_growth_steps", "loss_scale", "rule"}
)
_INNER_KEYS = ("inner_optimizer", "optimizer")
"""The wrapped optimizer, as TensorFlow 2.4 and earlier versions call it."""


def spec_of(loss_scale: LossScale) -> LossScaleSpec | None:
    """Returns a loss scale's spec; `None` if it is of a user's own class."""
    # A subclass has rules or arguments of its own, which no spec states.
    return loss_scale.spec if type(loss_scale) in (FixedLossScale, DynamicLossScale) else None


def initial_scale_of(loss_scale: LossScale) -> float | None:
    """Returns the first or only value of a loss scale, of a user's subclass too, if it has one."""
    if isinstance(loss_scale, FixedLossScale):
        return loss_scale._loss_scale_value
    return loss_scale.initial_loss_scale if isinstance(loss_scale, DynamicLossScale) else None


def config_of(
    loss_scale: LossScale, inner_config: Any, configs: LossScaleConfigs
) -> dict[str, Any]:
    """Returns the config of an optimizer, in the form of TensorFlow 2.4.

    Where that form has no words for the loss scale (a multiplier other than 2, a user's own
    LossScale), it is in the form of TensorFlow 2.0 to 2.3. A rule has a key `rule`, which only this
    package reads.

    Args:
        loss_scale: The optimizer's loss scale.
        inner_config: The config of the optimizer that it wraps.
        configs: Serializes a loss scale of a user's own class.
    """
    spec = spec_of(loss_scale)
    if spec is None:
        return {"optimizer": inner_config, "loss_scale": configs.serialize(loss_scale)}
    if spec.multiplier in (None, 2.0) or spec.rule is not None:
        return {"inner_optimizer": inner_config, **spec.to_own_config(Generation.TF24)}
    return {"optimizer": inner_config, **spec.to_config(Generation.TF23)}


def spec_in(config: Mapping[str, Any]) -> LossScaleSpec:
    """Returns the spec that a config of any generation states.

    It is the default one if there is an `inner_optimizer` alone, as in TensorFlow 2.4.

    Raises:
        ConfigFormatError: `config` is no config of a loss-scale optimizer.
    """
    if "inner_optimizer" in config and not config.keys() & _LOSS_SCALE_KEYS:
        return LossScaleSpec()
    return LossScaleSpec.from_config(config)


def arguments_in(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments for the loss scale that a config states, of TensorFlow 2.4's class.

    Raises:
        ConfigFormatError: `config` is no config of a loss-scale optimizer.
        InexpressibleLossScaleError: The loss scale's multiplier is not 2.
    """
    spec = spec_in(config)
    if spec.dynamic and spec.rule is None and spec.multiplier != DEFAULT_MULTIPLIER:
        raise InexpressibleLossScaleError(
            # Programs and tests match on these words of TensorFlow 2.4 and later.
            "Cannot deserialize LossScaleOptimizer with a DynamicLossScale whose multiplier is not "
            f"2. Got DynamicLossScale: DynamicLossScale({spec.initial_scale}, "
            f"{spec.growth_steps}, {spec.multiplier}). "
            "compat_lossscale.experimental.LossScaleOptimizer takes it."
        )
    return spec.to_own_arguments()


def inner_in(config: Mapping[str, Any]) -> Any:
    """Returns the wrapped optimizer that a config has, or the config of it.

    A config is a copy, because Keras changes a dictionary that it deserializes.

    Raises:
        ConfigFormatError: There is none. (It is a `KeyError`, as in every TensorFlow.)
    """
    for key in _INNER_KEYS:
        if key in config:
            stored = config[key]
            return copy.deepcopy(dict(stored)) if isinstance(stored, Mapping) else stored
    raise ConfigFormatError(
        "This config has no optimizer to wrap: it has neither the key 'inner_optimizer', of "
        "TensorFlow 2.4 and later, nor 'optimizer', of 2.0 to 2.3. Its keys are: "
        f"{sorted(map(str, config))}."
    )


def others_in(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a subclass put into its config for a constructor of its own."""
    known = _LOSS_SCALE_KEYS.union(_INNER_KEYS)
    return {key: value for key, value in config.items() if key not in known}


def check_has_tape(loss: Any, tape: Any) -> None:
    """Refuses a loss that cannot be scaled under its tape.

    Args:
        loss: What `minimize` was given: a tensor, or a callable that gives one.
        tape: The tape that it was given, or `None`.

    Raises:
        UnscalableError: `loss` is no callable, and there is no tape. (It is a `TypeError`, as in
            TensorFlow 2.0 to 2.3, and a `ValueError`, as in later versions.)
    """
    if tape is None and not callable(loss):
        raise UnscalableError(
            "`tape` is required when the loss is a tensor: the tape under which it was computed. "
            "A callable loss needs none."
        )
