# SPDX-License-Identifier: Apache-2.0
"""Which variables Keras' own layers have, and under which paths an archive has them.

Read off the config alone, as far as it tells.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from compat_lossscale.formats.models.class_tables import NETWORKS, RECURRENT, SHARED, Kind

ATTENTION_PARTS = ("query_dense", "key_dense", "value_dense", "output_dense")
"""Attention's layers in Keras 3. tf-keras puts an underscore before."""


@dataclasses.dataclass(frozen=True)
class Part:
    """The variables that a layer itself, or a layer in it, has.

    Attributes:
        path: Its path below the model's.
        trained: How many variables are trained.
        fixed: How many are not. They come after the others.
    """

    path: str
    trained: int
    fixed: int = 0


class UnknownVariablesError(Exception):
    """A layer of which it is not known what variables it has."""


def snake_case(name: str) -> str:
    """Returns the name under which an archive has the first layer of a class."""
    name = re.sub(r"\W+", "", name)
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


def in_container(layers: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields serialized layers with the names that an archive gives them in a list."""
    used: dict[str, int] = {}
    for layer in layers:
        name = snake_case(str(layer["class_name"]))
        number = used[name] = used.get(name, -1) + 1
        yield f"{name}_{number}" if number else name, layer


def parts_of(layer: Mapping[str, Any], path: str = "", *, trained: bool = True) -> list[Part]:
    """Returns the parts of a layer or a model that have variables.

    Args:
        layer: Its serialized form, of tf-keras or Keras 3.
        path: Its path in an archive; empty for the model as a whole.
        trained: Whether it is part of something that is trained.

    Returns:
        The parts, in the order in which Keras lists their variables.

    Raises:
        UnknownVariablesError: It has a layer in it of which nothing is known.
    """
    name, config = layer.get("class_name"), layer.get("config")
    if not isinstance(name, str) or not isinstance(config, Mapping):
        raise UnknownVariablesError(str(name))
    trained = trained and config.get("trainable") is not False
    if name in NETWORKS:
        layers = [one for one in config.get("layers", ()) if isinstance(one, Mapping)]
        named_children = in_container(layers)
        inside = f"{path}/layers" if path else "layers"
        return [
            part
            for child_name, child in named_children
            for part in parts_of(child, f"{inside}/{child_name}", trained=trained)
        ]
    if name in _WRAPPERS:
        return [
            part
            for child_path, child in _WRAPPERS[name](config)
            for part in parts_of(child, f"{path}/{child_path}", trained=trained)
        ]
    if name not in SHARED[Kind.LAYER]:
        raise UnknownVariablesError(name)
    own = [
        Part(f"{path}/{below}" if below else path, count, fixed)
        for below, count, fixed in _own(name, config)
    ]
    if trained:
        return own
    return [Part(part.path, 0, part.trained + part.fixed) for part in own]


def _own(name: str, config: Mapping[str, Any]) -> list[tuple[str, int, int]]:
    """A layer's own variables: path below it, trained ones, others."""
    bias = int(config.get("use_bias", True) is not False)
    if name == "MultiHeadAttention":
        return [(part, 1 + bias, 0) for part in ATTENTION_PARTS]
    if name in RECURRENT:
        return [("cell", 2 + bias, 0)]
    counted = _COUNTED.get(name)
    if counted is None:
        return []
    trained, fixed = counted(config)
    return [("", trained, fixed)]


def _with_bias(count: int) -> Callable[[Mapping[str, Any]], tuple[int, int]]:
    return lambda config: (count + (config.get("use_bias", True) is not False), 0)


def _always(count: int) -> Callable[[Mapping[str, Any]], tuple[int, int]]:
    return lambda config: (count, 0)


def _centered(config: Mapping[str, Any]) -> int:
    return (config.get("center", True) is not False) + (config.get("scale", True) is not False)


_COUNTED: Mapping[str, Callable[[Mapping[str, Any]], tuple[int, int]]] = {
    "Dense": _with_bias(1),
    "EinsumDense": lambda config: (1 + (config.get("bias_axes") is not None), 0),
    **{f"Conv{number}D": _with_bias(1) for number in (1, 2, 3)},
    **{f"Conv{number}DTranspose": _with_bias(1) for number in (1, 2, 3)},
    **{f"DepthwiseConv{number}D": _with_bias(1) for number in (1, 2)},
    **{f"SeparableConv{number}D": _with_bias(2) for number in (1, 2)},
    "Embedding": _always(1),
    "PReLU": _always(1),
    "BatchNormalization": lambda config: (_centered(config), 2),
    "LayerNormalization": lambda config: (_centered(config), 0),
    "GroupNormalization": lambda config: (_centered(config), 0),
    "Normalization": lambda config: (0, 3 if config.get("mean") is None else 0),
    "Attention": lambda config: (
        bool(config.get("use_scale")) + (config.get("score_mode") == "concat"),
        0,
    ),
    "AdditiveAttention": lambda config: (int(config.get("use_scale", True) is not False), 0),
    **{f"{name}Cell": _with_bias(2) for name in ("SimpleRNN", "GRU", "LSTM")},
}


def _both_ways(config: Mapping[str, Any]) -> list[tuple[str, Any]]:
    forward = config.get("layer")
    return [
        ("forward_layer", forward),
        ("backward_layer", config.get("backward_layer") or forward),
    ]


def _cells(config: Mapping[str, Any]) -> list[tuple[str, Any]]:
    cells = [cell for cell in config.get("cells", ()) if isinstance(cell, Mapping)]
    return [(f"cells/{name}", cell) for name, cell in in_container(cells)]


_WRAPPERS: Mapping[str, Callable[[Mapping[str, Any]], list[tuple[str, Any]]]] = {
    "TimeDistributed": lambda config: [("layer", config.get("layer"))],
    "Bidirectional": _both_ways,
    "RNN": lambda config: [("cell", config.get("cell"))],
    "StackedRNNCells": _cells,
}
