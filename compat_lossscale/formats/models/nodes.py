# SPDX-License-Identifier: Apache-2.0
"""How the layers of a functional model are called on each other's outputs.

tf-keras writes a call as the tensors of the first argument, each `[layer, call, output, kwargs]`;
Keras 3 writes it as arguments in which tensors are objects.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from compat_lossscale.formats.models.class_tables import RECURRENT
from compat_lossscale.formats.models.translation_context import Translation

TENSOR, HISTORY = "__keras_tensor__", "keras_history"
"""How Keras 3 calls a tensor in an argument, and the place that it comes from."""
_CONSTANT = "_CONSTANT_VALUE"
_LEAF = (3, 4)
"""How long a tensor of tf-keras' form is: without and with keyword arguments."""
_TAKES_STATES = RECURRENT | {"Bidirectional"}
_SECOND_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "MultiHeadAttention": ("value", "key"),
    **dict.fromkeys(_TAKES_STATES, ("initial_state",)),
}
"""What the arguments after the first one are called, of layers that are called with several."""
_TRAINING = "training"


@dataclasses.dataclass(frozen=True)
class Callee:
    """What there is to know of a layer whose output is used.

    Attributes:
        dtype: Of its outputs.
        shift: How many calls more tf-keras counts than Keras 3, where the output is an input of a
            layer: it counts the call in which a model was made.
        end_shift: The same, where the output is the whole model's.
    """

    dtype: str = "float32"
    shift: int = 0
    end_shift: int = 0


Callees = Mapping[str, Callee]
Rename = Callable[[str], str]


def calls_for_keras3(
    layer: Mapping[str, Any],
    calls: Any,
    shapes: Any,
    callees: Callees,
    rename: Rename,
    to: Translation,
) -> list[Any]:
    """Converts a layer's calls from tf-keras' form to that of Keras 3.

    Args:
        layer: The layer.
        calls: Its `inbound_nodes`.
        shapes: The shapes of its inputs, as far as its `build_config` has them.
        callees: The layers of the model, by name.
        rename: Gives a layer's name in Keras 3.
        to: The translation.

    Returns:
        Its `inbound_nodes` in Keras 3.
    """
    name, place = layer["class_name"], f"layer {layer.get('name')}"
    converted = []
    for call in _listed(calls):
        keywords: dict[str, Any] = {}
        shape_of = _shapes(shapes)

        def tensor(leaf: Any, shape_of: Iterator[Any] = shape_of) -> Any:
            if leaf[0] == _CONSTANT:
                return to.value(leaf[2], place)
            callee = callees.get(leaf[0], Callee())
            number = leaf[1] - callee.shift if isinstance(leaf[1], int) else leaf[1]
            history = [rename(leaf[0]), number, leaf[2]]
            config = {"shape": next(shape_of), "dtype": callee.dtype, HISTORY: history}
            return {"class_name": TENSOR, "config": config}

        def collect(leaf: Any, keywords: dict[str, Any] = keywords) -> Any:
            if len(leaf) == max(_LEAF) and isinstance(leaf[3], Mapping):
                keywords.update(leaf[3])
            return tensor(leaf)

        first = _mapped(call, collect)
        if isinstance(first, list) and len(first) == 1:
            (first,) = first
        named = {key: _mapped(value, tensor, is_argument=True) for key, value in keywords.items()}
        if name in _TAKES_STATES and isinstance(first, list):
            named["initial_state"] = first[1:]
            first = first[0]
        if named.get(_TRAINING) is False:
            to.lost(
                f"{place}.training",
                False,
                "the layer is called with training=False; in Keras 3, fit() trains it all the same",
            )
        converted.append({"args": [first], "kwargs": named})
    return converted


