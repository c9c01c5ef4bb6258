# SPDX-License-Identifier: Apache-2.0
"""The generations of loss scaling, and their configs: which keys they have, and what these state.

Configs come from files, so the type of every value is checked.
"""

from __future__ import annotations

import copy
import enum
import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any

from compat_lossscale.errors import ConfigFormatError

DEFAULT_INITIAL_SCALE = 2.0**15
"""The default first value of a dynamic loss scale, the same in every generation."""
DEFAULT_GROWTH_STEPS = 2000
"""The default number of good steps before a dynamic loss scale grows, in every generation."""
DEFAULT_MULTIPLIER = 2.0
"""The default factor of growth and backoff. TensorFlow 2.4 and later have no other."""


class Generation(enum.Enum):
    """The forms of a loss scale in configs."""

    TF23 = "tf2.3"
    """Keys `optimizer` and `loss_scale`, the config of a LossScale; TensorFlow 2.0 to 2.3."""
    TF24 = "tf2.4"
    """Keys `inner_optimizer`, `dynamic`, `initial_scale`, `dynamic_growth_steps`; 2.4 to 2.15."""
    TF_KERAS = "tf-keras"
    """The same keys as 2.4, written by tf-keras 2.16 and later."""
    KERAS3 = "keras3"
    """Keys `inner_optimizer`, `initial_scale`, `dynamic_growth_steps`, for dynamic scales. A fixed
    scale is the key `loss_scale_factor` of an optimizer without a wrapper."""

    @property
    def title(self) -> str:
        """The name for users."""
        return _TITLES[self]


_TITLES = {
    Generation.TF23: "TensorFlow 2.0-2.3",
    Generation.TF24: "TensorFlow 2.4-2.15",
    Generation.TF_KERAS: "tf-keras",
    Generation.KERAS3: "Keras 3",
}


WRAPPERS = frozenset({"LossScaleOptimizer", "LossScaleOptimizerV1", "LossScaleOptimizerV3"})
"""The class names under which loss-scale optimizers have been saved."""
POLICIES = frozenset({"Policy", "PolicyV1"})
"""The class names of dtype policies that may have a loss scale."""
FACTOR = "loss_scale_factor"
"""The key of an optimizer of Keras 3 that is a fixed loss scale: it needs no wrapper."""
INNER_KEYS = ("inner_optimizer", "optimizer")
"""The wrapped optimizer, as TensorFlow 2.4 and earlier versions call it."""
LOSS_SCALE_KEYS = frozenset(
    {"dynamic", "initial_scale", "dynamic_growth_steps", "loss_scale", "rule"}
)
"""The keys of an optimizer's config that state its loss scale."""


class ConfigForm(enum.Enum):
    """The form of a loss scale in a config: it says what the values are the arguments of."""

    FIELDS = "the fields of a `LossScaleSpec`"
    ARGUMENT = "the `loss_scale` argument of the old constructors"
    CONSTRUCTOR = "the arguments of the constructor of TensorFlow 2.4 and later"


def unwrapped(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], str | None]:
    """Returns what is in `{"class_name", "config"}`, and the class; a bare config as it is."""
    class_name, inner = config.get("class_name"), config.get("config")
    if isinstance(class_name, str) and isinstance(inner, Mapping):
        return inner, class_name
    return config, None


def read_loss_scale_config(config: Mapping[str, Any]) -> tuple[ConfigForm, dict[str, Any]]:
    """Finds the loss scale in a config.

    Returns:
        The form and its keyword arguments.

    Raises:
        ConfigFormatError: `config` states no loss scale, or a value has a wrong type.
    """
    if not isinstance(config, Mapping):
        raise ConfigFormatError(f"A config must be a dictionary, but got {type(config).__name__}.")
    inner, class_name = unwrapped(config)
    if class_name is not None:
        read = LOSS_SCALES.get(class_name)
        if read is not None:
            return ConfigForm.FIELDS, read(inner)
        if inner.keys() & KEYS_OF_LOSS_SCALES:
            raise _own_class(class_name)
        return read_loss_scale_config(inner)
    if "loss_scale" in config:
        loss_scale = config["loss_scale"]
        if isinstance(loss_scale, Mapping):
            class_name = loss_scale.get("class_name")
            if isinstance(class_name, str) and class_name not in LOSS_SCALES:
                raise _own_class(class_name)
            return read_loss_scale_config(loss_scale)
        return ConfigForm.ARGUMENT, {"loss_scale": loss_scale}
    if "loss_scale_value" in config:
        return ConfigForm.FIELDS, _fixed(config)
    if "increment_period" in config or "initial_loss_scale" in config:
        return ConfigForm.FIELDS, _dynamic(config)
    if config.keys() & (LOSS_SCALE_KEYS - {"rule"}):
        return ConfigForm.CONSTRUCTOR, _constructor(config)
    if config.get(FACTOR) is not None:
        return ConfigForm.FIELDS, _fixed(config, FACTOR)
    raise ConfigFormatError(
        "This config states no loss scale: it has none of the keys loss_scale, dynamic, "
        "initial_scale, initial_loss_scale, loss_scale_value, loss_scale_factor. Its keys are: "
        f"{sorted(map(str, config))}."
    )


