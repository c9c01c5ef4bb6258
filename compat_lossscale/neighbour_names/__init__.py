# SPDX-License-Identifier: Apache-2.0
"""The table of names next to the loss-scale API that old programs use, and that are gone today.

Plain data in `names.json`: what was where, until when, what serves it, and what new code has
in its place. `legacy.serving` serves the names, `doctor` and the codemod look them up. Nothing here
imports a framework.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

from compat_lossscale.neighbour_names import keras_names
from compat_lossscale.neighbour_names.neighbour import Neighbour, changed_signatures, neighbours

_METHODS = (*neighbours("members"), *neighbours("gone members"))
"""Attributes of classes, under names that no other class is likely to have; but `compute_loss`,
which is replaced where a class has it."""
COMMON_MEMBERS = neighbours("common members")
"""Attributes of classes, under names that others have as well. `migrate` does not look for them."""
MEMBERS: tuple[Neighbour, ...] = (*_METHODS, *COMMON_MEMBERS)
"""The neighbours that are attributes of classes."""
MOVED = neighbours("moved")
"""Private names that moved to other private modules. Optimizers and loops of old programs import
them: `control_flow_ops.cond`, `ops.Tensor`."""
NUMPY, SCIPY, PYTHON = (neighbours(library) for library in ("numpy", "scipy", "python"))
TABLE: tuple[Neighbour, ...] = (
    *MEMBERS,
    *neighbours("tensorflow"),
    *MOVED,
    *keras_names.MODULES,
    *NUMPY,
    *SCIPY,
    *neighbours("wandb"),
    *PYTHON,
)
"""Every neighbour."""
SIGNATURES = changed_signatures()
"""The signatures that changed, the most used first."""

_NAMES = {one.module_or_name: one for one in TABLE}
_APIS = ("tensorflow.compat.v1.", "tensorflow.compat.v2.")
_PUBLIC_KERAS = "tensorflow.keras"
_KERAS_NAMES: dict[str, dict[str, str]] = json.loads(
    Path(__file__).with_name("keras_public_names.json").read_text(encoding="utf-8")
)
"""Made by `tools/keras_public_names.py`."""
PUBLIC_NAMES = _KERAS_NAMES["public"]
"""The classes and functions of each public module of Keras, by its place in `tf.keras`."""
OTHERS = _KERAS_NAMES["others"]
"""Names of private modules that stand for something else than the public ones."""
METHODS = {one.short_name: one for one in _METHODS if one.short_name != "compute_loss"}
"""By its name, each method and attribute that no other class is likely to have."""


@functools.lru_cache(maxsize=4096)
def neighbour_at(path: str) -> Neighbour | None:
    """Returns the neighbour at a path, or the one that is above it."""
    while path:
        for spelled in (*(path.replace(api, "tensorflow.", 1) for api in _APIS), path):
            if spelled in _NAMES:
                return _NAMES[spelled]
        path = path.rpartition(".")[0]
    return None


@functools.lru_cache(maxsize=4096)
def successor_of(path: str) -> str:
    """Returns what does the same in every case, as `Neighbour.exactly` writes it; else nothing."""
    if _is_below(path, keras_names.PRIVATE):
        below = path.removeprefix(keras_names.PRIVATE).removeprefix(".")
        if below in keras_names.ELSEWHERE:
            return f"tensorflow.{keras_names.ELSEWHERE[below]}"
        public = _public_name(below)
        return "" if public is None else f"{_PUBLIC_KERAS}.{public}".removesuffix(".")
    neighbour = neighbour_at(path)
    if neighbour is None or not neighbour.successor:
        return ""
    member = path.removeprefix(neighbour.module_or_name)
    if member == path:
        return ""
    if not member or neighbour.name.endswith(".*"):
        return f"{neighbour.successor}{member}"
    return ""


def is_public_elsewhere(path: str) -> bool:
    """Whether a name of `tensorflow.python.keras` is public in tf-keras, and not in Keras 3."""
    return path.removeprefix(f"{keras_names.PRIVATE}.") in keras_names.ELSEWHERE


def is_public_module(path: str) -> bool:
    """Whether a module of `tensorflow.python.keras` has a public one of the same names."""
    return _is_below(path, keras_names.PRIVATE) and (
        path.removeprefix(keras_names.PRIVATE).removeprefix(".") in PUBLIC_NAMES
    )


def _public_name(below: str) -> str | None:
    if below in PUBLIC_NAMES:
        return below
    module, _, name = below.rpartition(".")
    if name in OTHERS.get(module, "").split():
        return None
    homes = (
        home for home in keras_names.homes(module) if name in PUBLIC_NAMES.get(home, "").split()
    )
    home = next(homes, None)
    return None if home is None else f"{home}.{name}".removeprefix(".")


def _is_below(path: str, module: str) -> bool:
    return path == module or path.startswith(f"{module}.")