def calls_for_tf_keras(
    layer: Mapping[str, Any], calls: Any, callees: Callees, to: Translation
) -> list[Any]:
    """Converts a layer's calls from Keras 3's form to that of tf-keras; see `calls_for_keras3`."""
    name, place = layer["class_name"], f"layer {layer.get('name')}"
    converted: list[Any] = []
    for call in _listed(calls):
        if not isinstance(call, Mapping):
            # The old form, which Keras 3 writes into .h5.
            converted.append(call)
            continue

        def history(tensor: Mapping[str, Any]) -> list[Any]:
            source = tensor["config"].get(HISTORY) or [None, 0, 0]
            callee = callees.get(source[0], Callee()) if isinstance(source[0], str) else Callee()
            number = source[1] + callee.shift if isinstance(source[1], int) else source[1]
            return [source[0], number, source[2]]

        positional = [_with_histories(value, history) for value in _listed(call.get("args"))]
        keywords = {
            key: _with_histories(value, history)
            for key, value in _mapping(call.get("kwargs")).items()
            # Keras 3 writes arguments that were not given, too.
            if value is not None and not (key == _TRAINING and value is False)
        }
        names = _SECOND_ARGUMENTS.get(name, ())
        for number, value in enumerate(positional[1:]):
            if value is None:
                continue
            if number < len(names):
                keywords.setdefault(names[number], value)
            else:
                to.lost(place, name, f"it is called with {len(positional)} arguments")
        first = positional[0] if positional else keywords.pop("inputs", None)
        if name in _TAKES_STATES and "initial_state" in keywords:
            states = keywords.pop("initial_state")
            first = [first, *([states] if _is_leaf(states) else _listed(states))]

        def with_keywords(leaf: Any, keywords: dict[str, Any] = keywords) -> Any:
            return [*leaf[:3], dict(keywords)]

        leaves = _mapped(first, with_keywords)
        converted.append([leaves] if _is_leaf(leaves) else leaves)
    return converted


def _with_histories(value: Any, history: Callable[[Mapping[str, Any]], list[Any]]) -> Any:
    if isinstance(value, Mapping):
        if value.get("class_name") == TENSOR and isinstance(value.get("config"), Mapping):
            return history(value)
        return {key: _with_histories(child, history) for key, child in value.items()}
    if isinstance(value, list):
        return [_with_histories(child, history) for child in value]
    return value


def _mapped(tree: Any, function: Callable[[Any], Any], *, is_argument: bool = False) -> Any:
    """Calls a function on each tensor in a structure of tf-keras' form.

    Args:
        tree: The structure.
        function: What to call.
        is_argument: Whether it is a keyword argument, which can be a list of plain values.
    """
    if _is_leaf(tree) and not (is_argument and not isinstance(tree[1], int)):
        return function(tree)
    if isinstance(tree, Mapping):
        return {
            key: _mapped(child, function, is_argument=is_argument) for key, child in tree.items()
        }
    if isinstance(tree, list):
        return [_mapped(child, function, is_argument=is_argument) for child in tree]
    return tree


def _is_leaf(value: Any) -> bool:
    return isinstance(value, list) and len(value) in _LEAF and isinstance(value[0], str)


def _shapes(shapes: Any) -> Iterator[Any]:
    """Yields the shape of each input, and then that of anything."""
    if isinstance(shapes, list):
        yield from shapes if any(isinstance(shape, list) for shape in shapes) else [shapes]
    while True:
        yield [None]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def ends_for_keras3(tensors: Any, callees: Callees, rename: Rename) -> Any:
    """Converts a model's `input_layers` or `output_layers` to Keras 3's form."""

    def converted(leaf: list[Any]) -> list[Any]:
        shift = callees.get(leaf[0], Callee()).end_shift
        number = leaf[1] - shift if isinstance(leaf[1], int) else leaf[1]
        return [rename(leaf[0]), number, leaf[2]]

    ends = _mapped(tensors, converted)
    is_one = isinstance(ends, list) and len(ends) == 1 and _is_leaf(ends[0])
    return ends[0] if is_one else ends


def ends_for_tf_keras(tensors: Any, callees: Callees) -> Any:
    """Converts a model's `input_layers` or `output_layers` to tf-keras' form."""

    def converted(leaf: list[Any]) -> list[Any]:
        shift = callees.get(leaf[0], Callee()).end_shift
        return [leaf[0], leaf[1] + shift if isinstance(leaf[1], int) else leaf[1], leaf[2]]

    ends = _mapped(tensors, converted)
    return [ends] if _is_leaf(ends) else ends
