# SPDX-License-Identifier: Apache-2.0
"""Tests of TensorFlow 2.4's LossScaleOptimizer on Keras 3; the golden scenarios test the rest."""

from __future__ import annotations

from typing import Any

import keras
import pytest
import tensorflow as tf

from compat_lossscale import LossScaleRule
from compat_lossscale.errors import AlreadyWrappedError, LossScaleMisuseWarning
from compat_lossscale.keras3 import experimental, old_members, tensorflow_2_4
from compat_lossscale.keras3.tensorflow_2_4 import LossScaleOptimizer
from tests.keras3.stepping import variables_of
from tests.support import NAN


def made() -> LossScaleOptimizer:
    return LossScaleOptimizer(keras.optimizers.SGD(0.5, momentum=0.9), initial_scale=8.0)


def test_the_loss_scale_has_its_variables_before_the_first_step() -> None:
    optimizer = made()
    assert float(optimizer.loss_scale) == 8.0
    assert isinstance(optimizer.dynamic_counter, tf.Variable)
    assert int(optimizer.dynamic_counter) == 0


def test_minimize_and_the_three_calls_take_the_same_step() -> None:
    weights = []
    for by_minimize in (True, False):
        variable = tf.Variable([1.0, 2.0])
        optimizer = made()
        for _ in range(2):
            if by_minimize:
                optimizer.minimize(lambda v=variable: tf.reduce_sum(v * v), [variable])
                continue
            with tf.GradientTape() as tape:
                loss = optimizer.get_scaled_loss(tf.reduce_sum(variable * variable))
            unscaled = optimizer.get_unscaled_gradients(tape.gradient(loss, [variable]))
            optimizer.apply_gradients(zip(unscaled, [variable], strict=True))
        weights.append(variable.numpy().tolist())
    assert weights[0] == weights[1]


def test_iterations_count_a_skipped_step_and_the_weights_stay() -> None:
    variable = tf.Variable(1.0)
    optimizer = made()
    optimizer.minimize(lambda: variable * 1.0, [variable])
    before = float(variable)
    optimizer.minimize(lambda: variable * NAN, [variable])
    assert float(variable) == before
    assert int(optimizer.iterations) == 2
    assert float(optimizer.loss_scale) == 4.0


def test_hyperparameters_are_those_of_the_inner_optimizer() -> None:
    optimizer = made()
    assert optimizer.momentum == 0.9
    optimizer.momentum = 0.5
    optimizer.lr = 0.25
    assert optimizer.inner_optimizer.momentum == 0.5
    assert float(optimizer.inner_optimizer.learning_rate) == 0.25
    assert "momentum" in dir(optimizer)
    with pytest.raises(AttributeError, match="no attribute 'frobnicate'"):
        optimizer.frobnicate  # noqa: B018  # reading it is what fails


@pytest.mark.parametrize("name", ["get_slot", "get_gradients", "get_updates", "add_weight"])
def test_what_keras_3_has_no_more_names_its_successor(name: str) -> None:
    optimizer = made()
    assert not hasattr(optimizer, name)
    with pytest.raises(AttributeError, match=r"Keras 3's optimizers have none\. Use "):
        getattr(optimizer, name)


def test_an_optimizer_has_one_wrapper() -> None:
    inner = keras.optimizers.SGD()
    LossScaleOptimizer(inner)
    with pytest.raises(AlreadyWrappedError, match="already wrapped"):
        LossScaleOptimizer(inner)


def test_a_loss_scale_factor_that_is_taken_away_is_told() -> None:
    with pytest.warns(LossScaleMisuseWarning, match="loss_scale_factor=4"):
        LossScaleOptimizer(keras.optimizers.SGD(loss_scale_factor=4.0))


@pytest.mark.parametrize("arguments", [(True, 16.0, 3), (False, 32.0, None)])
def test_a_config_comes_back(arguments: tuple[Any, ...]) -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5), *arguments)
    config = optimizer.get_config()
    assert set(config) == {"inner_optimizer", "dynamic", "initial_scale", "dynamic_growth_steps"}
    for _ in range(2):
        again = LossScaleOptimizer.from_config(config)
        assert (again.dynamic, float(again.loss_scale), again.dynamic_growth_steps) == (
            arguments[0],
            arguments[1],
            arguments[2],
        )


def test_a_config_with_lr_and_no_decay_is_read() -> None:
    config = {
        "inner_optimizer": {"class_name": "SGD", "config": {"lr": 0.25, "decay": 0.0}},
        "dynamic": True,
        "initial_scale": 8.0,
        "dynamic_growth_steps": 2,
    }
    optimizer = LossScaleOptimizer.from_config(config)
    assert float(optimizer.learning_rate) == 0.25
    assert config["inner_optimizer"]["config"] == {"lr": 0.25, "decay": 0.0}  # type: ignore[index]


def test_a_step_in_a_graph_of_tensorflow_1_is_refused() -> None:
    optimizer = made()
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="without --keras3"):
        optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


def test_gradients_need_a_tape_for_a_tensor_and_none_for_a_callable() -> None:
    variable, plain = tf.Variable(3.0), keras.optimizers.SGD()
    with pytest.raises(ValueError, match="`tape` is required"):
        old_members.compute_gradients(plain, variable * 1.0, [variable])
    ((gradient, of),) = old_members.compute_gradients(
        plain, lambda: variable * variable, lambda: [variable]
    )
    assert of is variable
    assert float(gradient) == 6.0
    ((gradient, _),) = old_members.compute_gradients(
        plain, lambda: variable * variable, variable, grad_loss=tf.constant(2.0)
    )
    assert float(gradient) == 12.0


def test_gradients_are_those_of_variables_of_keras_too() -> None:
    variable, plain = keras.Variable(3.0, trainable=False), keras.optimizers.SGD()
    ((gradient, of),) = old_members.compute_gradients(
        plain, lambda: variable * variable, [variable]
    )
    assert of is variable
    assert float(gradient) == 6.0


@pytest.mark.parametrize("old", [False, True], ids=["2.4", "experimental"])
def test_the_classes_of_old_programs_take_and_keep_a_rule(old: bool) -> None:
    rule, inner = LossScaleRule.megatron(hysteresis=4), keras.optimizers.SGD(0.0)
    optimizer: Any = (
        experimental.LossScaleOptimizer(inner, "dynamic", rule=rule)
        if old
        else tensorflow_2_4.LossScaleOptimizer(inner, rule=rule)
    )
    assert type(optimizer).from_config(optimizer.get_config()).loss_scale_rule == rule
    optimizer.build(variables_of([1.0]))
    assert int(optimizer.hysteresis_left) == rule.hysteresis
