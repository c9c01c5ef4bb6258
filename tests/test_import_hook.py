# SPDX-License-Identifier: Apache-2.0
"""Functions that are called when a module is imported, by whatever import statement."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compat_lossscale import _import_hook
from compat_lossscale._patching import Undo, take_back

NAME = "under_test_hooked"


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that can be imported, and everything as it was afterwards."""
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / "__init__.py").write_text("value = 1\n")
    (folder / "inner.py").write_text("value = 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    finders = list(sys.meta_path)
    yield folder
    assert sys.meta_path == finders
    for name in [name for name in sys.modules if name.startswith("under_test")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "statement",
    [
        f"import {NAME}",
        f"import {NAME}.inner",
        f"from {NAME} import value",
        f"from {NAME}.inner import value",
    ],
)
def test_it_is_called_once_the_module_is_whole(statement: str) -> None:
    seen: list[int] = []
    _import_hook.when_imported(NAME, lambda module: seen.append(module.value), [])
    assert NAME not in sys.modules
    exec(statement, {})
    exec(statement, {})
    assert seen == [1]


def test_it_is_called_at_once_for_a_module_that_has_been_imported() -> None:
    module = importlib.import_module(NAME)
    seen: list[Any] = []
    _import_hook.when_imported(NAME, seen.append, [])
    assert seen == [module]


def test_several_are_called_in_order_and_those_for_before_come_first(package: Path) -> None:
    (package / "__init__.py").write_text("import sys\nsys.under_test.append('module')\n")
    sys.under_test = seen = []  # type: ignore[attr-defined]
    for number in (1, 2):
        _import_hook.when_imported(
            NAME,
            lambda _, n=number: seen.append(f"after {n}"),
            [],
            before=lambda n=number: seen.append(f"before {n}"),
        )
    importlib.import_module(NAME)
    del sys.under_test  # type: ignore[attr-defined]
    assert seen == ["before 1", "before 2", "module", "after 1", "after 2"]


def test_what_is_taken_back_is_not_called() -> None:
    seen: list[Any] = []
    finders = list(sys.meta_path)
    undo: Undo = []
    _import_hook.when_imported(NAME, seen.append, undo)
    assert sys.meta_path != finders
    take_back(undo)
    assert sys.meta_path == finders
    importlib.import_module(NAME)
    assert seen == []


def test_an_import_that_fails_does_not_count(package: Path) -> None:
    (package / "__init__.py").write_text("1 / 0\n")
    seen: list[Any] = []
    _import_hook.when_imported(NAME, seen.append, [])
    with pytest.raises(ZeroDivisionError):
        importlib.import_module(NAME)
    assert seen == []
    (package / "__init__.py").write_text("worked = True\n")
    importlib.invalidate_caches()
    assert importlib.import_module(NAME).worked
    assert len(seen) == 1


def test_a_failing_import_shows_the_frames_that_it_always_shows(package: Path) -> None:
    (package / "__init__.py").write_text("1 / 0\n")
    path = package.parent / "under_test_importer.py"
    path.write_text(f"import {NAME}\n")

    def frames() -> list[tuple[str, int | None]]:
        with pytest.raises(ZeroDivisionError) as raised:
            exec(compile(path.read_text(), str(path), "exec"), {})
        return [(f.filename, f.lineno) for f in traceback.extract_tb(raised.tb)][1:]

    wanted = frames()
    undo: Undo = []
    _import_hook.when_imported(NAME, lambda _: None, undo)
    assert frames() == wanted
    take_back(undo)


def test_what_it_raises_is_raised_by_the_import_statement_each_time() -> None:
    def refuse(_: Any) -> None:
        raise RuntimeError("no")

    undo: Undo = []
    _import_hook.when_imported(NAME, refuse, undo)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no"):
            importlib.import_module(NAME)
        assert NAME not in sys.modules
    take_back(undo)


def test_the_module_and_its_loader_look_as_always() -> None:
    looked: Any = importlib.util.find_spec(NAME)
    _import_hook.when_imported(NAME, lambda _: None, [])
    assert repr(importlib.util.find_spec(NAME)).split(" object at")[0] in repr(looked)
    module = importlib.import_module(NAME)
    assert module.__spec__ == looked
    assert module.__loader__ == looked.loader
    assert importlib.reload(module) is module


def test_it_may_import_the_module_and_wait_for_another() -> None:
    seen: list[Any] = []

    def first(module: Any) -> None:
        assert importlib.import_module(NAME) is module
        assert not _import_hook.is_importing(NAME)  # its own code has been run
        _import_hook.when_imported(f"{NAME}.inner", seen.append, [])

    _import_hook.when_imported(NAME, first, [])
    inner = importlib.import_module(f"{NAME}.inner")
    assert seen == [inner]
    assert not _import_hook.is_importing(NAME)


def test_what_the_module_itself_asks_for_while_it_is_imported_is_called_too(package: Path) -> None:
    (package / "__init__.py").write_text("import sys\nsys.under_test()\nvalue = 1\n")
    seen: list[str] = []

    def ask() -> None:
        _import_hook.when_imported(NAME, lambda module: seen.append(f"late {module.value}"), [])

    sys.under_test = ask  # type: ignore[attr-defined]
    _import_hook.when_imported(NAME, lambda _: seen.append("early"), [])
    importlib.import_module(NAME)
    del sys.under_test  # type: ignore[attr-defined]
    assert seen == ["early", "late 1"]


def test_every_thread_gets_the_module_after_it_was_called(package: Path) -> None:
    (package / "__init__.py").write_text("import time\ntime.sleep(0.05)\n")
    calls: list[Any] = []
    seen: list[bool] = []

    def patch(module: Any) -> None:
        calls.append(module)
        module.patched = True

    def use() -> None:
        seen.append(hasattr(importlib.import_module(NAME), "patched"))

    _import_hook.when_imported(NAME, patch, [])
    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 8
    assert len(calls) == 1


def test_a_module_that_is_not_there_is_missing_as_always() -> None:
    undo: Undo = []
    _import_hook.when_imported("under_test_missing", lambda _: None, undo)
    with pytest.raises(ModuleNotFoundError, match="No module named 'under_test_missing'"):
        importlib.import_module("under_test_missing")
    take_back(undo)
