# SPDX-License-Identifier: Apache-2.0
"""Translates a model's config as a whole, with what it was compiled with."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from compat_lossscale.formats.conversion import Field
from compat_lossscale.formats.models import layers, networks, objects, policies
from compat_lossscale.formats.models.class_tables import NETWORKS, Kind
from compat_lossscale.formats.models.compiling import convert_compile_config
from compat_lossscale.formats.models.translation_context import Translation
from compat_lossscale.spec import Generation

COMPILED = "compile_config"


@dataclasses.dataclass(frozen=True)
class ModelConversion:
    """A model's config in the other Keras' form.

    Attributes:
        config: The config, all but the optimizer's, which stays as it was.
        fields: What the other Keras cannot read, or reads otherwise: nothing of what is the same.
    """

    config: dict[str, Any]
    fields: tuple[Field, ...]


def convert_model(model: Any, target: Generation) -> ModelConversion | None:
    """Converts the config of a model.

    Args:
        model: What an archive has as `config.json`.
        target: Keras 3, for a model of tf-keras; tf-keras, for one of Keras 3.

    Returns:
        The conversion; `None` if it is no model.
    """
    if not objects.is_object(model) or not isinstance(model["config"], Mapping):
        return None
    to = Translation(target, convert_value)
    converted: dict[str, Any] = convert_value(to, model, "")
    compiled = model.get(COMPILED)
    if isinstance(compiled, Mapping):
        converted[COMPILED] = convert_compile_config(compiled, to)
    return ModelConversion(converted, tuple(to.fields))


def convert_value(to: Translation, value: Any, place: str) -> Any:
    """Converts any value of a config, and everything in it."""
    if isinstance(value, list):
        return [convert_value(to, child, place) for child in value]
    if not isinstance(value, Mapping):
        return value
    if not objects.is_object(value):
        return to.values(value, place)
    name = value["class_name"]
    if name in policies.NAMES | policies.OF_KERAS3:
        return policies.convert_policy(value, place, to)
    kind = objects.kind_of(value)
    if isinstance(value["config"], Mapping):
        if kind in (Kind.MODEL, Kind.LAYER) and name in NETWORKS:
            return networks.convert_network(value, place, to)
        if kind in (Kind.MODEL, Kind.LAYER):
            return layers.convert_layer(value, place, to)
    return objects.convert_object(value, place or "model", to)
