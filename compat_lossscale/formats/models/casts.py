# SPDX-License-Identifier: Apache-2.0
"""Takes casts out of functional models of Keras 3.

Keras 3.6 puts one before each layer of another policy. A layer of tf-keras casts its inputs itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat_lossscale.formats.models.nodes import HISTORY, TENSOR

_CAST = "Cast"
_MODULE = "keras.src.ops."


def without_casts(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a functional model's config in which layers get what a cast would be given.

    Args:
        config: The model's config, in Keras 3's form.

    Returns:
        The config; the same one if there is nothing to take out.
    """
    layers = config.get("layers")
    if not isinstance(layers, list):
        return config
    sources = {layer["name"]: source for layer in layers if (source := _sources(layer)) is not None}
    if not sources:
        return config
    kept = [
        _rewired(layer, sources)
        for layer in layers
        if not (isinstance(layer, Mapping) and layer.get("name") in sources)
    ]
    ends = {key: _ends(config.get(key), sources) for key in ("input_layers", "output_layers")}
    return {**config, "layers": kept, **ends}


def _sources(layer: Any) -> list[Any] | None:
    """Returns what each call of a cast is given; `None` if it is no cast."""
    if not isinstance(layer, Mapping) or not isinstance(layer.get("name"), str):
        return None
    module, calls = layer.get("module"), layer.get("inbound_nodes")
    if layer.get("class_name") != _CAST or not isinstance(calls, list):
        return None
    if not isinstance(module, str) or not module.startswith(_MODULE):
        return None
    histories = []
    for call in calls:
        arguments = call.get("args") if isinstance(call, Mapping) else None
        history = _history(arguments[0]) if isinstance(arguments, list) and arguments else None
        if history is None:
            return None
        histories.append(history)
    return histories


def _history(tensor: Any) -> Any:
    if not isinstance(tensor, Mapping) or tensor.get("class_name") != TENSOR:
        return None
    config = tensor.get("config")
    return config.get(HISTORY) if isinstance(config, Mapping) else None


def _resolved(history: Any, sources: Mapping[str, list[Any]]) -> Any:
    """Returns the output that a cast's output stands for, through as many casts as there are."""
    for _ in range(len(sources) + 1):
        if not (isinstance(history, list) and len(history) > 1 and isinstance(history[0], str)):
            return history
        calls = sources.get(history[0])
        if calls is None or not isinstance(history[1], int) or not 0 <= history[1] < len(calls):
            return history
        history = calls[history[1]]
    return history


def _rewired(value: Any, sources: Mapping[str, list[Any]]) -> Any:
    history = _history(value)
    if history is not None:
        return {**value, "config": {**value["config"], HISTORY: _resolved(history, sources)}}
    if isinstance(value, Mapping):
        return {key: _rewired(child, sources) for key, child in value.items()}
    if isinstance(value, list):
        return [_rewired(child, sources) for child in value]
    return value


def _ends(ends: Any, sources: Mapping[str, list[Any]]) -> Any:
    if isinstance(ends, list) and ends and isinstance(ends[0], str):
        return _resolved(ends, sources)
    if isinstance(ends, Mapping):
        return {key: _ends(end, sources) for key, end in ends.items()}
    return [_ends(end, sources) for end in ends] if isinstance(ends, list) else ends
