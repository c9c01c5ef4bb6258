# SPDX-License-Identifier: Apache-2.0
"""Packages that were made for Keras 2 import tf-keras as `keras`; nobody else does."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest

from compat_lossscale import _patching
from compat_lossscale.legacy.serving import put_keras_2

if TYPE_CHECKING:
    from pathlib import Path

IMPORTS = """
import keras
import keras.part.inner
import keras.part as part
from keras.part import inner
from keras import *
import json

def later():
    from keras.part import inner
    return inner

def of_package():
    from . import other
    return other
"""


@pytest.fixture
def _packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins for Keras 3 and tf-keras, and two packages with the same imports."""
    for keras in ("keras", "tf_keras"):
        (tmp_path / keras / "part").mkdir(parents=True)
        (tmp_path / keras / "__init__.py").write_text(f"which = {keras!r}\n")
        (tmp_path / keras / "part" / "__init__.py").write_text("")
        (tmp_path / keras / "part" / "inner.py").write_text("which = __name__\n")
    for package in ("for_keras_2", "for_keras_3"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(IMPORTS)
        (tmp_path / package / "other.py").write_text("import keras\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    roots = ("keras", "tf_keras", "for_keras_2", "for_keras_3")
    for name in [name for name in sys.modules if name.partition(".")[0] in roots]:
        monkeypatch.delitem(sys.modules, name)
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] in roots]:
        del sys.modules[name]


@pytest.mark.usefixtures("_packages")
@pytest.mark.parametrize(
    ("package", "keras"), [("for_keras_2", "tf_keras"), ("for_keras_3", "keras")]
)
def test_every_import_statement_leads_to_the_right_one(package: str, keras: str) -> None:
    undo: _patching.Undo = []
    paths = list(sys.meta_path)
    put_keras_2(["for_keras_2"], undo)
    module = importlib.import_module(package)
    assert module.keras.which == module.which == keras
    assert module.part is sys.modules[f"{keras}.part"]
    assert module.inner.which == module.later().which == f"{keras}.part.inner"
    assert module.of_package().keras.which == keras
    assert module.json is sys.modules["json"]
    _patching.take_back(undo)
    assert sys.meta_path == paths
    assert module.later().which == f"{keras}.part.inner"


@pytest.mark.usefixtures("_packages")
def test_the_same_keras_is_there_for_others_meanwhile() -> None:
    undo: _patching.Undo = []
    put_keras_2(["for_keras_2"], undo)
    importlib.import_module("for_keras_2")
    assert importlib.import_module("keras").which == "keras"
    _patching.take_back(undo)
