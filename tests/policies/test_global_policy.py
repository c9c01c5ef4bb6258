# SPDX-License-Identifier: Apache-2.0
"""The global policy, and the policy of a layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale.experimental import Policy, get_layer_policy, global_policy, set_policy
from compat_lossscale.policies import policy_scope


def test_setting_a_policy_acts_on_layers_made_from_then_on() -> None:
    before = tf_keras.layers.Dense(1)
    policy = Policy("mixed_float16", 8)
    set_policy(policy)
    after = tf_keras.layers.Dense(1)
    assert global_policy() is policy
    assert get_layer_policy(after) is policy
    assert get_layer_policy(before).name == "float32"
    assert after(np.ones((1, 1))).dtype == tf.float16
    assert after.kernel.dtype == tf.float32


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16", "float64"])
def test_a_policy_can_be_set_by_name_and_then_has_a_loss_scale_attribute(policy: str) -> None:
    set_policy(policy)
    assert global_policy().name == policy
    assert tf_keras.mixed_precision.global_policy().name == policy
    assert (global_policy().loss_scale is not None) == (policy == "mixed_float16")


def test_none_sets_the_default_policy() -> None:
    set_policy("mixed_float16")
    set_policy(None)
    assert global_policy().name == "float32"


@pytest.mark.parametrize("policy", ["int32", "bool", Policy("complex64")])
def test_a_global_policy_is_one_of_floats(policy: Any) -> None:
    with pytest.raises(ValueError, match=r"^set_policy can only be used to set the global policy"):
        set_policy(policy)
    assert global_policy().name == "float32"


@pytest.mark.parametrize("policy", ["mixed_float16", "float32"])
def test_the_global_policy_of_keras_own_is_that_policy(policy: str) -> None:
    tf_keras.mixed_precision.set_global_policy(policy)
    assert global_policy() is tf_keras.mixed_precision.global_policy()
    assert not isinstance(global_policy(), Policy)
    assert not hasattr(global_policy(), "loss_scale")


def test_the_default_policy_has_a_loss_scale_attribute() -> None:
    set_policy(None)
    assert isinstance(global_policy(), Policy)
    assert global_policy().loss_scale is None


class OwnPolicy(Policy):
    pass


@pytest.mark.parametrize(
    "policy",
    [
        None,
        "float64",
        "mixed_float16",
        tf_keras.mixed_precision.Policy("mixed_float16"),
        Policy("mixed_float16", 8),
        OwnPolicy("mixed_float16", 8),
    ],
    ids=repr,
)
def test_a_layers_policy_is_the_object_that_the_layer_has(policy: Any) -> None:
    layer = tf_keras.layers.Dense(1, dtype=policy)
    assert get_layer_policy(layer) is layer.dtype_policy
    if not isinstance(policy, str | None):
        assert get_layer_policy(layer) is policy


@pytest.mark.parametrize("what", [1, "layer", None])
def test_only_a_layer_has_a_layer_policy(what: Any) -> None:
    with pytest.raises(ValueError, match="get_policy can only be called on a layer, but got: "):
        get_layer_policy(what)


def test_a_scope_puts_the_policy_back() -> None:
    set_policy("float32")
    seen = []

    def fail_inside() -> None:
        with policy_scope(Policy("mixed_float16", 8)):
            seen.append(global_policy().name)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_inside()
    assert seen == ["mixed_float16"]
    assert global_policy().name == "float32"


def test_a_scope_leaves_the_default_as_it_was() -> None:
    set_policy(None)
    with policy_scope("mixed_float16"):
        pass
    tf_keras.backend.set_floatx("float64")
    try:
        assert global_policy().name == "float64"
    finally:
        tf_keras.backend.set_floatx("float32")
