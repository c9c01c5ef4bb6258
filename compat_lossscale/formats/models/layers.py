# SPDX-License-Identifier: Apache-2.0
"""The config of one layer, between tf-keras and Keras 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat_lossscale.formats.models import class_tables
from compat_lossscale.formats.models.class_tables import RECURRENT, SHARED, Kind
from compat_lossscale.formats.models.objects import PYTHON_CODE, convert_settings, lose_class
from compat_lossscale.formats.models.policies import compute_dtype
from compat_lossscale.formats.models.translation_context import Translation
from compat_lossscale.spec import Generation

_ACTIVATIONS = ("activation", "recurrent_activation")
_ATTENTION = "MultiHeadAttention"
_IMAGES = 4
"""The rank of inputs that tf-keras' batch normalization has a fused operation for."""
_FUSED = (
    "from images, tf-keras computes the moving variance as that of a sample, n/(n-1) times that of "
    "Keras 3: it moves otherwise from here on, and the trained weights do not"
)
_LOOKUPS = ("IntegerLookup", "StringLookup")
_ROUNDED = "tf-keras keeps the mean and the variance in the dtype in which the layer computes"
_NARROW = ("float16", "bfloat16")
_ACTIVITY = (
    "Keras 3.10 and later cannot train with the activity loss of a layer that computes in this "
    "dtype; give the layer dtype='float32'"
)
_SHAPES = ("query_shape", "key_shape", "value_shape")


def convert_layer(layer: Mapping[str, Any], place: str, to: Translation) -> dict[str, Any]:
    """Converts a layer of Keras' own.

    Args:
        layer: The serialized layer; `config` is a dictionary.
        place: What to call it.
        to: The translation.

    Returns:
        The layer in the other Keras' form, without the calls of it.
    """
    name, config = layer["class_name"], layer["config"]
    if name == "Lambda":
        to.lost(place, name, PYTHON_CODE)
    elif name not in SHARED[Kind.LAYER]:
        lose_class(name, place, to)
    elif name in class_tables.OTHER_LAYERS:
        to.lost(place, name, class_tables.OTHER_LAYERS[name])
    is_known = name in SHARED[Kind.LAYER]
    settings = convert_settings(Kind.LAYER, name, config, place, to) if is_known else dict(config)
    if not is_known:
        settings = to.values(config, place)
    for key in _ACTIVATIONS:
        if isinstance(config.get(key), str):
            check_activation(config[key], f"{place}.{key}", to)
    _check_interpolation(name, config, place, to)
    shapes = layer.get("build_config")
    if name == "BatchNormalization":
        _convert_axis(settings)
        _note_fused(shapes, place, to)
    if to.target is Generation.TF_KERAS:
        _convert_preprocessing(name, config, settings, place, to)
    if name == "ActivityRegularization" or config.get("activity_regularizer") is not None:
        _check_activity(config, place, to)
    if name == _ATTENTION and to.target is Generation.TF_KERAS:
        settings |= _attention_shapes(shapes)
    converted = {
        **{key: layer[key] for key in ("name", "shared_object_id") if key in layer},
        "module": Kind.LAYER.value if is_known else layer.get("module"),
        "class_name": name,
        "config": settings,
        "registered_name": None,
    }
    built = _build_config(name, config, shapes, to)
    return converted if built is None else {**converted, "build_config": built}


def check_activation(activation: str, place: str, to: Translation) -> None:
    """Notes if an activation is another function in the other Keras, or none."""
    if activation in class_tables.OTHER_ACTIVATIONS:
        to.lost(place, activation, class_tables.OTHER_ACTIVATIONS[activation])
    elif activation not in class_tables.ACTIVATIONS:
        to.lost(
            place,
            activation,
            f"{to.target.title} has no activation of that name; if it is your own, pass it as "
            "custom_objects",
        )


def _check_interpolation(name: str, config: Mapping[str, Any], place: str, to: Translation) -> None:
    interpolation = config.get("interpolation")
    if name not in ("Resizing", "UpSampling2D") or not isinstance(interpolation, str):
        return
    if interpolation not in class_tables.INTERPOLATIONS:
        reason = f"{name} of {to.target.title} has no such interpolation"
        to.lost(f"{place}.interpolation", interpolation, reason)


def _convert_preprocessing(
    name: str, config: Mapping[str, Any], settings: dict[str, Any], place: str, to: Translation
) -> None:
    """Puts right the dtypes of preprocessing, for which Keras 3 has the policy or ignores it."""
    is_narrow = compute_dtype(config.get("dtype", "float32")) in _NARROW
    if name == "TextVectorization":
        settings["dtype"] = "string"
    elif name in _LOOKUPS:
        settings["dtype"] = "int64" if config.get("output_mode", "int") == "int" else "float32"
    elif name == "CategoryEncoding" and is_narrow:
        settings["dtype"] = "float32"
    elif name == "Normalization" and is_narrow:
        to.noted(f"{place}.mean", name, _ROUNDED)


def _check_activity(config: Mapping[str, Any], place: str, to: Translation) -> None:
    dtype = compute_dtype(config.get("dtype", "float32"))
    if to.target is Generation.KERAS3 and dtype in _NARROW:
        to.lost(f"{place}.activity_regularizer", dtype, _ACTIVITY)


def _note_fused(shapes: Any, place: str, to: Translation) -> None:
    shape = shapes.get("input_shape") if isinstance(shapes, Mapping) else None
    if isinstance(shape, list) and len(shape) == _IMAGES:
        to.noted(f"{place}.moving_variance", shape, _FUSED)


def _convert_axis(settings: dict[str, Any]) -> None:
    axis = settings.get("axis")
    if isinstance(axis, list) and len(axis) == 1:
        # tf-keras takes both and writes a list; Keras 3 takes no list.
        (settings["axis"],) = axis


def _attention_shapes(shapes: Any) -> dict[str, Any]:
    """Returns what tf-keras has in the config of attention, and Keras 3 beside it."""
    known = shapes.get("shapes_dict") if isinstance(shapes, Mapping) else None
    known = known if isinstance(known, Mapping) else {}
    attention_shapes = {name: known.get(name) for name in _SHAPES}
    if attention_shapes["key_shape"] is None:
        attention_shapes["key_shape"] = attention_shapes["value_shape"]
    return attention_shapes


def _build_config(
    name: str, config: Mapping[str, Any], shapes: Any, to: Translation
) -> dict[str, Any] | None:
    """Returns the shapes a layer is built for; `None` where it is built by being called."""
    if name == _ATTENTION and to.target is Generation.KERAS3:
        query, value = config.get("query_shape"), config.get("value_shape")
        if not (query and value):
            return None
        key = {"key_shape": config["key_shape"]} if config.get("key_shape") else {}
        return {"shapes_dict": {"query_shape": query, "value_shape": value, **key}}
    shape = shapes.get("input_shape") if isinstance(shapes, Mapping) else None
    has_states = (
        name in RECURRENT
        and isinstance(shape, list)
        and any(isinstance(one, list) for one in shape)
    )
    if not isinstance(shape, list) or has_states:
        return None
    return {"input_shape": shape}
