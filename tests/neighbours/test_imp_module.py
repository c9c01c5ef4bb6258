# SPDX-License-Identifier: Apache-2.0
"""`imp` loads what programs load with it."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING

import pytest

from compat_lossscale.neighbours import imp_module as imp

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("loaded", "pack"):
        monkeypatch.setitem(sys.modules, name, sys)
        monkeypatch.delitem(sys.modules, name)


def test_a_source_file_is_loaded_and_again_into_the_same_module(tmp_path: Path) -> None:
    file = tmp_path / "config.py"
    file.write_text("value = 1\n")
    module = imp.load_source("loaded", str(file))
    assert (module.value, module.__name__, sys.modules["loaded"]) == (1, "loaded", module)
    file.write_text("value = 1000\n")
    assert imp.load_source("loaded", str(file)) is module
    assert module.value == 1000


def test_a_file_that_fails_leaves_no_module(tmp_path: Path) -> None:
    file = tmp_path / "config.py"
    file.write_text("1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        imp.load_source("loaded", str(file))
    assert "loaded" not in sys.modules


def test_what_is_found_can_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "loaded.py").write_text("value = 2\n")
    file, path, details = imp.find_module("loaded", [str(tmp_path)])
    assert file is not None
    with file:
        assert details == (".py", "r", imp.PY_SOURCE)
        assert imp.load_module("loaded", file, path, details).value == 2


def test_packages_and_built_in_modules_are_found_and_loaded(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("value = 3\n")
    file, path, details = imp.find_module("pack", [str(tmp_path)])
    assert (file, details[2]) == (None, imp.PKG_DIRECTORY)
    assert imp.load_module("pack", file, path, details).value == 3
    assert imp.load_module("sys", *imp.find_module("sys")) is sys


def test_what_is_not_there_is_an_import_error(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match="No module named 'loaded'"):
        imp.find_module("loaded", [str(tmp_path)])


def test_the_small_ones() -> None:
    assert isinstance(imp.new_module("new"), types.ModuleType)
    assert imp.get_tag() == sys.implementation.cache_tag
    assert (".py", "r", imp.PY_SOURCE) in imp.get_suffixes()
    assert imp.is_builtin("sys")
    imp.acquire_lock()
    imp.release_lock()
    assert not imp.lock_held()
