# SPDX-License-Identifier: Apache-2.0
"""Tests of what saved optimizers and policies come back as, on Keras 3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import keras
import pytest

from compat_lossscale._patching import Undo, take_back
from compat_lossscale.keras3 import compile_wrapping, experimental, registry
from compat_lossscale.keras3.policies import Policy

SAVED = {
    "optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.5}},
    "loss_scale": {"class_name": "FixedLossScale", "config": {"loss_scale_value": 8.0}},
}


@pytest.fixture
def registered() -> Iterator[None]:
    undo: Undo = []
    decides = compile_wrapping.patches.applied
    registry.register(undo)
    yield
    take_back(undo)
    compile_wrapping.patches.replace(decides)


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


def test_a_policy_without_a_loss_scale_is_keras_own(registered: None) -> None:
    policy = registry.SavedPolicy.from_config({"name": "float32"})
    assert type(policy) is keras.DTypePolicy


def test_taking_it_back_leaves_nothing() -> None:
    known = dict(keras.saving.get_custom_objects())
    before = vars(keras.DTypePolicy)["from_config"]
    undo: Undo = []
    registry.register(undo)
    assert vars(keras.DTypePolicy)["from_config"] is not before
    take_back(undo)
    assert keras.saving.get_custom_objects() == known
    assert vars(keras.DTypePolicy)["from_config"] is before
