# SPDX-License-Identifier: Apache-2.0
"""Which family of Keras optimizers a path is of, then and now."""

from __future__ import annotations

import pytest
from lossscale_codemods.tables.optimizer_families import (
    chooses_family,
    class_of,
    is_chosen,
    is_private,
    is_spelled_in,
    legacy_class,
    public_class,
)


@pytest.mark.parametrize(
    ("path", "legacy"),
    [
        ("tensorflow.keras.optimizers.Adam", "tensorflow.keras.optimizers.legacy.Adam"),
        ("tensorflow.optimizers.SGD", "tensorflow.keras.optimizers.legacy.SGD"),
        ("tensorflow.keras.optimizers.legacy.Adam", None),
        ("tensorflow.keras.optimizers.AdamW", None),
        ("tensorflow.compat.v1.keras.optimizers.Adam", None),
        ("keras.optimizers.Adam", None),
    ],
)
def test_the_class_that_a_path_once_reached(path: str, legacy: str | None) -> None:
    assert legacy_class(path) == legacy


@pytest.mark.parametrize(
    ("private", "public"),
    [
        ("adam.Adam", "legacy.Adam"),
        ("gradient_descent.SGD", "legacy.SGD"),
        ("optimizer_v2.OptimizerV2", "legacy.Optimizer"),
        ("learning_rate_schedule.CosineDecay", "schedules.CosineDecay"),
    ],
)
def test_the_public_path_of_a_private_one(private: str, public: str) -> None:
    path = f"tensorflow.python.keras.optimizer_v2.{private}"
    assert public_class(path) == f"tensorflow.keras.optimizers.{public}"
    assert is_private(path)
    assert public_class(f"{path}s") is None


def test_what_chooses_a_family() -> None:
    assert is_chosen("tensorflow.keras.optimizers.legacy.Adam")
    assert is_chosen("tensorflow.keras.optimizers.experimental.Adam")
    assert not is_chosen("tensorflow.keras.optimizers.Adam")
    assert chooses_family("tensorflow.keras.optimizers.get") == "use_legacy_optimizer"
    assert chooses_family("tensorflow.keras.optimizers.serialize") == "use_legacy_format"
    assert chooses_family("tensorflow.keras.losses.get") is None


def test_names_in_strings() -> None:
    assert class_of("ADAM") == "Adam"
    assert class_of("lion") is None
    assert is_spelled_in("tf.keras.optimizers.Adam")
    assert not is_spelled_in("tf.keras.optimizers.Adam is used")
