# SPDX-License-Identifier: Apache-2.0
"""What is found through public names of tf-keras is the thing itself, and fallbacks do the same."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import tensorflow as tf
import tf_keras
from tf_keras.src.engine import training, training_v1
from tf_keras.src.mixed_precision import loss_scale_optimizer
from tf_keras.src.optimizers import utils

from compat_lossscale.optimizers import stock
from tests.support import Family


def test_public_names_lead_to_the_classes() -> None:
    assert stock.LossScaleOptimizerMetaclass is loss_scale_optimizer.LossScaleOptimizerMetaclass
    assert stock.LegacyLossScaleOptimizer is loss_scale_optimizer.LossScaleOptimizer
    assert stock.NewLossScaleOptimizer is loss_scale_optimizer.LossScaleOptimizerV3
    assert stock.Model is training.Model
    assert stock.ModelV1 is training_v1.Model


def test_pairs_without_a_gradient_are_dropped_with_a_warning(logged: list[str]) -> None:
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
    gradient = tf.constant(1.0)
    assert stock.without_empty_gradients(iter([(gradient, a), (None, b)])) == [(gradient, a)]
    assert len(logged) == 1
    assert logged[0].startswith("Gradients do not exist for variables ['b:0'] when minimizing")
    assert stock.without_empty_gradients([(gradient, a)]) == [(gradient, a)]
    assert stock.without_empty_gradients([]) == []
    assert len(logged) == 1


def test_pairs_that_all_lack_a_gradient_are_an_error_as_in_tf_keras() -> None:
    pairs = [(None, tf.Variable(1.0, name="a"))]
    for function in (stock.without_empty_gradients, utils.filter_empty_gradients):
        with pytest.raises(ValueError, match=r"No gradients provided for any variable: .*a:0"):
            function(pairs)


def test_an_aggregation_of_ones_own_is_not_the_strategys_sum(family: Family) -> None:
    assert stock.sums_as_the_strategy_does(family.sgd())

    class Own(family.module.SGD):  # type: ignore[misc, name-defined]
        def aggregate_gradients(self, grads_and_vars: object) -> object:
            return grads_and_vars

        _aggregate_gradients = aggregate_gradients

    assert not stock.sums_as_the_strategy_does(Own())


def test_a_legacy_optimizer_can_be_given_an_aggregation() -> None:
    own = tf_keras.optimizers.legacy.SGD(gradient_aggregator=list)
    assert not stock.sums_as_the_strategy_does(own)


@pytest.mark.parametrize("track", [stock.track_variable, stock._track_as_a_weight])
def test_keras_initialises_a_tracked_variable_in_a_graph(track: object) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session():
        variable = tf.Variable(3.0, trainable=False, name="loss_scale")
        track(variable)  # type: ignore[operator]
        assert tf_keras.backend.get_value(variable) == 3
        assert [found.name for found in tf.compat.v1.global_variables()] == ["loss_scale:0"]


def test_a_tracked_variable_in_eager_mode_is_left_alone() -> None:
    stock._track_as_a_weight(tf.Variable(3.0))


@pytest.mark.parametrize("in_graph", [False, True])
def test_a_layers_policy_can_be_set(in_graph: bool) -> None:
    with tf.Graph().as_default() if in_graph else contextlib.nullcontext():
        layer = tf_keras.layers.Dense(1)
    assert isinstance(layer, stock.layer_classes()[in_graph])
    stock.set_policy_of_layer(layer, tf_keras.mixed_precision.Policy("float16"))
    assert layer.dtype_policy.name == "float16"


@pytest.mark.parametrize("config", ["float16", None])
def test_a_policy_is_made_of_a_layers_config(
    config: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = stock.policy_from_config(config)
    monkeypatch.setattr(stock, "dtype_policies", None)
    assert stock.policy_from_config(config).name == expected.name


class Example:
    def named(self, one: Any, flag: bool = False) -> None: ...

    def any(self, one: Any, **kwargs: Any) -> None: ...


def test_an_argument_is_taken_by_its_name() -> None:
    assert stock.accepts(Example().named, "flag")
    assert stock.accepts(Example.named, "flag")
    assert not stock.accepts(Example().named, "other")


def test_keyword_arguments_take_any_name() -> None:
    assert stock.accepts(Example().any, "other")
    assert stock.accepts(lambda **options: None, "other")