def _own_class(class_name: str) -> ConfigFormatError:
    return ConfigFormatError(
        f"The config states a loss scale of a class of its own, {class_name!r}, whose rules no "
        "spec can state. compat_lossscale.experimental.LossScaleOptimizer.from_config makes it, "
        "given the class in custom_objects."
    )


def _fixed(config: Mapping[str, Any], key: str = "loss_scale_value") -> dict[str, Any]:
    value = _number(config, key)
    if value is None:
        raise ConfigFormatError("A FixedLossScale's config must have a loss_scale_value.")
    return {"dynamic": False, "initial_scale": value, "growth_steps": None, "multiplier": None}


def _dynamic(config: Mapping[str, Any]) -> dict[str, Any]:
    values = {
        "initial_scale": _number(config, "initial_loss_scale"),
        "growth_steps": _integer(config, "increment_period"),
        "multiplier": _number(config, "multiplier"),
        **_rule(config),
    }
    return {name: value for name, value in values.items() if value is not None}


LOSS_SCALES: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "FixedLossScale": _fixed,
    "DynamicLossScale": _dynamic,
}
"""What reads the config of a LossScale, by the name of its class."""
KEYS_OF_LOSS_SCALES = frozenset({"loss_scale_value", "initial_loss_scale", "increment_period"})
"""What the config of a LossScale itself has."""


def _constructor(config: Mapping[str, Any]) -> dict[str, Any]:
    # Keras 3 knows no "dynamic": its scale always is.
    dynamic = config.get("dynamic", True)
    if not isinstance(dynamic, bool):
        raise ConfigFormatError(f"'dynamic' must be of type bool, but the config has {dynamic!r}.")
    return {
        "dynamic": dynamic,
        "initial_scale": _number(config, "initial_scale"),
        "dynamic_growth_steps": _integer(config, "dynamic_growth_steps"),
        **_rule(config),
    }


def _rule(config: Mapping[str, Any]) -> dict[str, Any]:
    """The rule, which only this package states, in the form of `LossScaleRule.to_config`."""
    rule = config.get("rule")
    return {} if rule is None else {"rule": rule}


def _number(config: Mapping[str, Any], key: str) -> float | None:
    value = config.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ConfigFormatError(f"{key!r} must be a number, but the config has {value!r}.")
    try:
        return float(value)
    except OverflowError:
        raise ConfigFormatError(f"{key!r} is larger than any float; use a smaller one.") from None


def _integer(config: Mapping[str, Any], key: str) -> int | None:
    value = _number(config, key)
    if value is None:
        return None
    if not math.isfinite(value) or value != int(value):
        raise ConfigFormatError(f"{key!r} must be a whole number, but the config has {value!r}.")
    return int(config[key])


def inner_in(config: Mapping[str, Any]) -> Any:
    """Returns the wrapped optimizer that a config has, or the config of it.

    A config is a copy, because Keras changes a dictionary that it deserializes.

    Raises:
        ConfigFormatError: There is none. (It is a `KeyError`, as in every TensorFlow.)
    """
    for key in INNER_KEYS:
        if key in config:
            stored = config[key]
            return copy.deepcopy(dict(stored)) if isinstance(stored, Mapping) else stored
    raise ConfigFormatError(
        "This config has no optimizer to wrap: it has neither the key 'inner_optimizer', of "
        "TensorFlow 2.4 and later, nor 'optimizer', of 2.0 to 2.3. Its keys are: "
        f"{sorted(map(str, config))}."
    )


def others_in(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what is in an optimizer's config beside the loss scale and the wrapped optimizer."""
    known = LOSS_SCALE_KEYS.union(INNER_KEYS)
    return {key: value for key, value in config.items() if key not in known}
