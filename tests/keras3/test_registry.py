# SPDX-License-Identifier: Apache-2.0
"""Tests of what saved optimizers and policies come back as, on Keras 3."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keras
import pytest

from compat_lossscale._patching import Undo, take_back
from compat_lossscale.keras3 import experimental
from compat_lossscale.keras3.experimental import Policy

SAVED = {
    "optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.5}},
    "loss_scale": {"class_name": "FixedLossScale", "config": {"loss_scale_value": 8.0}},
}


@pytest.fixture
def registered() -> Iterator[None]:
    undo: Undo = []
    decides = experimental.patches.applied
    experimental.register(undo)
    yield
    take_back(undo)
    experimental.patches.replace(decides)


@pytest.mark.parametrize("name", ["LossScaleOptimizer", "LossScaleOptimizerV1"])
def test_a_saved_optimizer_comes_back_as_the_experimental_one(name: str, registered: None) -> None:
    optimizer = keras.optimizers.deserialize({"class_name": name, "config": SAVED})
    assert type(optimizer) is experimental.LossScaleOptimizer
    assert float(optimizer.loss_scale()) == 8.0


@pytest.mark.parametrize("name", ["Policy", "PolicyV1"])
def test_a_layer_gets_the_policy_that_its_config_states(name: str, registered: None) -> None:
    config: dict[str, Any] = keras.layers.Dense(1).get_config()
    stated = {"name": "mixed_float16", "loss_scale": SAVED["loss_scale"]}
    config["dtype"] = {"class_name": name, "config": stated}
    policy = keras.layers.Dense.from_config(config).dtype_policy
    assert type(policy) is Policy
    assert float(policy.loss_scale()) == 8.0


def test_a_loss_scale_is_stated_where_keras_alone_does_not_look(registered: None) -> None:
    given = keras.layers.Dense(1, dtype=Policy("mixed_float16", loss_scale=8))
    config = given.get_config()
    assert config["dtype"]["config"] == {"name": "mixed_float16"}
    assert config["dtype"]["loss_scale"] == SAVED["loss_scale"]
    policy = keras.layers.Dense.from_config(config).dtype_policy
    assert type(policy) is Policy
    assert float(policy.loss_scale()) == 8.0


def test_what_a_policy_states_loads_in_keras_alone(tmp_path: Path) -> None:
    undo: Undo = []
    decides = experimental.patches.applied
    experimental.register(undo)
    ours = [Policy("mixed_float16", loss_scale=8), Policy("mixed_float16", loss_scale=None)]
    layers = [keras.layers.Dense(1, dtype=policy) for policy in ours]
    model = keras.Sequential([keras.Input([1]), *layers])
    text = model.to_json()
    model.save(tmp_path / "model.keras")
    take_back(undo)
    experimental.patches.replace(decides)
    for again in (
        keras.models.model_from_json(text),
        keras.models.load_model(tmp_path / "model.keras"),
    ):
        found = [layer.dtype_policy for layer in again.layers]
        assert [type(policy) for policy in found] == [keras.DTypePolicy] * 2
        assert [policy.name for policy in found] == ["mixed_float16"] * 2


def test_a_policy_without_a_loss_scale_is_keras_own(registered: None) -> None:
    policy = experimental.SavedPolicy.from_config({"name": "float32"})
    assert type(policy) is keras.DTypePolicy


def test_taking_it_back_leaves_nothing() -> None:
    known = dict(keras.saving.get_custom_objects())
    before = vars(keras.DTypePolicy)["from_config"]
    of_layers = vars(keras.layers.Layer)["get_config"]
    undo: Undo = []
    experimental.register(undo)
    assert vars(keras.DTypePolicy)["from_config"] is not before
    take_back(undo)
    assert keras.saving.get_custom_objects() == known
    assert vars(keras.DTypePolicy)["from_config"] is before
    assert vars(keras.layers.Layer)["get_config"] is of_layers
