# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale import experimental
from compat_lossscale.core import DynamicLossScale
from compat_lossscale.v1 import (
    MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
)
from tests.support import Family

tf1 = tf.compat.v1


@pytest.fixture
def session() -> Iterator[Any]:
    """A session on a fresh graph."""
    with tf.Graph().as_default(), tf1.Session() as session:
        yield session


def sgd(learning_rate: float = 1.0) -> Any:
    return tf1.train.GradientDescentOptimizer(learning_rate)


def is_enabled() -> bool:
    return bool(tf.__internal__.train.is_mixed_precision_graph_rewrite_enabled())


def test_enabling_wraps_an_optimizer_of_tensorflow_1() -> None:
    inner = sgd()
    opt = enable_mixed_precision_graph_rewrite(inner)
    assert is_enabled()
    assert tf.config.optimizer.get_experimental_options()["auto_mixed_precision"]
    assert type(opt) is MixedPrecisionLossScaleOptimizer
    assert opt._optimizer is inner
    assert opt._loss_scale() == 2**15
    disable_mixed_precision_graph_rewrite()
    assert not is_enabled()
    assert not tf.config.optimizer.get_experimental_options()["auto_mixed_precision"]


def test_enabling_wraps_a_keras_optimizer_of_either_family(family: Family) -> None:
    inner = family.sgd()
    opt = enable_mixed_precision_graph_rewrite(inner, loss_scale=8)
    assert isinstance(opt, experimental.LossScaleOptimizer)
    assert opt.inner_optimizer is inner
    assert opt.loss_scale() == 8
    assert is_enabled()


def test_every_form_of_loss_scale_is_taken() -> None:
    given = DynamicLossScale(8)
    assert enable_mixed_precision_graph_rewrite(sgd(), given)._loss_scale is given
    assert enable_mixed_precision_graph_rewrite(sgd(), 16)._loss_scale() == 16
    assert enable_mixed_precision_graph_rewrite(sgd(), "dynamic")._loss_scale() == 2**15


def test_a_config_is_a_loss_scale_for_keras_optimizers_alone(family: Family) -> None:
    stated = {"class_name": "FixedLossScale", "config": {"loss_scale_value": 8.0}}
    assert enable_mixed_precision_graph_rewrite(family.sgd(), stated).loss_scale == 8
    disable_mixed_precision_graph_rewrite()
    with pytest.raises(ValueError, match="Could not interpret"):
        enable_mixed_precision_graph_rewrite(sgd(), stated)
    with pytest.raises(ValueError, match="Could not interpret"):
        MixedPrecisionLossScaleOptimizer(sgd(), stated)
    assert not is_enabled()


def test_training_under_the_rewrite_gives_the_right_values(session: Any) -> None:
    v = tf1.get_variable("v", initializer=[[1.0, 2.0]])
    opt = enable_mixed_precision_graph_rewrite(sgd(), DynamicLossScale(8, 1))
    train = opt.minimize(tf.reduce_sum(tf.matmul(tf.ones([1, 1]), v)))
    session.run(tf1.global_variables_initializer())
    session.run(train)
    assert session.run(v).tolist() == [[0, 1]]


def test_the_rewrite_uses_a_wrapper_that_was_registered_for_an_optimizer() -> None:
    class Own:
        pass

    class OwnWrapper(Own):
        def __init__(self, inner: Own, loss_scale: Any) -> None:
            self.inner = inner
            self.loss_scale = loss_scale

    tf.__internal__.mixed_precision.register_loss_scale_wrapper(Own, OwnWrapper)
    opt = Own()
    wrapped = enable_mixed_precision_graph_rewrite(opt, 8.0)
    assert type(wrapped) is OwnWrapper
    assert (wrapped.inner, wrapped.loss_scale) == (opt, 8.0)
    assert is_enabled()
    with pytest.raises(ValueError, match="must not already be an instance of a OwnWrapper"):
        enable_mixed_precision_graph_rewrite(wrapped)


def test_a_failed_enable_leaves_the_rewrite_off(family: Family) -> None:
    wrapped = experimental.LossScaleOptimizer(family.sgd(), 8)
    failing: list[tuple[Any, Any, str]] = [
        (5, "dynamic", '"opt" must be an instance of a'),
        (wrapped, "dynamic", "must not already be an instance of a"),
        (MixedPrecisionLossScaleOptimizer(sgd(), 8), "dynamic", "must not already be an instance"),
        (sgd(), "foo", "Could not interpret"),
        (sgd(), None, "loss_scale cannot be None"),
        (family.sgd(), None, "loss_scale cannot be None"),
        (sgd(), 0.5, "at least 1"),
    ]
    for opt, loss_scale, message in failing:
        with pytest.raises(ValueError, match=message):
            enable_mixed_precision_graph_rewrite(opt, loss_scale)
        assert not is_enabled()
        assert not tf.config.optimizer.get_experimental_options().get("auto_mixed_precision")
    tf_keras.mixed_precision.set_global_policy("mixed_float16")


def test_a_failed_enable_leaves_a_rewrite_that_was_on_alone() -> None:
    enable_mixed_precision_graph_rewrite(sgd())
    with pytest.raises(ValueError, match="must be an instance"):
        enable_mixed_precision_graph_rewrite(5)
    with pytest.raises(ValueError, match="identifier"):
        enable_mixed_precision_graph_rewrite(sgd(), "foo")
    assert is_enabled()


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_the_rewrite_and_mixed_policies_exclude_each_other(policy: str, family: Family) -> None:
    experimental.set_policy(policy)
    for opt in (sgd(), family.sgd()):
        with pytest.raises(ValueError, match=r"cannot be enabled, because .*set_policy"):
            enable_mixed_precision_graph_rewrite(opt)
        assert not is_enabled()
    experimental.set_policy("float32")
    enable_mixed_precision_graph_rewrite(family.sgd())
    with pytest.raises(ValueError, match="graph rewrite"):
        experimental.set_policy(policy)
    experimental.set_policy("float32")
    disable_mixed_precision_graph_rewrite()
    experimental.set_policy(policy)
    assert experimental.global_policy().name == policy


def test_disabling_twice_or_without_enabling_does_no_harm() -> None:
    disable_mixed_precision_graph_rewrite()
    enable_mixed_precision_graph_rewrite(sgd())
    disable_mixed_precision_graph_rewrite()
    disable_mixed_precision_graph_rewrite()
    assert not is_enabled()
