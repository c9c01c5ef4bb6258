# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.experimental import LossScaleOptimizer, Policy, set_policy
from tests.support import Family, Mode

pytestmark = pytest.mark.grid(2)

native = tf.compat.v1.mixed_precision


class OwnLossScale(LossScale):
    def __call__(self) -> tf.Tensor:
        return tf.constant(4.0)

    def update(self, grads: Any) -> tuple[Any, Any]:
        return None, True

    def get_config(self) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize(
    ("name", "compute", "variable", "casts", "scaled"),
    [
        ("mixed_float16", "float16", "float32", True, True),
        ("mixed_bfloat16", "bfloat16", "float32", True, False),
        ("float32", "float32", "float32", False, False),
        ("float16", "float16", "float16", False, False),
        ("float64", "float64", "float64", False, False),
    ],
)
def test_a_name_gives_dtypes_and_a_loss_scale_if_it_is_mixed_float16(
    name: str, compute: str, variable: str, casts: bool, scaled: bool
) -> None:
    policy = Policy(name)
    assert policy.name == name
    assert policy.compute_dtype == compute
    assert policy.variable_dtype == variable
    assert policy.should_cast_variables is casts
    assert (policy.loss_scale is not None) is scaled
    if scaled:
        assert type(policy.loss_scale) is DynamicLossScale
        assert policy.loss_scale == 2**15


@pytest.mark.parametrize("name", ["infer", "infer_float32_vars", "float16_with_float32_vars"])
def test_names_of_early_versions_are_understood(name: str, logged: list[str]) -> None:
    policy = Policy(name)
    if name == "infer":
        assert policy.compute_dtype is policy.variable_dtype is None
    if name.startswith("infer_"):
        assert (policy.compute_dtype, policy.variable_dtype) == (None, "float32")
    if name.startswith("float16"):
        assert (policy.compute_dtype, policy.variable_dtype) == ("float16", "float32")
        assert any(name in message for message in logged)
    assert policy.loss_scale is None


def test_the_name_of_1_14_is_the_name_that_1_15_and_2_0_gave_it() -> None:
    assert Policy("infer_float32_vars").name == "infer_with_float32_vars"
    assert Policy("infer_float32_vars").get_config()["name"] == "infer_with_float32_vars"


@pytest.mark.parametrize("name", ["float16_float32_vars", "_float32_vars", "float32_vars"])
def test_a_name_that_no_version_took_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Policy(name)


@pytest.mark.needs_private("a layer's own method takes another dtype policy")
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", ["infer_float32_vars", "infer_with_float32_vars"])
def test_a_layer_that_infers_its_dtype_can_keep_its_variables_in_float32(
    name: str, dtype: str, mode: Mode
) -> None:
    set_policy(name)
    layer = tf_keras.layers.Dense(1)
    assert layer(tf.ones([2, 2], dtype)).dtype == dtype
    assert layer.kernel.dtype == "float32"
    assert (layer.compute_dtype, layer.dtype_policy.variable_dtype) == (dtype, "float32")


@pytest.mark.needs_private("a layer's own method takes another dtype policy")
def test_a_model_of_inferred_dtypes_trains_with_float32_variables() -> None:
    set_policy("infer_float32_vars")
    inputs = tf_keras.Input([2], dtype="float16")
    model = tf_keras.Model(inputs, tf_keras.layers.Dense(1, kernel_initializer="ones")(inputs))
    model.compile(tf_keras.optimizers.SGD(1.0), "mse")
    model.fit(tf.ones([2, 2], "float16"), tf.ones([2, 1], "float16"), verbose=0)
    assert [weight.dtype for weight in model.weights] == ["float32", "float32"]
    assert model.get_weights()[1].tolist() == [-2]


def test_a_layer_can_infer_the_dtype_of_its_variables_too() -> None:
    layer = tf_keras.layers.Dense(1, dtype=Policy("infer"))
    layer(tf.ones([2, 2], "float16"))
    assert layer.kernel.dtype == "float16"


def test_variables_of_the_dtype_that_is_computed_in_need_no_suffix(logged: list[str]) -> None:
    assert Policy("float32_with_float32_vars").name == "float32"
    assert not logged


@pytest.mark.parametrize("name", ["abc", "mixed_float8", "abc_with_float32_vars"])
def test_the_error_for_a_wrong_name_has_the_name(name: str) -> None:
    with pytest.raises(ValueError, match=f"value {name} to a"):
        Policy(name)


