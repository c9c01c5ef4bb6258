# SPDX-License-Identifier: Apache-2.0
"""Whether two configs have the same meaning, and conversion without loss. Needs no TensorFlow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import InexpressibleLossScaleError, LossScaleArgumentError
from compat_lossscale.formats.conversion import convert, meaning
from compat_lossscale.spec import Generation


def configs_equivalent(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether two loss-scale configs of any generations have the same meaning.

    They have if their loss scales are equal and they wrap optimizers of the same class with the
    same settings. Names, `jit_compile`, the form of a generation and the family of the wrapped
    optimizer are not compared. Numbers are compared as float32, because the older optimizers keep
    them as float32.

    Args:
        a: A config, bare or in `{"class_name", "config"}`.
        b: Another config.

    Returns:
        Whether training with both configs is the same.

    Raises:
        ConfigFormatError: One of them is not a config of a loss scale.
        LossScaleArgumentError: One of them states an invalid loss scale.
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
        InexpressibleLossScaleError: That form cannot express something in `config`. The message
            says what and why. `compat_lossscale.formats.convert` converts in spite of that.
        ConfigFormatError: `config` is not a config of a loss scale.
        ValueError: There is no such generation.
    """
    generation = _generation(to)
    conversion = convert(config, generation)
    if conversion.lost or conversion.config is None:
        reasons = "; ".join(f"{field.name}: {field.reason}" for field in conversion.lost)
        raise InexpressibleLossScaleError(
            f"The form of {generation.title} cannot express this config: {reasons}"
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
