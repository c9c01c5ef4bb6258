# SPDX-License-Identifier: Apache-2.0
"""What is not installed is named, with the command that installs it."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import sys
import types
from typing import Any

import pytest

from compat_lossscale._require import require_keras_3, require_libcst, require_tensorflow
from compat_lossscale.errors import MissingExtraError


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Modules that cannot be found."""
    names: set[str] = set()
    real = importlib.util.find_spec

    def find_spec(name: str, *args: Any) -> Any:
        return None if name in names else real(name, *args)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    return names


@pytest.mark.parametrize("names", [{"tensorflow"}, {"tf_keras"}, {"tensorflow", "tf_keras"}])
def test_tensorflow_and_tf_keras_are_required(names: set[str], missing: set[str]) -> None:
    require_tensorflow("the test")
    missing |= names
    with pytest.raises(
        MissingExtraError, match=r"^the test needs .*: pip install tensorflow tf-keras"
    ) as caught:
        require_tensorflow("the test")
    for name in names:
        assert name in str(caught.value).partition("(")[2]


def test_keras_3_is_required(missing: set[str]) -> None:
    require_keras_3("the test")
    missing.add("keras")
    with pytest.raises(
        MissingExtraError, match=r"^the test needs Keras 3 \(keras not found\): pip"
    ):
        require_keras_3("the test")


@pytest.mark.parametrize("version", ["1.2.2", "2.15.0"])
def test_an_older_keras_is_not_enough(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda package: version)
    with pytest.raises(MissingExtraError, match=f"keras {version} is installed: pip install"):
        require_keras_3("the test")


def test_a_keras_that_is_tf_keras_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    tf_keras = types.ModuleType("tf_keras")
    tf_keras.__spec__ = importlib.machinery.ModuleSpec("tf_keras", None)
    tf_keras.__version__ = "2.21.0"  # type: ignore[attr-defined]  # a module has any attribute
    monkeypatch.setitem(sys.modules, "keras", tf_keras)
    with pytest.raises(MissingExtraError, match=r"`import keras` gives Keras 2\.21\.0 .*keras=3"):
        require_keras_3("the test")


def test_libcst_is_required(missing: set[str]) -> None:
    require_libcst("the test")
    missing.add("libcst")
    with pytest.raises(MissingExtraError, match=r"^the test needs libcst.*pip install libcst"):
        require_libcst("the test")