@pytest.mark.parametrize("name", ["abc", "mixed_float8", 5, "float32_abc"])
def test_a_name_of_no_policy_is_an_error(name: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        Policy(name)


def test_every_form_of_loss_scale_is_taken() -> None:
    assert type(Policy("mixed_float16", "dynamic").loss_scale) is DynamicLossScale
    assert Policy("mixed_float16", loss_scale=8).loss_scale() == 8
    assert Policy("mixed_float16", None).loss_scale is None
    assert type(Policy("mixed_float16", "auto").loss_scale) is DynamicLossScale
    assert Policy("mixed_float16", native.FixedLossScale(8)).loss_scale() == 8
    for given in (FixedLossScale(8), DynamicLossScale(8), OwnLossScale()):
        assert Policy("mixed_float16", loss_scale=given).loss_scale is given


@pytest.mark.parametrize("loss_scale", ["foo", [8.0], object()])
def test_what_is_no_loss_scale_is_an_error(loss_scale: Any) -> None:
    with pytest.raises(ValueError, match="loss scale identifier"):
        Policy("mixed_float16", loss_scale)


def test_a_loss_scale_that_is_not_needed_gives_a_warning(logged: list[str]) -> None:
    Policy("mixed_float16", 8)
    Policy("float16", 8)
    Policy("infer", 8)
    Policy("float32", None)
    assert logged == []
    Policy("float32", 8)
    Policy("mixed_bfloat16", "dynamic")
    assert len(logged) == 2
    assert "'float32'" in logged[0]


def test_a_loss_scale_may_be_its_config() -> None:
    stated = {"class_name": "FixedLossScale", "config": {"loss_scale_value": 8.0}}
    policy = Policy("mixed_float16", stated)
    assert isinstance(policy.loss_scale, FixedLossScale)
    assert policy.loss_scale == 8
    assert policy.get_config() == {"name": "mixed_float16", "loss_scale": stated}
    with pytest.raises(ValueError, match="Unknown"):
        Policy("mixed_float16", {"class_name": "Unknown", "config": {}})


def test_the_config_has_a_loss_scale_only_if_one_was_given() -> None:
    assert Policy("mixed_float16").get_config() == {"name": "mixed_float16"}
    assert Policy("float32").get_config() == {"name": "float32"}
    assert Policy("mixed_float16", None).get_config() == {
        "name": "mixed_float16",
        "loss_scale": None,
    }
    assert Policy("mixed_float16", 8).get_config() == {
        "name": "mixed_float16",
        "loss_scale": {"class_name": "FixedLossScale", "config": {"loss_scale_value": 8.0}},
    }


@pytest.mark.parametrize(
    "make",
    [
        lambda: Policy("mixed_float16"),
        lambda: Policy("mixed_float16", None),
        lambda: Policy("mixed_float16", 8),
        lambda: Policy("mixed_float16", DynamicLossScale(8, 3, 4)),
        lambda: Policy("float32"),
        lambda: Policy("infer"),
    ],
)
def test_from_config_makes_the_same_again(make: Any) -> None:
    policy = make()
    made = Policy.from_config(policy.get_config())
    assert made.get_config() == policy.get_config()
    assert (made.compute_dtype, made.variable_dtype) == (
        policy.compute_dtype,
        policy.variable_dtype,
    )
    assert (made.loss_scale is None) == (policy.loss_scale is None)


@pytest.mark.parametrize("config", [{}, {"name": "float32", "other": 1}])
def test_a_config_with_other_keys_is_an_error(config: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"argument.*(name|other)"):
        Policy.from_config(config)


def test_a_users_own_loss_scale_survives_the_config_by_custom_objects() -> None:
    config = Policy("mixed_float16", OwnLossScale()).get_config()
    made = Policy.from_config(config, custom_objects={"OwnLossScale": OwnLossScale})
    assert type(made.loss_scale) is OwnLossScale


def test_a_repr_says_what_it_is() -> None:
    assert (
        repr(Policy("mixed_float16", 8))
        == '<Policy "mixed_float16", loss_scale=FixedLossScale(8.0)>'
    )
    assert repr(Policy("float32")) == '<Policy "float32", loss_scale=None>'


def test_a_policy_is_one_of_keras() -> None:
    assert isinstance(Policy("float32"), tf_keras.mixed_precision.Policy)


def test_wrapping_follows_the_policys_loss_scale(family: Family) -> None:
    inner = family.sgd()
    assert Policy("mixed_float16", None).wrap_optimizer(inner) is inner
    assert Policy("float32").wrap_optimizer(inner) is inner
    given = DynamicLossScale(8)
    wrapped = Policy("mixed_float16", given).wrap_optimizer(inner)
    assert isinstance(wrapped, LossScaleOptimizer)
    assert wrapped.loss_scale is given
    assert Policy("mixed_float16", 16).wrap_optimizer(wrapped) is wrapped


def test_variables_of_another_dtype_are_cast_whatever_the_name() -> None:
    assert Policy("float16_with_float32_vars").should_cast_variables
