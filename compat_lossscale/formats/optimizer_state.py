# SPDX-License-Identifier: Apache-2.0
"""Finds an optimizer's state in an HDF5 file: the loss scale, the counter and the steps.

Model files of HDF5 name the variables; `.keras` archives and `.weights.h5` number them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from compat_lossscale.formats.artefact import LiveState, StatedConfig, whole
from compat_lossscale.formats.hdf5 import MAX_NAMES, Description
from compat_lossscale.spec import Generation

ITERATIONS = ("iter", "iteration", "iterations")
"""The names of the number of steps in different versions."""
NO_STATE = (
    "the current loss scale and its counter: {} has no place for them, so training continues "
    "with the initial scale"
)
UNREAD = "{}: it is not a number of the kind that Keras writes, and was not read"
KERAS3_OWN = 4
"""The number of variables of Keras 3's wrapper before those of the wrapped optimizer.

They are its step count and learning rate, which nothing uses, the counter and the scale.
"""
_OWN = "optimizer/vars/"
_INNER = "optimizer/inner_optimizer/vars/"
_KERAS3_NAMES = ("dynamic_scale", "step_counter")
_SCALES = ("current_loss_scale", "dynamic_scale")
_COUNTERS = ("good_steps", "step_counter")
_HYSTERESIS = "hysteresis_left"


def live_state(description: Description, where: str) -> LiveState:
    """Reads an optimizer's state from the numbers below an optimizer's group.

    Args:
        description: The content of the file.
        where: The name of the place.

    Returns:
        The state, with `None` for values that the file does not hold.
    """
    return _with_numbered(_named_state(description, where), description)


def _named_state(description: Description, where: str) -> LiveState:
    scalars = description["scalars"]
    # Keras 3's wrapper also has a step count, which stays at zero.
    wrappers = {_group(path) for path in scalars if _name(path) in _KERAS3_NAMES}
    scale = counter = iterations = left = None
    for path, value in scalars.items():
        name = _name(path)
        if name in _SCALES:
            scale = float(value)
        elif name in _COUNTERS:
            counter = whole(value, path)
        elif name == _HYSTERESIS:
            left = whole(value, path)
        elif name in ITERATIONS and iterations is None and _group(path) not in wrappers:
            iterations = whole(value, path)
    slots = len(description["arrays"])
    return LiveState(where, scale, counter, iterations, slots, hysteresis_left=left)


def _with_numbered(state: LiveState, description: Description) -> LiveState:
    """Adds the variables that are saved under a number instead of a name.

    The wrapped optimizer's first variable is its iterations; around a legacy optimizer, the
    wrapper's are the same. Of Keras 3's wrapper, the third is the counter, the fourth the scale.
    """
    scalars = description["scalars"]
    inner = _OWN
    while _is_count(scalars.get(f"{(deeper := _wrapped_by(inner))}0")):
        inner = deeper
    if not _is_count(scalars.get(f"{inner}0")):
        return state
    slots = sum(path.startswith(inner) for path in description["arrays"])
    state = dataclasses.replace(state, iterations=int(scalars[f"{inner}0"]), slots=slots)
    if wrapper_of(description) is not Generation.KERAS3:
        return state
    counter, scale = scalars[f"{_OWN}2"], scalars[f"{_OWN}3"]
    # Of this package's wrapper with a rule that tolerates bad steps, the fifth is what is left.
    left = scalars.get(f"{_OWN}{KERAS3_OWN}") if _has_hysteresis(description) else None
    return dataclasses.replace(
        state,
        loss_scale=float(scale),
        good_steps=whole(counter, "its counter"),
        hysteresis_left=None if left is None else int(left),
    )


def _wrapped_by(place: str) -> str:
    # Keras 3 lets a wrapper wrap another.
    return place.replace("/vars/", "/inner_optimizer/vars/")


def wrapper_of(description: Description) -> Generation | None:
    """Finds the generation of the loss-scale optimizer that numbered variables belong to.

    Args:
        description: The content of the file.

    Returns:
        Keras 3 or tf-keras; `None` if the optimizer has no loss scaling, or if there are no
        variables.
    """
    scalars, paths = description["scalars"], (*description["scalars"], *description["arrays"])
    own, inner = (sum(path.startswith(place) for path in paths) for place in (_OWN, _INNER))
    if inner:
        numbers = [scalars.get(f"{_OWN}{number}") for number in range(KERAS3_OWN)]
        is_keras3 = [_is_count(number) for number in numbers] == [True, False, True, False]
        # tf-keras' wrapper has only the variables of the wrapped optimizer.
        count = KERAS3_OWN + _has_hysteresis(description)
        has_own = own == count + inner and None not in numbers
        return Generation.KERAS3 if is_keras3 and has_own else Generation.TF_KERAS
    return Generation.TF_KERAS if is_legacy_wrapper(description) else None


def _has_hysteresis(description: Description) -> bool:
    """Whether Keras 3's wrapper has one variable more than Keras' own class, and it is a count."""
    paths = (*description["scalars"], *description["arrays"])
    own, inner = (sum(path.startswith(place) for path in paths) for place in (_OWN, _INNER))
    is_one_more = own == KERAS3_OWN + 1 + inner
    return is_one_more and _is_count(description["scalars"].get(f"{_OWN}{KERAS3_OWN}"))


def is_legacy_wrapper(description: Description) -> bool:
    """Whether numbered variables belong to a wrapper around a legacy optimizer.

    Only this package saves them.
    """
    paths = (*description["scalars"], *description["arrays"])
    has_state = any(path.startswith("optimizer/loss_scale/") for path in paths)
    return has_state and not any(path.startswith(_INNER) for path in paths)


def _is_count(value: float | None) -> bool:
    return isinstance(value, int)


def _group(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(":0")


def _strange(description: Description) -> set[str]:
    """Returns the names of the loss scale's variables that have a form which is not read."""
    paths = (*description["unread"], *description["arrays"])
    return {name for name in map(_name, paths) if name in (*_SCALES, *_COUNTERS)}


def missing(
    configs: Sequence[StatedConfig], state: LiveState, description: Description | None = None
) -> tuple[str, ...]:
    """Returns what the loss scale of a model needs and its file does not hold.

    Args:
        configs: The loss-scale configs in the file.
        state: The state in the file.
        description: The content of the file.
    """
    names = []
    if description is not None and description["truncated"]:
        names.append(f"all but the first {MAX_NAMES} variables: they were not read")
    strange = set() if description is None else _strange(description)
    names += [UNREAD.format(name) for name in sorted(strange)]
    dynamic = any(config.spec.dynamic for config in configs)
    if dynamic and state.loss_scale is None and not strange:
        names.append(NO_STATE.format("this file"))
    if configs and state.iterations is None:
        names.append("the optimizer's iterations and slots: the file holds none")
    return tuple(names)
