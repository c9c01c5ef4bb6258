# SPDX-License-Identifier: Apache-2.0
"""Whether two configs mean the same, and conversion without loss. Needs no TensorFlow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import InexpressibleLossScaleError, LossScaleArgumentError
from compat_lossscale.formats.conversion import convert, meaning
from compat_lossscale.spec import Generation


def configs_equivalent(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether two loss-scale configs, of whatever generations, mean the same.

    They do if their loss scales do, and wrap optimizers of the same class with the same settings.
    Names, `jit_compile`, and how a generation writes things down are not compared, nor is which
    family the wrapped optimizer belongs to. Numbers are compared as float32, as which the older
    optimizers keep them.

    Args:
        a: A config, bare or in `{"class_name", "config"}`.
        b: Another.

    Returns:
        Whether training with one is training with the other.

    Raises:
        ConfigFormatError: One is no config of a loss scale.
        LossScaleArgumentError: One states a loss scale that cannot be.
    """
    return _without_names(a) == _without_names(b)


def _without_names(config: Mapping[str, Any]) -> dict[str, Any]:
    fields = meaning(config)
    return {key: value for key, value in fields.items() if key != "optimizer.name"}


def convert_config(config: Mapping[str, Any], *, to: Generation | str) -> dict[str, Any]:
    """Converts a loss-scale config to another generation's form, without loss.

    Args:
        config: A config of any generation, bare as `get_config()` gives it or in
            `{"class_name", "config"}`. It is not changed.
        to: The generation, or its value: `"tf2.3"`, `"tf2.4"`, `"tf-keras"` or `"keras3"`.

    Returns:
        The config in that form, bare if `config` is.

    Raises:
        InexpressibleLossScaleError: That form has no words for something that `config` says. The
            message names it and says why. `compat_lossscale.formats.convert` converts all the same.
        ConfigFormatError: `config` is no config of a loss scale.
        ValueError: There is no such generation.
    """
    generation = _generation(to)
    conversion = convert(config, generation)
    if conversion.lost or conversion.config is None:
        reasons = "; ".join(f"{field.name}: {field.reason}" for field in conversion.lost)
        raise InexpressibleLossScaleError(
            f"The form of {generation.title} cannot say this config: {reasons}"
        )
    return conversion.config


def _generation(name: Generation | str) -> Generation:
    try:
        return Generation(name)
    except ValueError:
        known = ", ".join(generation.value for generation in Generation)
        raise LossScaleArgumentError(
            f"There is no generation {name!r}. Convert to one of: {known}."
        ) from None
