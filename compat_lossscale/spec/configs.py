# SPDX-License-Identifier: Apache-2.0
"""The generations of loss scaling, and their configs: which keys they have, and what these state.

Configs come from files, so the type of every value is checked.
"""

from __future__ import annotations

import copy
import enum
import math
import numbers
from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import ConfigFormatError


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
REGISTERED_WRAPPERS = (*WRAPPERS, *(name.lower() for name in WRAPPERS))
"""The same for registries: Keras lowers the names of its own optimizers before it looks them up."""
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


def unwrapped(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], str | None]:
    """Returns what is in `{"class_name", "config"}`, and the class; a bare config as it is."""
    class_name, inner = config.get("class_name"), config.get("config")
    if isinstance(class_name, str) and isinstance(inner, Mapping):
        return inner, class_name
    return config, None


LOSS_SCALES = frozenset({"FixedLossScale", "DynamicLossScale"})
"""The class names of loss scales that a spec can state."""
KEYS_OF_LOSS_SCALES = frozenset({"loss_scale_value", "initial_loss_scale", "increment_period"})
"""What the config of a LossScale itself has."""


def own_loss_scale(config: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the `{"class_name", "config"}` of a loss scale of the user's own class, or `None`.

    `config` is that of a loss-scale optimizer, of a policy or of a loss scale.
    """
    bare, class_name = unwrapped(config)
    stated = bare.get("loss_scale")
    if isinstance(stated, Mapping):
        name = stated.get("class_name")
        return None if isinstance(name, str) and name in LOSS_SCALES else stated
    is_own = class_name is not None and class_name not in (*LOSS_SCALES, *WRAPPERS, *POLICIES)
    return config if is_own and bare.keys() & KEYS_OF_LOSS_SCALES else None


def fixed_value(config: Mapping[str, Any], key: str) -> float:
    """Returns the value of a fixed loss scale."""
    value = number_in(config, key)
    if value is None:
        raise ConfigFormatError(f"The config of a fixed loss scale must have a {key}.")
    return value


def number_in(config: Mapping[str, Any], key: str) -> float | None:
    """Returns a number that a config has; `None` without one."""
    value = config.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ConfigFormatError(f"{key!r} must be a number, but the config has {value!r}.")
    try:
        return float(value)
    except OverflowError:
        raise ConfigFormatError(f"{key!r} is larger than any float; use a smaller one.") from None


def integer_in(config: Mapping[str, Any], key: str) -> int | None:
    """Returns a whole number that a config has; `None` without one."""
    value = number_in(config, key)
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
