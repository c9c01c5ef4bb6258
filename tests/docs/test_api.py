# SPDX-License-Identifier: Apache-2.0
"""The API reference has every public name, and the public members of its classes."""

from __future__ import annotations

import importlib
import inspect
import re
from types import ModuleType
from typing import Any

import pytest

from tests.docs.fences import ROOT

_ENTRY = re.compile(
    r"^\.\. auto(?:class|function|module):: (?P<path>[\w.]+)\n(?:   :members:(?P<members>.*)\n)?",
    re.MULTILINE,
)
ENTRIES = {
    entry["path"]: entry["members"]
    for entry in _ENTRY.finditer((ROOT / "docs" / "api.md").read_text("utf-8"))
}
PUBLIC = (
    "compat_lossscale",
    "compat_lossscale.callbacks",
    "compat_lossscale.experimental",
    "compat_lossscale.formats",
    "compat_lossscale.keras3",
    "compat_lossscale.v1",
    "lossscale_codemods",
)
OURS = ("compat_lossscale", "lossscale_codemods")
OF_EVERY_TENSOR = {"device", "dtype", "graph", "name", "numpy", "op", "shape"}
FOR_THIS_PACKAGE = {
    "advance", "counter", "current_loss_scale", "growth_steps", "refused", "sharing_state_of",
    "of_variables", "skipping", "state", "settings", "numbers",
    "has_to_shrink_at_floor",
    "make_fetchable",
}  # fmt: skip


def named(path: str) -> Any:
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_has_an_entry(module: str) -> None:
    documented = [named(path) for path in ENTRIES]
    documented += vars(named("compat_lossscale.errors")).values()
    namespace = named(module)
    for name in namespace.__all__:
        value = getattr(namespace, name)
        if name != "__version__" and not isinstance(value, ModuleType):
            assert any(value is one for one in documented), f"{module}.{name}"


@pytest.mark.parametrize("path", [path for path in ENTRIES if inspect.isclass(named(path))])
def test_a_class_has_its_members(path: str) -> None:
    listed = {one: _listed(ENTRIES[one]) for one in ENTRIES}
    cls = named(path)
    ours = [one for one in cls.__mro__ if one.__module__.split(".")[0] in OURS]
    others = [one for one in cls.__mro__ if one not in ours]
    # Those of a base class in the reference stand there.
    inherited = [listed[one] for one in ENTRIES if named(one) in ours]
    for name, value in ((name, value) for one in ours for name, value in vars(one).items()):
        is_ours = not any(hasattr(one, name) for one in others)
        documents_itself = callable(value) or isinstance(value, property | classmethod)
        if is_ours and documents_itself and not name.startswith("_"):
            is_there = any(names is None or name in names for names in inherited)
            assert is_there or name in FOR_THIS_PACKAGE | OF_EVERY_TENSOR, f"{path}.{name}"


def _listed(members: str | None) -> set[str] | None:
    """The members that an entry names; `None` if it has them all."""
    if members is None:
        return set()
    return {name.strip() for name in members.split(",")} if members.strip() else None
