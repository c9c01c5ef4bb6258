# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale import experimental, policies
from compat_lossscale.core import DynamicLossScale
from compat_lossscale.optimizers.stock import ModelV1
from tests.support import NAN, Family

pytestmark = pytest.mark.grid(2)

X, Y = np.ones((4, 1), np.float32), np.zeros((4, 1), np.float32)
stock = tf_keras.mixed_precision.LossScaleOptimizer


def compiled(optimizer: Any) -> Any:
    model = tf_keras.Sequential([tf_keras.layers.Dense(1, use_bias=False, input_shape=(1,))])
    model.compile(optimizer, "mse")
    return model


def test_compile_wraps_with_the_loss_scale_of_the_policy(family: Family) -> None:
    given = DynamicLossScale(8, 1)
    experimental.set_policy(experimental.Policy("mixed_float16", loss_scale=given))
    model = compiled(family.sgd(0.25))
    assert isinstance(model.optimizer, experimental.LossScaleOptimizer)
    assert model.optimizer.loss_scale is given
    model.fit(X, Y, verbose=0)
    assert given() == 16
    model.fit(X * NAN, Y, verbose=0)
    assert given() == 8


def test_compile_wraps_a_string_too() -> None:
    experimental.set_policy("mixed_float16")
    model = compiled("sgd")
    assert isinstance(model.optimizer, experimental.LossScaleOptimizer)
    assert model.optimizer.loss_scale() == 2**15


def test_a_config_gives_the_loss_scale_that_it_states(family: Family) -> None:
    stated = {"class_name": "DynamicLossScale", "config": {"initial_loss_scale": 8.0}}
    experimental.set_policy(experimental.Policy("mixed_float16", stated))
    model = compiled(family.sgd(0.25))
    assert isinstance(model.optimizer, experimental.LossScaleOptimizer)
    assert model.optimizer.loss_scale() == 8
    model.fit(X * NAN, Y, verbose=0)
    assert model.optimizer.loss_scale() == 4


def test_a_number_gives_a_fixed_scale() -> None:
    experimental.set_policy(experimental.Policy("mixed_float16", 8))
    model = compiled(Family("legacy").sgd(0.25))
    assert model.optimizer.loss_scale == 8
    assert model.optimizer.dynamic is False
    model.fit(X, Y, verbose=0)


@pytest.mark.parametrize(
    ("name", "loss_scale"),
    [("mixed_float16", None), ("float32", "auto"), ("mixed_bfloat16", "auto")],
)
def test_a_policy_without_loss_scale_wraps_nothing(
    family: Family, name: str, loss_scale: Any
) -> None:
    experimental.set_policy(experimental.Policy(name, loss_scale))
    opt = family.sgd()
    assert compiled(opt).optimizer is opt


def test_what_is_wrapped_already_stays_as_it_is(family: Family) -> None:
    experimental.set_policy(experimental.Policy("mixed_float16", 8))
    for opt in (experimental.LossScaleOptimizer(family.sgd(), 16), stock(family.sgd())):
        assert compiled(opt).optimizer is opt


def test_an_optimizer_can_be_compiled_again() -> None:
    experimental.set_policy(experimental.Policy("mixed_float16", DynamicLossScale(8, 1)))
    opt = Family("legacy").sgd(0.25)
    first, second = compiled(opt), compiled(opt)
    first.compile(opt, "mse")
    first.fit(X, Y, verbose=0)
    second.fit(X * NAN, Y, verbose=0)
    assert first.optimizer is second.optimizer
    assert first.optimizer.loss_scale() == 8
    assert first.optimizer.iterations == 2
    copied = pickle.loads(pickle.dumps(first.optimizer))
    assert copied.loss_scale() == 8
    experimental.set_policy(experimental.Policy("mixed_float16", 16))
    with pytest.raises(ValueError, match="give that to the next `compile`"):
        compiled(opt)


def test_policies_of_keras_own_are_left_to_keras_or_to_the_default(family: Family) -> None:
    policies.enable()
    tf_keras.mixed_precision.set_global_policy("mixed_float16")
    model = compiled(family.sgd())
    assert isinstance(model.optimizer, stock)
    assert not isinstance(model.optimizer, experimental.LossScaleOptimizer)
    seen = []
    policies.enable(default=lambda optimizer: seen.append(optimizer) or optimizer)
    opt = family.sgd()
    assert compiled(opt).optimizer is opt
    assert seen == [opt]
    tf_keras.mixed_precision.set_global_policy("float32")
    other = family.sgd()
    assert compiled(other).optimizer is other
    assert seen == [opt]


def methods() -> list[object]:
    """The methods of models that decide, in every tf-keras."""
    return [
        vars(model).get(name)
        for model in (tf_keras.Model, ModelV1)
        for name in ("compile", "_get_optimizer", "_set_optimizer")
    ]


def test_disabling_gives_keras_its_own_decision_back() -> None:
    policies.patches.replace(())
    originals = methods()
    assert not policies.patches.applied
    policies.enable()
    policies.enable()
    assert policies.patches.applied
    assert methods() != originals
    policies.patches.replace(())
    assert not policies.patches.applied
    assert methods() == originals


def test_making_a_policy_is_enough_to_let_it_decide() -> None:
    policies.patches.replace(())
    experimental.Policy("mixed_float16", 8)
    assert policies.patches.applied


def test_a_graph_model_is_wrapped_too() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session().as_default():
        experimental.set_policy(experimental.Policy("mixed_float16", 8))
        model = compiled(Family("legacy").sgd(0.25))
        assert isinstance(model.optimizer, experimental.LossScaleOptimizer)
        model.set_weights([np.array([[1.0]])])
        model.fit(X, Y, batch_size=4, verbose=0)
        assert model.get_weights()[0] == pytest.approx(0.5)
