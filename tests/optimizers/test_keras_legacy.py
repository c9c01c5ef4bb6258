# SPDX-License-Identifier: Apache-2.0
"""What is particular to OptimizerV2; test_base has what both families share."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale import LossScaleOptimizer
from compat_lossscale.experimental import LossScaleOptimizer as ExperimentalOptimizer
from tests.support import NAN, Family, Mode

legacy = Family("legacy")


def test_slots_are_the_inner_optimizers(mode: Mode) -> None:
    v = tf.Variable(1.0)
    inner = legacy.sgd(momentum=0.5)
    opt = LossScaleOptimizer(inner)
    operation = opt.minimize(lambda: v * 2.0, [v])
    if mode.name == "graph":
        mode.value(operation)
    assert opt.get_slot_names() == ["momentum"]
    assert opt.get_slot(v, "momentum") is inner.get_slot(v, "momentum")
    assert mode.value(opt.get_slot(v, "momentum")) == -2
    mine = opt.add_slot(v, "mine", "ones")
    assert inner.get_slot(v, "mine") is mine
    assert "mine" in opt.get_slot_names()


@pytest.mark.parametrize("name", ["lr", "learning_rate"])
def test_a_learning_rate_set_in_a_graph_outlives_the_initializer(name: str) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        opt = LossScaleOptimizer(legacy.sgd(0.5), dynamic=False, initial_scale=8)
        setattr(opt, name, 0.25)
        rate = opt.learning_rate
        session.run(tf.compat.v1.global_variables_initializer())
        assert session.run(rate) == 0.25


def test_weights_can_be_added() -> None:
    opt = LossScaleOptimizer(legacy.sgd())
    weight = opt.add_weight("extra", [2], initializer="ones")
    assert weight.numpy().tolist() == [1, 1]


def test_gradients_in_a_graph_are_unscaled() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.Variable(3.0)
        opt = LossScaleOptimizer(legacy.sgd(), initial_scale=8)
        (gradient,) = opt.get_gradients(v * v, [v])
        session.run(tf.compat.v1.global_variables_initializer())
        assert session.run(gradient) == 6


def test_the_updates_of_a_graph_train() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.Variable(3.0)
        opt = LossScaleOptimizer(legacy.sgd(0.5), initial_scale=8, dynamic_growth_steps=1)
        updates = opt.get_updates(v * v, [v])
        session.run(tf.compat.v1.global_variables_initializer())
        session.run(updates)
        assert session.run(v) == 0
        assert session.run(opt.loss_scale) == 16


@pytest.mark.parametrize("experimental", [False, True])
def test_a_class_for_tensorflow_2_3_that_aggregates_to_gradients_alone(experimental: bool) -> None:
    class Summing(tf_keras.optimizers.legacy.SGD):
        def _aggregate_gradients(self, grads_and_vars: Any) -> Any:
            return [None if gradient is None else gradient * 2 for gradient, _ in grads_and_vars]

    v, unused = tf.Variable(3.0), tf.Variable(1.0)
    make = ExperimentalOptimizer if experimental else LossScaleOptimizer
    opt = make(Summing(1.0), *(["dynamic"] if experimental else []))
    opt.apply_gradients([(tf.constant(0.5), v), (None, unused)])
    assert float(v) == 2.0
    if experimental:
        assert [float(one) for one in opt._aggregate_gradients([(tf.constant(0.5), v)])] == [1.0]


def test_an_aggregator_of_the_users_own_can_make_a_step_bad() -> None:
    def aggregator(grads_and_vars: Any) -> Any:
        return [(gradient * NAN, variable) for gradient, variable in grads_and_vars]

    v = tf.Variable(3.0)
    opt = LossScaleOptimizer(legacy.sgd(gradient_aggregator=aggregator), initial_scale=8)
    opt.minimize(lambda: v * 2.0, [v])
    assert v == 3
    assert opt.loss_scale == 4


@pytest.mark.parametrize("bad_replica", [0, 1])
def test_an_aggregator_that_leaves_replicas_unequal_skips_on_all_if_one_is_bad(
    mirrored: Any, bad_replica: int
) -> None:
    with mirrored.scope():
        v = tf.Variable(3.0)
        inner = legacy.sgd(gradient_aggregator=lambda pairs: pairs)
        opt = LossScaleOptimizer(inner, initial_scale=8)

    @tf.function
    def step() -> None:
        def replica() -> None:
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            opt.apply_gradients([(tf.where(tf.equal(number, bad_replica), NAN, 1.0), v)])

        mirrored.run(replica)

    step()
    assert [float(value) for value in v.values] == [3, 3]
    assert opt.loss_scale == 4


def test_gradient_transformers_run_once() -> None:
    calls = []

    def transformer(grads_and_vars: Any) -> Any:
        calls.append(1)
        return [(2.0 * gradient, variable) for gradient, variable in grads_and_vars]

    v = tf.Variable(5.0)
    opt = LossScaleOptimizer(legacy.sgd(gradient_transformers=[transformer]), initial_scale=8)
    opt.minimize(lambda: v * 1.0, [v])
    assert v == 3
    assert calls == [1]


def test_an_optimizer_written_for_tensorflow_2_0_is_wrapped() -> None:
    class Old(tf_keras.optimizers.legacy.SGD):  # type: ignore[misc]  # TensorFlow has no types
        def apply_gradients(self, grads_and_vars: Any, name: Any = None) -> Any:
            return super().apply_gradients(grads_and_vars, name)

    v = tf.Variable(5.0)
    opt = LossScaleOptimizer(Old(1.0), initial_scale=8)
    opt.minimize(lambda: v * 2.0, [v])
    opt.minimize(lambda: v * NAN, [v])
    assert v == 3
    assert opt.loss_scale == 4


@pytest.mark.parametrize("name", ["momentum", "learning_rate", "decay"])
def test_hyperparameters_are_the_inner_optimizers(name: str) -> None:
    inner = legacy.sgd(0.5, momentum=0.25, decay=0.125)
    opt = LossScaleOptimizer(inner)
    assert float(getattr(opt, name)) == float(getattr(inner, name))
    setattr(opt, name, 0.0625)
    assert float(getattr(inner, name)) == 0.0625
    assert name in dir(opt)


def test_attributes_that_the_inner_optimizer_lacks_are_not_there() -> None:
    opt = LossScaleOptimizer(legacy.adam())
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = opt.no_such_thing
    assert not hasattr(opt, "momentum")
    assert "momentum" not in dir(opt)


@pytest.mark.parametrize("name", ["clipnorm", "global_clipnorm", "clipvalue"])
def test_clipping_is_the_inner_optimizers(name: str) -> None:
    v = tf.Variable([5.0])
    inner = legacy.sgd(1.0, **{name: 2.0})
    opt = LossScaleOptimizer(inner)
    assert getattr(opt, name) == 2.0
    setattr(opt, name, 3.0)
    assert getattr(inner, name) == 3.0
    opt.minimize(lambda: v * 4.0, [v])
    assert v.numpy() == [2.0]


def test_epsilon_is_not_delegated_as_it_never_was() -> None:
    opt = LossScaleOptimizer(legacy.adam(epsilon=0.5))
    assert not hasattr(opt, "epsilon")
    opt.epsilon = 0.25
    assert opt.inner_optimizer.epsilon == 0.5


def test_the_name_scope_and_weights_of_a_graph() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.Variable(3.0)
        opt = LossScaleOptimizer(legacy.adam())
        operation = opt.minimize(lambda: v * 2.0, [v], name="train")
        assert isinstance(operation, tf.Operation)
        session.run(tf.compat.v1.global_variables_initializer())
        session.run(operation)
        assert session.run(opt.iterations) == 1
        assert len(opt.weights) == 3


def test_keras_in_graph_mode_trains() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session().as_default():
        model = tf_keras.Sequential([tf_keras.layers.Dense(1, use_bias=False, input_shape=(1,))])
        opt = LossScaleOptimizer(legacy.sgd(0.25), initial_scale=8, dynamic_growth_steps=1)
        model.compile(opt, "mse")
        model.set_weights([np.array([[1.0]])])
        model.fit(np.ones((4, 1)), np.zeros((4, 1)), batch_size=4, epochs=2, verbose=0)
        assert model.get_weights()[0] == pytest.approx(0.25)
        assert tf_keras.backend.get_value(opt.loss_scale) == 32


def test_the_private_application_of_gradients_takes_the_arguments_of_every_version() -> None:
    v = tf.Variable(3.0)
    opt = LossScaleOptimizer(legacy.sgd(1.0))
    wrapped = types.SimpleNamespace(value=[v])
    opt._apply_gradients([tf.constant(1.0)], wrapped, None)
    opt._apply_gradients([tf.constant(1.0)], wrapped, None, False)
    assert v == 1
