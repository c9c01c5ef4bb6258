# SPDX-License-Identifier: Apache-2.0
"""TensorFlow checkpoints, without TensorFlow.

`tf.train.Checkpoint` and `save_weights` write object-based ones, and `tf.compat.v1.train.Saver`
writes name-based ones. They hold variables and no configs: all of the live state, and not the
settings of the loss scale.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from compat_lossscale.formats.artefact import Artefact, LiveState, whole
from compat_lossscale.formats.tensor_bundle import KEY, Node, ObjectGraph, TensorBundle

FORMAT = "TensorFlow checkpoint"
SUFFIXES = (".index",)
_FILE = re.compile(r"(?P<prefix>.+)\.(index|data-\d{5}-of-\d{5})")
_NAMED_SCALE = re.compile(r"(?P<scope>(.*/)?)current_loss_scale(?P<number>(_\d+)?)")
NO_CONFIG = "the config (initial scale, growth steps, multiplier): checkpoints hold variables only"
NOT_A_VARIABLE = "the value of the fixed loss scale: it is not a variable"
KERAS3 = "object-based, Keras 3"
"""The layout of Keras 3's optimizers."""
BASE_OPTIMIZER = (
    "stock tf-keras restores the iterations as 0 from these keys (base_optimizer), without an "
    "error; compat_lossscale's optimizers around legacy ones restore them, and so does "
    "compat-lossscale run"
)
_SCALES = ("current_loss_scale", "dynamic_scale")
_COUNTERS = ("good_steps", "step_counter")
_INNER = ("base_optimizer", "inner_optimizer")
"""The wrapped optimizer: in TensorFlow 1.14 to 2.2, and in Keras 3. Others that have the former
have the variables themselves."""
_ITERATIONS = ("iter", "_iterations", "iterations")
_RATES = ("learning_rate", "_learning_rate")


def matches(path: str) -> bool:
    """Recognizes the names of its files: `path` is one of them, or their common prefix."""
    prefix = prefix_of(path)
    return path.endswith(".index") or Path(f"{prefix}.index").is_file()


def read(path: str) -> Artefact:
    """Reads the optimizers' live state from a checkpoint."""
    artefact = describe(TensorBundle(prefix_of(path)), path)
    if any(state.loss_scale is not None for state in artefact.states) or artefact.missing:
        return dataclasses.replace(artefact, missing=(NO_CONFIG, *artefact.missing))
    return artefact


def prefix_of(path: str) -> str:
    """Returns the common prefix of a checkpoint's files, for the prefix or one of the files."""
    match = _FILE.fullmatch(path)
    return match["prefix"] if match else path


def describe(bundle: TensorBundle, path: str = "") -> Artefact:
    """Describes a checkpoint: the states in it, and what is missing besides configs."""
    data = bundle.text(KEY)
    if data is None:
        layout = "name-based, as tf.compat.v1.train.Saver of every version writes it"
        return Artefact(path, FORMAT, layout, states=tuple(_states_by_name(bundle)))
    graph = ObjectGraph(data)
    optimizers = list(_optimizers(graph))
    states = [_state_of(bundle, graph, optimizer) for optimizer in optimizers]
    alone = _scales_alone(graph, optimizers)
    states += [_state_of(bundle, graph, scale, scale) for scale in alone]
    is_fixed = any(
        state.loss_scale is None and _is_wrapper(graph, optimizer)
        for state, optimizer in zip(states, optimizers, strict=False)
    )
    is_oldest = any(_inner_with_variables(graph, one, "base_optimizer") for one in optimizers)
    return Artefact(
        path,
        FORMAT,
        _layout(graph, optimizers, is_oldest=is_oldest),
        states=tuple(states),
        missing=(NOT_A_VARIABLE,) if is_fixed else (),
        notes=(BASE_OPTIMIZER,) if is_oldest else (),
    )


