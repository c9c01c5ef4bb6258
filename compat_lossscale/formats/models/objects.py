# SPDX-License-Identifier: Apache-2.0
"""Serialized objects in a model's config: initializers, losses, policies, functions and the like.

Each is `{"module", "class_name", "config", "registered_name"}`. Layers and models, which are
objects too, have modules of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from compat_lossscale.formats.models import class_tables
from compat_lossscale.formats.models.class_tables import ANYTHING, INSTEAD, SHARED, Kind
from compat_lossscale.formats.models.translation_context import Translation
from compat_lossscale.spec import Generation

OF_KERAS = ("keras", "tf_keras")
"""The packages whose classes are Keras' own."""
_PARTS = (
    (".schedules", Kind.SCHEDULE),
    (".layers", Kind.LAYER),
    (".initializers", Kind.INITIALIZER),
    (".regularizers", Kind.REGULARIZER),
    (".constraints", Kind.CONSTRAINT),
    (".losses", Kind.LOSS),
    (".metrics", Kind.METRIC),
    (".engine", Kind.MODEL),
    (".models", Kind.MODEL),
    (".core", Kind.LAYER),
)
_SAME_FORM = frozenset({"__numpy__", "__tensor__", "__bytes__", "__ellipsis__", "__slice__"})
_CODE = frozenset({"__lambda__", "Lambda"})
_FUNCTION = "function"
OWN_CODE = "it is code of the user's own, which is not in the file; pass it as custom_objects"
PYTHON_CODE = (
    "its function is stored as Python bytecode, which Keras does not run by default and no other "
    "version of Python can; write a layer instead"
)


def is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a serialized object."""
    if not isinstance(value, Mapping):
        return False
    return isinstance(value.get("class_name"), str) and "config" in value


def kind_of(obj: Mapping[str, Any]) -> Kind | None:
    """Returns which kind of Keras' own objects one is; `None` if it is not Keras' own."""
    module, name = obj.get("module"), obj["class_name"]
    if not isinstance(module, str) or module.partition(".")[0] not in OF_KERAS:
        return None
    if obj.get("registered_name") not in (None, name):
        return None
    if module == Kind.MODEL.value:
        return Kind.MODEL if name in class_tables.NETWORKS else Kind.LAYER
    return next((kind for part, kind in _PARTS if part in module), None)


def convert_object(obj: Mapping[str, Any], place: str, to: Translation) -> Any:
    """Converts a serialized object that is no layer, no model and no policy.

    Args:
        obj: The object.
        place: Where it stands.
        to: The translation.

    Returns:
        The object in the other Keras' form.
    """
    name, config = obj["class_name"], obj["config"]
    if name in _SAME_FORM:
        return dict(obj)
    if name in _CODE:
        to.lost(place, name, PYTHON_CODE)
        return dict(obj)
    if name == _FUNCTION:
        return _convert_function(obj, place, to)
    kind = kind_of(obj)
    if kind is None or not isinstance(config, Mapping):
        return _convert_own(obj, place, to)
    name = class_tables.OLD_NAMES.get(name, name)
    if name not in SHARED[kind]:
        lose_class(name, place, to)
    converted = convert_settings(kind, name, config, place, to)
    if kind is Kind.LOSS:
        _convert_reduction(converted, place, to)
    return {
        **{key: value for key, value in obj.items() if key in ("shared_object_id", "name")},
        "module": kind.value,
        "class_name": name,
        "config": converted,
        "registered_name": None,
    }


def lose_class(name: str, place: str, to: Translation) -> None:
    """Notes that the other Keras has no class of a name."""
    hint = f"; {INSTEAD[name]}" if name in INSTEAD else ""
    to.lost(place, name, f"{to.target.title} has no {name}{hint}")


def convert_settings(
    kind: Kind, name: str, config: Mapping[str, Any], place: str, to: Translation
) -> dict[str, Any]:
    """Converts the settings of a class that both have.

    Args:
        kind: The class' kind.
        name: The class.
        config: Its settings.
        place: Where it stands.
        to: The translation.

    Returns:
        The settings, under their names in the other Keras. What it does not have is left out, and
        noted as lost unless it says nothing.
    """
    only_here = class_tables.settings_of_one(kind, name, to.source)
    names = class_tables.renamed(name, to.source) if kind is Kind.LAYER else {}
    converted: dict[str, Any] = {}
    for key, value in config.items():
        if key in names:
            converted[names[key]] = to.value(value, f"{place}.{key}")
        elif key not in only_here:
            converted[key] = to.value(value, f"{place}.{key}")
        elif only_here[key] is not ANYTHING and value != only_here[key]:
            to.lost(f"{place}.{key}", value, f"{name} of {to.target.title} has no {key}")
    return converted


def _convert_own(obj: Mapping[str, Any], place: str, to: Translation) -> dict[str, Any]:
    """Carries the config of a user's own class, in which Keras' own objects are converted."""
    to.noted(place, obj["class_name"], OWN_CODE)
    return {**obj, "config": to.value(obj["config"], place)}


def _convert_function(obj: Mapping[str, Any], place: str, to: Translation) -> dict[str, Any]:
    name = obj["config"]
    is_known = isinstance(name, str) and name in class_tables.ACTIVATIONS
    if not is_known and obj.get("module") not in OF_KERAS and not _is_loss(name):
        to.noted(place, name, OWN_CODE)
    return dict(obj)


def _is_loss(name: Any) -> bool:
    # Losses and metrics are stored as the functions that they call.
    spelled = "".join(part.capitalize() for part in str(name).split("_"))
    return spelled in SHARED[Kind.LOSS] | SHARED[Kind.METRIC]


def _convert_reduction(config: dict[str, Any], place: str, to: Translation) -> None:
    reduction = config.get("reduction")
    if to.target is Generation.KERAS3:
        if reduction == "auto":
            config["reduction"] = "sum_over_batch_size"
    elif reduction in ("mean", "mean_with_sample_weight"):
        to.lost(f"{place}.reduction", reduction, f"{to.target.title} has no such reduction")
