# SPDX-License-Identifier: Apache-2.0
"""Tests of the experimental LossScaleOptimizer on Keras 3."""

from __future__ import annotations

import pickle
from typing import Any

import keras
import pytest
import tensorflow as tf

from compat_lossscale import DynamicLossScale, FixedLossScale
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.keras3 import experimental, tensorflow_2_4
from compat_lossscale.keras3.experimental import LossScaleOptimizer
from tests.loss_scales import CappedLossScale, RenamedLossScale


def wrapped(loss_scale: Any) -> LossScaleOptimizer:
    return LossScaleOptimizer(keras.optimizers.SGD(0.5), loss_scale)


@pytest.mark.parametrize(
    ("given", "kind", "scale"),
    [
        ("dynamic", DynamicLossScale, 2.0**15),
        (128, FixedLossScale, 128.0),
        (lambda: DynamicLossScale(4.0, 2, 4.0), DynamicLossScale, 4.0),
    ],
)
def test_the_loss_scale_is_a_live_object_and_a_tensor(given: Any, kind: type, scale: float) -> None:
    optimizer = wrapped(given() if callable(given) else given)
    assert isinstance(optimizer.loss_scale, kind)
    assert float(optimizer.loss_scale()) == float(optimizer.loss_scale * 1.0) == scale


def test_a_shared_loss_scale_is_the_object_that_was_given() -> None:
    shared = DynamicLossScale(8.0, 1)
    variable = tf.Variable(1.0)
    one, two = wrapped(shared), wrapped(shared)
    one.minimize(lambda: variable * 1.0, [variable])
    assert one.loss_scale is two.loss_scale is shared
    assert float(two.loss_scale()) == 16.0


def test_the_first_argument_has_both_its_old_names() -> None:
    for name in ("opt", "optimizer"):
        inner = keras.optimizers.SGD()
        optimizer = LossScaleOptimizer(**{name: inner}, loss_scale=2)
        assert optimizer.inner_optimizer is optimizer._optimizer is inner


def test_a_multiplier_other_than_2_moves_the_scale_and_comes_back() -> None:
    variable = tf.Variable(1.0)
    optimizer = wrapped(DynamicLossScale(4.0, 1, 4.0))
    optimizer.minimize(lambda: variable * 1.0, [variable])
    assert float(optimizer.loss_scale()) == 16.0
    config = optimizer.get_config()
    assert set(config) == {"optimizer", "loss_scale"}
    again = LossScaleOptimizer.from_config(config)
    assert float(again.loss_scale.multiplier) == 4.0
    assert float(again.loss_scale()) == 4.0


def test_what_is_no_optimizer_of_keras_3_is_refused() -> None:
    with pytest.raises(LossScaleArgumentError, match='"optimizer" must be an optimizer of Keras 3'):
        LossScaleOptimizer("sgd", "dynamic")
    with pytest.raises(ValueError, match="loss_scale"):
        wrapped("often")


@pytest.mark.parametrize("cls", [CappedLossScale, RenamedLossScale])
def test_a_users_subclass_of_a_known_loss_scale_stays_what_it_is(cls: Any, tmp_path: Any) -> None:
    model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1)])
    model.compile(wrapped(cls(32.0)), "mse")
    for _ in range(4):
        model.train_on_batch(tf.ones([1, 1]), tf.ones([1, 1]))
    optimizer = model.optimizer
    assert float(optimizer.loss_scale) == 32
    assert optimizer.initial_scale == (8 if optimizer.dynamic else 32)
    path = str(tmp_path / "model.keras")
    model.save(path)
    loaded = keras.models.load_model(path, custom_objects={cls.__name__: cls}).optimizer
    for again in (loaded, pickle.loads(pickle.dumps(optimizer))):
        assert type(again.loss_scale) is cls
        assert again.loss_scale.get_config() == optimizer.loss_scale.get_config()
        assert float(again.loss_scale) == 32


@pytest.mark.parametrize(
    "cls", [LossScaleOptimizer, tensorflow_2_4.LossScaleOptimizer, experimental.Policy]
)
def test_a_class_is_pickled_by_where_it_is(cls: Any) -> None:
    assert pickle.loads(pickle.dumps(cls)) is cls