def _layout(graph: ObjectGraph, optimizers: Sequence[Node], *, is_oldest: bool) -> str:
    if is_oldest:
        return "object-based, TensorFlow 1.14-2.2 (base_optimizer)"
    if any("_trainable_variables_indices" in one.children for one in optimizers):
        return KERAS3
    if any("_iterations" in one.children for one in optimizers):
        return "object-based, TensorFlow 2.11 and later, optimizers of the new family"
    if not optimizers:
        return "object-based, without an optimizer"
    return "object-based, TensorFlow 2.3 and later, optimizers of the legacy family"


def _optimizers(graph: ObjectGraph) -> Iterator[Node]:
    """Yields the optimizers, without those that another one wraps."""
    wrapped = {id(graph.child(node, name)) for name in _INNER for node in graph.holders(name)}
    for node in graph.nodes:
        has_steps = graph.child(node, *_ITERATIONS) and graph.child(node, *_RATES)
        if id(node) not in wrapped and (node.slots or has_steps or _is_wrapper(graph, node)):
            yield node


def _is_wrapper(graph: ObjectGraph, node: Node) -> bool:
    if node.children.keys() & {*_INNER, "dynamic_scale"}:
        return True
    scale = graph.child(node, "loss_scale")
    is_dynamic = scale is not None and graph.child(scale, *_SCALES) is not None
    return is_dynamic and bool(node.slots or graph.child(node, *_ITERATIONS))


def _inner_with_variables(graph: ObjectGraph, node: Node, *names: str) -> Node | None:
    inner = graph.child(node, *names)
    return inner if inner is not None and (inner.children or inner.slots) else None


def _scales_alone(graph: ObjectGraph, optimizers: Sequence[Node]) -> list[Node]:
    """Returns the dynamic loss scales that no optimizer of the checkpoint holds."""
    held = {id(graph.child(one, "loss_scale")) for one in optimizers}
    found = {id(node): node for name in _SCALES for node in graph.holders(name)}
    known = held | {id(one) for one in optimizers}
    return [node for key, node in found.items() if key not in known]


def _state_of(
    bundle: TensorBundle, graph: ObjectGraph, optimizer: Node, scale: Node | None = None
) -> LiveState:
    inner = _inner_with_variables(graph, optimizer, *_INNER) or optimizer
    holder = scale or graph.child(optimizer, "loss_scale") or optimizer

    def number(node: Node, *names: str) -> float | None:
        variable = graph.child(node, *names)
        return None if variable is None or variable.key is None else bundle.number(variable.key)

    where, value = optimizer.path or "the root", number(holder, *_SCALES)
    return LiveState(
        where,
        None if value is None else float(value),
        whole(number(holder, *_COUNTERS), f"the counter of {where}"),
        whole(number(inner, *_ITERATIONS), f"the iterations of {where}"),
        _count_slots(graph, inner),
        whole(number(holder, "hysteresis_left"), f"the hysteresis of {where}"),
    )


def _count_slots(graph: ObjectGraph, optimizer: Node) -> int:
    variables = graph.child(optimizer, "_variables")
    if variables is None:
        return optimizer.slots
    others = {optimizer.children.get(name) for name in (*_ITERATIONS, *_RATES)}
    return sum(number not in others for number in variables.children.values())


def _states_by_name(bundle: TensorBundle) -> Iterator[LiveState]:
    scales = {name: match for name in bundle.entries if (match := _NAMED_SCALE.fullmatch(name))}
    # A slot is named after its variable: `dense/kernel/Adam`.
    slots = sum(name.rpartition("/")[0] in bundle.entries for name in bundle.entries)
    for name in scales:
        scope, number = scales[name]["scope"], scales[name]["number"]
        scale = bundle.number(name)
        yield LiveState(
            name,
            None if scale is None else float(scale),
            whole(bundle.number(f"{scope}good_steps{number}"), f"the counter of {name}"),
            whole(bundle.number("global_step"), f"the iterations of {name}"),
            slots,
            whole(bundle.number(f"{scope}hysteresis_left{number}"), f"the hysteresis of {name}"),
        )
