# SPDX-License-Identifier: Apache-2.0
"""What is to be installed waits for TensorFlow; the two frameworks stand-in modules here."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_lossscale.legacy import waiting

ONE, OTHER = "under_test_tensorflow", "under_test_tf_keras"


@pytest.fixture(autouse=True)
def frameworks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two modules, the second of which imports the first, as tf-keras imports TensorFlow."""
    (tmp_path / f"{ONE}.py").write_text("")
    (tmp_path / f"{OTHER}.py").write_text(f"import {ONE}\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(waiting, "_TENSORFLOW", ONE)
    monkeypatch.setattr(waiting, "_KERASES", {2: OTHER})
    finders = list(sys.meta_path)
    importlib.invalidate_caches()
    yield tmp_path
    waiting.take_back()
    assert sys.meta_path == finders
    for name in (ONE, OTHER):
        sys.modules.pop(name, None)


def defer() -> list[str]:
    """Defers, and returns a list of what is called then."""
    called: list[str] = []

    def install(options: waiting.InstallOptions) -> None:
        waiting.done()
        whole = hasattr(sys.modules.get(OTHER, sys), "whole")
        called.append(f"install {options['legacy_optimizers']} {whole}")

    waiting.defer(
        {"legacy_optimizers": False, "neighbours": True, "keras": 2},
        prepare=lambda: called.append("prepare"),
        install=install,
    )
    return called


def test_it_waits_for_the_import() -> None:
    called = defer()
    assert called == []
    assert waiting.what_to_install() == {"legacy_optimizers": False, "neighbours": True, "keras": 2}
    importlib.import_module(ONE)
    assert called == ["prepare", "install False False"]
    assert waiting.what_to_install() is None


def test_what_imports_the_first_is_whole_by_then() -> None:
    called = defer()
    importlib.import_module(OTHER)
    assert called == ["prepare", "install False True"]


def test_it_does_not_wait_for_what_has_been_imported() -> None:
    importlib.import_module(ONE)
    assert defer() == ["install False False"]


def test_nothing_is_called_once_it_is_done_or_taken_back() -> None:
    for end in (waiting.done, waiting.take_back):
        called = defer()
        end()
        importlib.import_module(OTHER)
        assert called == []
        del sys.modules[ONE], sys.modules[OTHER]
