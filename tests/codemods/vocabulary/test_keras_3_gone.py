# SPDX-License-Identifier: Apache-2.0
"""What is said to be gone from Keras 3 is compared with both Keras of today."""

from __future__ import annotations

import types
from collections.abc import Iterator

import pytest
from lossscale_codemods.vocabulary.keras_3_gone import (
    BACKEND_OF_KERAS,
    GONE,
    GONE_FROM_KERAS,
    GONE_V1,
    below_keras,
    gone_at,
    gone_from_keras,
)

_ELSEWHERE = {"applications", "mixed_precision", "optimizers"}
"""Models that are not listed, and what has rules of its own."""


@pytest.fixture(scope="module", autouse=True)
def both_keras() -> None:
    """Imports both before the first test, whose fixtures prepare TensorFlow."""
    import keras  # noqa: F401
    import tf_keras  # noqa: F401


def missing(old: types.ModuleType, new: types.ModuleType, before: str = "") -> Iterator[str]:
    for name in dir(old):
        value = getattr(old, name)
        if name.startswith("_") or name in _ELSEWHERE:
            continue
        if not hasattr(new, name):
            yield before + name
        elif isinstance(value, types.ModuleType) and "tf_keras.api" in value.__name__:
            yield from missing(value, getattr(new, name), f"{before}{name}.")


def test_the_list_is_that_of_today() -> None:
    import tf_keras.api._v2.keras as old
    from keras._tf_keras import keras as new

    assert set(missing(old, new)) == GONE


def test_the_list_of_version_1_is_that_of_today() -> None:
    import tf_keras.api._v1.keras as old
    import tf_keras.api._v2.keras as newer
    from keras._tf_keras import keras as new

    of_version_2 = set(missing(old, newer))
    assert set(missing(old, new)) & of_version_2 == GONE_V1


def test_the_list_of_bare_keras_is_that_of_today() -> None:
    import keras
    import tf_keras.api._v2.keras as old

    lacking = set(missing(old, keras)) - GONE
    assert {name for name in lacking if not name.startswith("backend.")} == GONE_FROM_KERAS
    assert {f"backend.{n}" for n in dir(old.backend) if not n.startswith("_")} - lacking - GONE == {
        f"backend.{name}" for name in BACKEND_OF_KERAS
    }


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("tensorflow.keras.backend.ndim", "backend.ndim"),
        ("tensorflow.compat.v1.keras.backend.ndim", "backend.ndim"),
        ("tensorflow.python.keras.backend.ndim", "backend.ndim"),
        ("keras.backend.ndim", "backend.ndim"),
        ("tf_keras.backend.ndim", ""),
        ("mykeras.backend.ndim", ""),
    ],
)
def test_paths_below_keras(path: str, below: str) -> None:
    assert below_keras(path) == below


def test_only_what_is_gone_is_gone() -> None:
    assert gone_at("tensorflow.keras.backend.set_learning_phase") == "backend.set_learning_phase"
    assert gone_at("tensorflow.compat.v1.keras.layers.CuDNNLSTM") == "layers.CuDNNLSTM"
    assert gone_at("tensorflow.keras.layers.Dense") is None


def test_what_only_bare_keras_lacks() -> None:
    assert gone_from_keras("keras.backend.get_value") == "backend.get_value"
    assert gone_from_keras("keras.losses.mse") == "losses.mse"
    for path in ("tensorflow.keras.backend.get_value", "keras.backend.epsilon", "keras.backend"):
        assert gone_from_keras(path) is None
