# SPDX-License-Identifier: Apache-2.0
"""TensorFlow checkpoints, without TensorFlow.

`tf.train.Checkpoint` and `save_weights` write object-based ones, and `tf.compat.v1.train.Saver`
writes name-based ones. They hold variables and no configs: all of the live state, and not the
settings of the loss scale.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from compat_lossscale.formats.artefact import (
    Artefact,
    LiveState,
    UnreadableArtefactError,
    whole,
)
from compat_lossscale.formats.tensor_bundle import TensorBundle

FORMAT = "TensorFlow checkpoint"
SUFFIXES = (".index",)
MAX_OPTIMIZERS = 100
"""The largest number of optimizers whose state is read."""
_FILE = re.compile(r"(?P<prefix>.+)\.(index|data-\d{5}-of-\d{5})")
_OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_SCALE = re.compile(rf"(?P<optimizer>.*)/loss_scale/current_loss_scale{re.escape(_VALUE)}")
_BASE = re.compile(rf"(?P<optimizer>.*)/base_optimizer/[^/]+{re.escape(_VALUE)}")
_NAMED_SCALE = re.compile(r"(?P<scope>(.*/)?)current_loss_scale(?P<number>(_\d+)?)")
NO_CONFIG = "the config (initial scale, growth steps, multiplier): checkpoints hold variables only"


def matches(path: str) -> bool:
    """Recognizes the names of its files: `path` is one of them, or their common prefix."""
    prefix = _prefix(path)
    return path.endswith(".index") or Path(f"{prefix}.index").is_file()


def read(path: str) -> Artefact:
    """Reads the optimizers' live state from a checkpoint."""
    layout, states, missing = describe(TensorBundle(_prefix(path)))
    return Artefact(path=path, format=FORMAT, layout=layout, states=states, missing=missing)


def _prefix(path: str) -> str:
    match = _FILE.fullmatch(path)
    return match["prefix"] if match else path


def describe(bundle: TensorBundle) -> tuple[str, tuple[LiveState, ...], tuple[str, ...]]:
    """Describes a checkpoint.

    Args:
        bundle: The checkpoint.

    Returns:
        The generations that write it so, the states of the optimizers, and what is not in it.
    """
    if _OBJECT_GRAPH not in bundle.entries:
        states = tuple(_states_by_name(bundle))
        layout = "name-based, as tf.compat.v1.train.Saver of every version writes it"
        return layout, states, (NO_CONFIG,) if states else ()
    states = tuple(_states_by_object(bundle))
    if any(_BASE.fullmatch(name) for name in bundle.entries):
        layout = "object-based, TensorFlow 1.14-2.2 (base_optimizer)"
    elif any(name.endswith(f"/_iterations{_VALUE}") for name in bundle.entries):
        layout = "object-based, TensorFlow 2.11 and later, optimizers of the new family"
    else:
        layout = "object-based, TensorFlow 2.3 and later, optimizers of the legacy family"
    missing = [NO_CONFIG] if states else []
    if any(state.loss_scale is None for state in states):
        missing.append("the value of the fixed loss scale: it is not a variable")
    return layout, states, tuple(missing)


def _states_by_object(bundle: TensorBundle) -> Iterator[LiveState]:
    optimizers = [
        match["optimizer"]
        for pattern in (_SCALE, _BASE)
        for match in map(pattern.fullmatch, bundle.entries)
        if match and "/.OPTIMIZER_SLOT/" not in match["optimizer"]
    ]
    for optimizer in _few(dict.fromkeys(optimizers)):
        scale = bundle.number(f"{optimizer}/loss_scale/current_loss_scale{_VALUE}")
        counter = bundle.number(f"{optimizer}/loss_scale/good_steps{_VALUE}")
        left = bundle.number(f"{optimizer}/loss_scale/hysteresis_left{_VALUE}")
        places = ("iter", "base_optimizer/iter", "_iterations")
        steps = (bundle.number(f"{optimizer}/{place}{_VALUE}") for place in places)
        iterations = next((step for step in steps if step is not None), None)
        slots = _count_slots(bundle, optimizer)
        yield _state(optimizer, scale, counter, iterations, slots, left)


def _count_slots(bundle: TensorBundle, optimizer: str) -> int:
    slot, variable = f"/.OPTIMIZER_SLOT/{optimizer}/", f"{optimizer}/_variables/"
    return sum(slot in name or name.startswith(variable) for name in bundle.entries)


def _states_by_name(bundle: TensorBundle) -> Iterator[LiveState]:
    scales = {name: match for name in bundle.entries if (match := _NAMED_SCALE.fullmatch(name))}
    # A slot is named after its variable: `dense/kernel/Adam`.
    slots = sum(name.rpartition("/")[0] in bundle.entries for name in bundle.entries)
    for name in _few(scales):
        scope, number = scales[name]["scope"], scales[name]["number"]
        counter = bundle.number(f"{scope}good_steps{number}")
        left = bundle.number(f"{scope}hysteresis_left{number}")
        yield _state(name, bundle.number(name), counter, bundle.number("global_step"), slots, left)


def _few(names: Collection[str]) -> Collection[str]:
    if len(names) > MAX_OPTIMIZERS:
        raise UnreadableArtefactError(f"it has more than {MAX_OPTIMIZERS} loss scales")
    return names


def _state(
    where: str,
    scale: float | None,
    counter: float | None,
    iterations: float | None,
    slots: int,
    left: float | None,
) -> LiveState:
    return LiveState(
        where=where,
        loss_scale=None if scale is None else float(scale),
        good_steps=None if counter is None else whole(counter, f"the counter of {where}"),
        iterations=None if iterations is None else whole(iterations, f"the iterations of {where}"),
        slots=slots,
        hysteresis_left=None if left is None else whole(left, f"the hysteresis of {where}"),
    )
