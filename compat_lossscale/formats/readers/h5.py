# SPDX-License-Identifier: Apache-2.0
"""HDF5 models, `.h5`: Keras' format of all generations. Needs h5py.

TensorFlow 2.0 to 2.11 write this format into files named `.keras` as well, so the content decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from compat_lossscale.formats import isolated
from compat_lossscale.formats.artefact import (
    Artefact,
    LiveState,
    StatedConfig,
    UnreadableArtefactError,
    layout_of,
    whole,
)
from compat_lossscale.formats.bounded import decode, open_regular, parse_json, read_start
from compat_lossscale.formats.config import find_configs
from compat_lossscale.formats.hdf5 import MAX_NAMES, Description

FORMAT = "HDF5 model (.h5)"
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
ITERATIONS = ("iter", "iter:0", "iteration", "iteration:0", "iterations", "iterations:0")
"""What the number of steps is called, by one version or another."""
NO_STATE = (
    "the current loss scale and its counter: {} has no place for them, so that training goes on "
    "with the initial scale"
)
UNREAD = "{}: it is there, but no number as Keras writes it, and was not read"
_SCALES = ("current_loss_scale", "dynamic_scale")
_COUNTERS = ("good_steps", "step_counter")


def matches(path: str) -> bool:
    """By the format's first bytes, or by the name."""
    try:
        return read_start(path, len(_SIGNATURE)) == _SIGNATURE or path.endswith((".h5", ".hdf5"))
    except UnreadableArtefactError:
        return False


def read(path: str) -> Artefact:
    """Reads the configs and the optimizer's state from an HDF5 model."""
    with open_regular(path):
        pass
    description: Description = isolated.call("describe", path)
    attributes = description["attributes"]
    configs = [
        config
        for name in ("training_config", "model_config")
        if name in attributes
        for config in find_configs(parse_json(decode(attributes[name], name), name), name)
    ]
    version = attributes.get("keras_version")
    state = live_state(description, "optimizer_weights")
    return Artefact(
        path=path,
        format=FORMAT,
        layout=layout_of(configs),
        writer=f"Keras {version}" if version else None,
        configs=tuple(configs),
        states=() if state == LiveState("optimizer_weights") else (state,),
        missing=missing(configs, state, description),
    )


def live_state(description: Description, where: str) -> LiveState:
    """Reads an optimizer's state from the numbers below an optimizer's group, by their names."""
    scale = counter = iterations = None
    for path, value in description["scalars"].items():
        name = _name(path)
        if name in _SCALES:
            scale = float(value)
        elif name in _COUNTERS:
            counter = whole(value, path)
        elif name in ITERATIONS and iterations is None:
            iterations = whole(value, path)
    return LiveState(where, scale, counter, iterations, slots=len(description["arrays"]))


def _strange(description: Description) -> set[str]:
    """Names of the loss scale's state that is there in a form which is not read."""
    paths = (*description["unread"], *description["arrays"])
    return {name for name in map(_name, paths) if name in (*_SCALES, *_COUNTERS)}


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(":0")


def missing(
    configs: Sequence[StatedConfig], state: LiveState, description: Description | None = None
) -> tuple[str, ...]:
    """Says what a model's file does not hold though its loss scale needs it.

    Args:
        configs: The loss-scale configs in the file.
        state: The state in it.
        description: What else was found in it.
    """
    found = []
    if description is not None and description["truncated"]:
        found.append(f"all but the first {MAX_NAMES} variables: they were not looked at")
    strange = set() if description is None else _strange(description)
    found += [UNREAD.format(name) for name in sorted(strange)]
    dynamic = any(config.spec.dynamic for config in configs)
    if dynamic and state.loss_scale is None and not strange:
        found.append(NO_STATE.format("this file"))
    if configs and state.iterations is None:
        found.append("the optimizer's iterations and slots: the file holds none")
    return tuple(found)
