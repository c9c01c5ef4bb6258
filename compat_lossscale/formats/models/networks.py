# SPDX-License-Identifier: Apache-2.0
"""Models that consist of layers: `Sequential` and functional ones, nested in each other or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from compat_lossscale.formats.models.casts import without_casts
from compat_lossscale.formats.models.class_tables import NETWORKS
from compat_lossscale.formats.models.nodes import (
    Callee,
    Callees,
    calls_for_keras3,
    calls_for_tf_keras,
    ends_for_keras3,
    ends_for_tf_keras,
)
from compat_lossscale.formats.models.policies import compute_dtype
from compat_lossscale.formats.models.translation_context import Translation
from compat_lossscale.spec import Generation

_SEQUENTIAL = "Sequential"
_FUNCTIONAL_MODULE = {
    Generation.KERAS3: "keras.src.models.functional",
    Generation.TF_KERAS: "tf_keras.src.engine.functional",
}
_GRAPH = ("layers", "input_layers", "output_layers")


def convert_network(network: Mapping[str, Any], place: str, to: Translation) -> dict[str, Any]:
    """Converts a model that has no code of its own.

    Args:
        network: The serialized model; `config` is a dictionary.
        place: What to call it; empty for the model as a whole.
        to: The translation.

    Returns:
        The model in the other Keras' form, without what it was compiled with.
    """
    config = network["config"]
    if to.target is Generation.TF_KERAS:
        config = without_casts(config)
    layers = [layer for layer in _listed(config.get("layers")) if _is_layer(layer)]
    converted = {
        key: to.value(value, f"{place or 'model'}.{key}")
        for key, value in config.items()
        if key not in _GRAPH
    }
    if network["class_name"] == _SEQUENTIAL:
        converted["layers"] = [_convert(layer, place, to) for layer in layers]
    else:
        converted |= _convert_graph(config, layers, place, to)
    kept = {key: network[key] for key in ("name", "shared_object_id") if key in network}
    if network["class_name"] == _SEQUENTIAL:
        named = {"module": "keras", "class_name": _SEQUENTIAL, "registered_name": None}
    else:
        named = {
            "module": _FUNCTIONAL_MODULE[to.target],
            "class_name": "Functional",
            "registered_name": "Functional",
        }
    return {**kept, **named, "config": converted}


def _convert_graph(
    config: Mapping[str, Any], layers: list[Any], place: str, to: Translation
) -> dict[str, Any]:
    callees = _callees(layers)
    names = _names(layers, place, to)

    def rename(name: str) -> str:
        return names.get(name, name)

    converted = []
    for layer in layers:
        one = _convert(layer, place, to)
        calls = layer.get("inbound_nodes")
        if to.target is Generation.KERAS3:
            one["name"] = rename(_name(layer))
            one["config"] = {**one["config"], "name": rename(_name(layer))}
            build = layer.get("build_config")
            shapes = build.get("input_shape") if isinstance(build, Mapping) else None
            one["inbound_nodes"] = calls_for_keras3(layer, calls, shapes, callees, rename, to)
        else:
            one["inbound_nodes"] = calls_for_tf_keras(layer, calls, callees, to)
        converted.append(one)
    ends = {
        key: ends_for_keras3(config.get(key), callees, rename)
        if to.target is Generation.KERAS3
        else ends_for_tf_keras(config.get(key), callees)
        for key in ("input_layers", "output_layers")
    }
    return {"layers": converted, **ends}


def _convert(layer: Mapping[str, Any], place: str, to: Translation) -> dict[str, Any]:
    within = f"{place.removeprefix('layer ')}/" if place else ""
    converted: dict[str, Any] = to.value(layer, f"layer {within}{_name(layer)}")
    # A model that is part of another one is compiled with it.
    converted.pop("compile_config", None)
    return converted


def _names(layers: list[Any], place: str, to: Translation) -> dict[str, str]:
    """Returns other names for the layers whose names Keras 3 refuses."""
    names = [_name(layer) for layer in layers]
    taken, changed = set(names), {}
    for name in names:
        if "/" in name and to.target is Generation.KERAS3:
            free = name.replace("/", "_")
            while free in taken:
                free += "_"
            taken.add(free)
            changed[name] = free
            reason = f"Keras 3 takes no / in names; the layer is called {free}"
            to.noted(f"layer {place and place + '/'}{name}.name", name, reason)
    return changed


def _callees(layers: list[Any]) -> Callees:
    return {_name(layer): _callee(layer) for layer in layers}


def _callee(layer: Mapping[str, Any]) -> Callee:
    dtype = compute_dtype(layer["config"].get("dtype", "float32"))
    if layer["class_name"] not in NETWORKS:
        return Callee(dtype)
    is_sequential = layer["class_name"] == _SEQUENTIAL
    first = next(iter(_listed(layer["config"].get("layers"))), None)
    is_counted = not is_sequential or (_is_layer(first) and first["class_name"] == "InputLayer")
    # Of a functional model Keras 3 counts that call, too, where the output is the whole model's.
    return Callee(dtype, int(is_counted), int(is_counted and is_sequential))


def _is_layer(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("class_name"), str)
        and isinstance(value.get("config"), Mapping)
    )


def _name(layer: Mapping[str, Any]) -> str:
    return str(layer.get("name") or layer["config"].get("name") or layer["class_name"])


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
