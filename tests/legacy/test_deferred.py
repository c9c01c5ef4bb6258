# SPDX-License-Identifier: Apache-2.0
"""What is to be installed waits for TensorFlow; the two frameworks stand-in modules here."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_lossscale.legacy import install, startup, waiting

ONE, OTHER = "under_test_tensorflow", "under_test_tf_keras"


@pytest.fixture(autouse=True)
def frameworks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two modules, the second of which imports the first, as tf-keras imports TensorFlow."""
    (tmp_path / f"{ONE}.py").write_text("")
    (tmp_path / f"{OTHER}.py").write_text(f"import {ONE}\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(startup, "_TENSORFLOW", ONE)
    monkeypatch.setattr(startup, "_KERASES", {2: OTHER})
    monkeypatch.setattr(startup, "hide", lambda: None)
    finders = list(sys.meta_path)
    importlib.invalidate_caches()
    yield tmp_path
    waiting.take_back()
    assert sys.meta_path == finders
    for name in (ONE, OTHER):
        sys.modules.pop(name, None)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is called, in the place of what prepares and installs."""
    called: list[str] = []

    def install_unless_busy(options: waiting.InstallOptions) -> bool:
        waiting.to_install = None
        whole = hasattr(sys.modules.get(OTHER, sys), "whole")
        called.append(f"install {options['legacy_optimizers']} {whole}")
        return True

    monkeypatch.setattr(install, "require", lambda what, **_: called.append(f"require for {what}"))
    monkeypatch.setattr(install, "select", lambda undo, keras: called.append(f"select {keras}"))
    monkeypatch.setattr(install, "install_unless_busy", install_unless_busy)
    return called


def test_it_waits_for_the_import(called: list[str]) -> None:
    startup.install_when_imported("a test")
    assert called == []
    assert waiting.to_install == {"legacy_optimizers": False, "neighbours": False, "keras": 2}
    importlib.import_module(ONE)
    assert called == ["require for a test", "select 2", "install False False"]
    assert waiting.to_install is None


def test_what_imports_the_first_is_whole_by_then(called: list[str]) -> None:
    startup.install_when_imported("a test")
    importlib.import_module(OTHER)
    assert called == ["require for a test", "select 2", "install False True"]


def test_it_does_not_wait_for_what_has_been_imported(called: list[str]) -> None:
    importlib.import_module(ONE)
    startup.install_when_imported("a test")
    assert called == ["install False False"]


def test_nothing_is_called_once_it_is_done_or_taken_back(called: list[str]) -> None:
    for end in (lambda: setattr(waiting, "to_install", None), waiting.take_back):
        startup.install_when_imported("a test")
        end()
        importlib.import_module(OTHER)
        assert called == []
        del sys.modules[ONE], sys.modules[OTHER]
