# SPDX-License-Identifier: Apache-2.0
"""What is particular to tf-keras' new optimizers; test_base has what both families share."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale import LossScaleOptimizer
from tests.support import NAN, Family

new = Family("new")


def test_gradients_of_a_given_tape_are_unscaled() -> None:
    v = tf.Variable(3.0)
    opt = LossScaleOptimizer(new.sgd(), initial_scale=8)
    with tf.GradientTape() as tape:
        loss = v * v
    ((gradient, variable),) = opt.compute_gradients(loss, [v], tape)
    assert gradient == 6
    assert variable is v


def test_the_gradient_of_a_loss_under_a_tape_may_be_given() -> None:
    v = tf.Variable(3.0)
    opt = LossScaleOptimizer(new.sgd(1.0), initial_scale=8)
    with tf.GradientTape() as tape:
        loss = v * v
    opt.minimize(loss, [v], tape, grad_loss=tf.constant(0.5))
    assert v == 0
    with pytest.raises(ValueError, match="`tape` is required"):
        opt.minimize(v * v, [v], grad_loss=tf.constant(0.5))


@pytest.mark.parametrize("as_callable", [False, True])
def test_variables_may_be_given_by_a_callable(as_callable: bool) -> None:
    v = tf.Variable(3.0)
    opt = LossScaleOptimizer(new.sgd())
    var_list = (lambda: [v]) if as_callable else (v,)
    ((gradient, _),) = opt.compute_gradients(lambda: v * v, var_list)
    assert gradient == 6


def test_minimize_takes_a_tape() -> None:
    v = tf.Variable(3.0)
    opt = LossScaleOptimizer(new.sgd(0.5))
    with tf.GradientTape() as tape:
        loss = v * v
    opt.minimize(loss, [v], tape)
    assert v == 0


def test_building_makes_the_inner_optimizers_variables() -> None:
    v = tf.Variable(3.0)
    opt = LossScaleOptimizer(new.sgd(momentum=0.5))
    opt.build([v])
    assert len(opt.variables) == 2  # The step and the momentum.
    assert [id(w) for w in opt.variables] == [id(w) for w in opt.inner_optimizer.variables]


@pytest.mark.parametrize("own", ["wrapper", "inner optimizer"])
def test_a_step_calls_the_build_of_a_subclass(own: str) -> None:
    built: list[Any] = []

    class Builds:
        def build(self, var_list: Any) -> None:
            built.append(var_list)
            super().build(var_list)  # type: ignore[misc]  # it is mixed into what has one

    class OwnWrapper(Builds, LossScaleOptimizer):
        pass

    class OwnInner(Builds, tf_keras.optimizers.SGD):
        pass

    v = tf.Variable(3.0)
    opt = OwnWrapper(new.sgd()) if own == "wrapper" else LossScaleOptimizer(OwnInner(1.0))
    opt.apply_gradients([(tf.constant(1.0), v)])
    assert built
    assert built[0][0] is v


def test_averages_over_time_are_the_inner_optimizers() -> None:
    v = tf.Variable(4.0)
    inner = new.sgd(1.0, use_ema=True, ema_momentum=0.5)
    opt = LossScaleOptimizer(inner, initial_scale=8)
    assert opt.use_ema is True
    assert opt.ema_momentum == 0.5
    opt.ema_momentum = 0.25
    assert inner.ema_momentum == 0.25
    opt.minimize(lambda: v * 2.0, [v])
    opt.minimize(lambda: v * NAN, [v])
    opt.finalize_variable_values([v])
    plain = tf.Variable(4.0)
    reference = new.sgd(1.0, use_ema=True, ema_momentum=0.25)
    reference.minimize(lambda: plain * 2.0, [plain])
    reference.finalize_variable_values([plain])
    assert float(v) == float(plain)


@pytest.mark.parametrize("name", ["beta_1", "clipnorm", "epsilon", "jit_compile", "weight_decay"])
def test_other_hyperparameters_stay_on_the_inner_optimizer(name: str) -> None:
    inner = new.adam()
    before = getattr(inner, name)
    opt = LossScaleOptimizer(inner)
    assert not hasattr(opt, name)
    assert name not in dir(opt)
    setattr(opt, name, 0.25)
    assert getattr(opt, name) == 0.25
    assert getattr(inner, name) == before


def test_it_has_the_inner_optimizers_name_and_may_be_given_another() -> None:
    opt = LossScaleOptimizer(new.sgd(name="mine"))
    assert opt.name == "mine"
    opt.name = "another"
    assert (opt.name, opt.inner_optimizer.name) == ("another", "mine")


def test_an_inner_optimizer_need_not_take_a_name() -> None:
    class Nameless(tf_keras.optimizers.SGD):
        def apply_gradients(
            self, grads_and_vars: Any, skip_gradients_aggregation: bool = False
        ) -> Any:
            return super().apply_gradients(
                grads_and_vars, skip_gradients_aggregation=skip_gradients_aggregation
            )

    v = tf.Variable(4.0)
    opt = LossScaleOptimizer(Nameless(1.0))
    opt.minimize(lambda: v * 2.0, [v])
    opt.apply_gradients([(tf.constant(1.0), v)], name="step", experimental_aggregate_gradients=True)
    assert v == 1


def test_a_subclass_need_not_take_a_name() -> None:
    class Nameless(LossScaleOptimizer):
        def apply_gradients(self, grads_and_vars: Any, **kwargs: Any) -> Any:
            assert not kwargs
            return super().apply_gradients(grads_and_vars)

    v = tf.Variable(4.0)
    Nameless(new.sgd()).minimize(lambda: v * 2.0, [v])
    assert v == 2


def test_a_name_reaches_an_inner_optimizer_that_takes_one() -> None:
    names = []

    class Naming(tf_keras.optimizers.SGD):
        def apply_gradients(self, grads_and_vars: Any, name: Any = None, **kwargs: Any) -> Any:
            names.append(name)
            return super().apply_gradients(grads_and_vars, name, **kwargs)

    v = tf.Variable(4.0)
    opt = LossScaleOptimizer(Naming(1.0))
    opt.minimize(lambda: v * 2.0, [v])
    opt.minimize(lambda: v * 2.0, [v], name="train")
    opt.apply_gradients([(tf.constant(1.0), v)], "apply")
    assert names == [None, "train", "apply"]


def test_weight_decay_acts_on_applied_steps_only() -> None:
    v = tf.Variable(4.0)
    opt = LossScaleOptimizer(new.sgd(0.5, weight_decay=0.5), initial_scale=8)
    opt.minimize(lambda: v * NAN, [v])
    assert v == 4
    opt.minimize(lambda: v * 0.0, [v])
    assert v == 3


def test_aggregation_can_be_skipped_by_either_name(mirrored: Any) -> None:
    for kwargs in (
        {"skip_gradients_aggregation": True},
        {"experimental_aggregate_gradients": False},
    ):
        with mirrored.scope():
            v = tf.Variable(0.0)
            opt = LossScaleOptimizer(new.sgd())
        step = tf.function(
            lambda opt=opt, v=v, kwargs=kwargs: mirrored.run(
                lambda: opt.apply_gradients([(tf.constant(1.0), v)], **kwargs) and None
            )
        )
        step()
        assert [float(value) for value in v.values] == [-1, -1]


def test_training_in_a_function_without_xla() -> None:
    v = tf.Variable(4.0)
    opt = LossScaleOptimizer(new.sgd(0.5, jit_compile=False), initial_scale=8)

    @tf.function
    def step() -> None:
        opt.minimize(lambda: v * 2.0, [v])

    step()
    step()
    assert v == 2
    assert opt.iterations == 2


def test_a_variable_without_a_gradient_may_get_one_later() -> None:
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    opt = LossScaleOptimizer(new.sgd(1.0, momentum=0.5))
    opt.apply_gradients([(tf.constant(1.0), a), (None, b)])
    opt.apply_gradients([(None, a), (tf.constant(1.0), b)])
    assert (a, b, opt.iterations) == (0, 1, 2)


def test_an_empty_list_leaves_the_variables_to_the_first_step() -> None:
    v = tf.Variable(1.0)
    opt = LossScaleOptimizer(new.sgd(1.0, momentum=0.5), initial_scale=8, dynamic_growth_steps=2)
    opt.apply_gradients([])
    assert (opt.iterations, opt.dynamic_counter) == (0, 1)
    opt.apply_gradients([(tf.constant(1.0), v)])
    assert (v, opt.iterations, opt.loss_scale) == (0, 1, 16)
