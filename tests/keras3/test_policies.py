# SPDX-License-Identifier: Apache-2.0
"""Tests of the experimental policies on Keras 3."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator

import keras
import pytest

from compat_lossscale import DynamicLossScale, FixedLossScale
from compat_lossscale.keras3 import experimental
from compat_lossscale.keras3.experimental import Policy
from compat_lossscale.keras3.tensorflow_2_4 import configs


@pytest.fixture(autouse=True)
def policy_and_compile_stay() -> Iterator[None]:
    policy, decides = keras.config.dtype_policy(), experimental.patches.applied
    yield
    keras.config.set_dtype_policy(policy)
    experimental.patches.replace(decides)


def test_a_policy_is_one_of_keras_with_a_loss_scale() -> None:
    policy = Policy("mixed_float16")
    assert isinstance(policy, keras.DTypePolicy)
    assert isinstance(policy.loss_scale, DynamicLossScale)
    assert (policy.compute_dtype, policy.variable_dtype) == ("float16", "float32")
    assert policy.should_cast_variables
    fixed = Policy("mixed_float16", loss_scale=8)
    assert isinstance(fixed.loss_scale, FixedLossScale)
    assert Policy("mixed_float16", loss_scale=None).loss_scale is None
    assert Policy("mixed_bfloat16").loss_scale is None


def test_names_of_early_versions_are_known() -> None:
    policy = Policy("float16_with_float32_vars")
    assert policy.name == "float16_with_float32_vars"
    assert (policy.compute_dtype, policy.variable_dtype) == ("float16", "float32")


@pytest.mark.parametrize("name", ["infer", "infer_with_float32_vars"])
def test_a_policy_that_infers_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="Keras 3 has none by which a layer infers"):
        Policy(name)


@pytest.mark.parametrize("loss_scale", [8, "dynamic", None, lambda: DynamicLossScale(4.0, 2, 4.0)])
def test_configs_and_pickles_come_back(loss_scale: object) -> None:
    given = loss_scale() if callable(loss_scale) else loss_scale
    policy = Policy("mixed_float16", loss_scale=given)
    stored = configs.serialize(policy.loss_scale)
    for again in (Policy.from_config(policy.get_config()), pickle.loads(pickle.dumps(policy))):
        assert type(again) is Policy
        assert configs.serialize(again.loss_scale) == stored
    assert copy.deepcopy(policy) is policy


def test_the_global_policy_is_the_object_that_was_set() -> None:
    policy = Policy("mixed_float16", loss_scale=8)
    experimental.set_policy(policy)
    assert experimental.global_policy() is policy
    layer = keras.layers.Dense(1)
    assert experimental.get_layer_policy(layer) is policy
    with experimental.policy_scope("float32"):
        assert experimental.global_policy().name == "float32"
    assert experimental.global_policy() is policy
    experimental.set_policy(None)
    assert experimental.global_policy().loss_scale is None


def test_what_no_policy_is_is_refused() -> None:
    with pytest.raises(ValueError, match="floating-point"):
        experimental.set_policy("int32")
    with pytest.raises(ValueError, match="get_layer_policy takes a layer of Keras 3"):
        experimental.get_layer_policy("dense")
