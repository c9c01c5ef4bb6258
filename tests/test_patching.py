# SPDX-License-Identifier: Apache-2.0
"""Changes to modules and to the environment come back exactly as they were."""

from __future__ import annotations

import importlib
import os
import sys
import types
from typing import TYPE_CHECKING

import pytest

from compat_lossscale import _patching

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_lossscale._patching import Undo


@pytest.mark.parametrize("found", [None, "", "0"])
def test_a_variable_of_the_environment_comes_back(
    monkeypatch: pytest.MonkeyPatch, found: str | None
) -> None:
    name = "COMPAT_LOSSSCALE_TEST"
    if found is None:
        monkeypatch.delenv(name, raising=False)
    else:
        monkeypatch.setenv(name, found)
    undo: Undo = []
    _patching.set_item(os.environ, name, "1", undo)
    assert os.environ[name] == "1"
    _patching.take_back(undo)
    assert os.environ.get(name) == found
    assert undo == []


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package `legacy` that has a module `private`, which is not imported yet."""
    folder = tmp_path / "legacy"
    folder.mkdir()
    (folder / "__init__.py").write_text("__all__ = ['kept']\nkept = 1\n")
    (folder / "private.py").write_text("own, old = 1, 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    for name in ("legacy", "legacy.private", "legacy.gone"):
        monkeypatch.setitem(sys.modules, name, sys)
        monkeypatch.delitem(sys.modules, name)
    return importlib.import_module("legacy").__name__


def test_what_a_module_lists_as_public_comes_back_with_its_attribute(package: str) -> None:
    module = sys.modules[package]
    listed = module.__all__
    undo: Undo = []
    _patching.set_attribute(module, "new", 3, undo)
    _patching.set_attribute(module, "kept", 4, undo)
    listed.append("new")
    _patching.take_back(undo)
    assert not hasattr(module, "new")
    assert (module.kept, module.__all__) == (1, ["kept"])
    assert module.__all__ is listed


@pytest.mark.parametrize("name", ["private", "gone"])
def test_a_private_module_that_was_not_imported_is_not_imported_afterwards(
    package: str, name: str
) -> None:
    path = f"{package}.{name}"
    undo: Undo = []
    _patching.put_private_module(path, {"old": 5}, undo)
    module = importlib.import_module(path)
    assert (module.old, hasattr(module, "own")) == (5, name == "private")
    assert getattr(sys.modules[package], name) is module
    _patching.take_back(undo)
    assert path not in sys.modules
    assert not hasattr(sys.modules[package], name)


def test_a_private_module_is_put_where_its_parents_are_gone_too(package: str) -> None:
    undo: Undo = []
    _patching.put_private_module(f"{package}.gone.farther.away", {"old": 5}, undo)
    assert importlib.import_module(f"{package}.gone.farther.away").old == 5
    _patching.take_back(undo)
    assert not [name for name in sys.modules if name.startswith(f"{package}.gone")]
    assert not hasattr(sys.modules[package], "gone")


def test_a_private_module_itself_is_not_touched(package: str) -> None:
    module = importlib.import_module(f"{package}.private")
    undo: Undo = []
    _patching.put_private_module(f"{package}.private", {"old": 5}, undo)
    assert (module.own, module.old) == (1, 2)
    _patching.take_back(undo)
    assert sys.modules[f"{package}.private"] is module is sys.modules[package].private


def test_patches_of_one_subject_replace_each_other() -> None:
    module = types.SimpleNamespace(f=lambda x: x, g=lambda x: x)

    def negated(function: Callable[[int], int], x: int) -> int:
        return -function(x)

    patches = _patching.FunctionPatches()
    of_f, of_g = ((module, "f", negated),), ((module, "g", negated),)
    for applied, expected in ((of_f, (-1, 1)), (of_g, (1, -1)), ((), (1, 1)), (of_f, (-1, 1))):
        for _ in range(2):
            patches.replace(applied)
            assert patches.applied == applied
            assert (module.f(1), module.g(1)) == expected
