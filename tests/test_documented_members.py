# SPDX-License-Identifier: Apache-2.0
"""Every member that the API documentation of TensorFlow 2.0 to 2.5 lists, used as it says.

test_base and its fellows say what the members do in all cases; this says that none is missing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import compat_lossscale
from compat_lossscale import experimental, v1
from tests.support import Family

Use = Callable[[Any, tf.Variable], Any]


def applied(opt: Any, v: tf.Variable, **kwargs: Any) -> bool:
    before = v.numpy()
    opt.apply_gradients([(tf.constant(1.0), v)], **kwargs)
    return bool(v.numpy() == before - 0.5)


def minimized(opt: Any, v: tf.Variable, **kwargs: Any) -> bool:
    before = v.numpy()
    opt.minimize(lambda: v * 1.0, var_list=v, **kwargs)
    return bool(v.numpy() == before - 0.5)


def in_graph(use: Callable[[Any, Any], Any]) -> Use:
    """What is asked of an optimizer in a graph only."""

    def used(opt: Any, v: tf.Variable) -> Any:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            variable = tf.compat.v1.get_variable("v", initializer=1.0, use_resource=True)
            again = type(opt)(type(opt.inner_optimizer)(0.5), loss_scale=8)
            fetched = use(again, variable)
            session.run(tf.compat.v1.global_variables_initializer())
            # A list of operations gives a list of None.
            session.run(fetched)
            return True

    return used


EVERY_FAMILY: dict[str, Use] = {
    "iterations": lambda opt, v: int(opt.iterations) == 0,
    "learning_rate": lambda opt, v: float(opt.learning_rate) == 0.5,
    "lr": lambda opt, v: float(opt.lr) == 0.5,
    "loss_scale": lambda opt, v: float(opt.loss_scale()) == float(opt.loss_scale) == 8,
    "weights": lambda opt, v: applied(opt, v) and len(opt.weights) >= 1,
    "apply_gradients": applied,
    "apply_gradients(name)": lambda opt, v: applied(opt, v, name="step"),
    "apply_gradients(experimental_aggregate_gradients)": lambda opt, v: applied(
        opt, v, experimental_aggregate_gradients=False
    ),
    "from_config": lambda opt, v: (
        type(opt).from_config(opt.get_config()).get_config() == opt.get_config()
    ),
    "get_config": lambda opt, v: set(opt.get_config()) >= {"inner_optimizer", "initial_scale"},
    "get_scaled_loss": lambda opt, v: opt.get_scaled_loss(tf.constant(2.0)) == 16.0,
    "get_scaled_loss(callable)": lambda opt, v: (
        opt.get_scaled_loss(lambda: tf.constant(2.0))() == 16.0
    ),
    "get_unscaled_gradients": lambda opt, v: (
        opt.get_unscaled_gradients([None, tf.constant(8.0)]) == [None, 1.0]
    ),
    "get_weights": lambda opt, v: (
        applied(opt, v)
        and all(isinstance(weight, np.ndarray | np.generic) for weight in opt.get_weights())
    ),
    "set_weights": lambda opt, v: applied(opt, v) and opt.set_weights(opt.get_weights()) is None,
    "minimize": minimized,
    "minimize(grad_loss, name)": lambda opt, v: minimized(
        opt, v, grad_loss=tf.constant(1.0), name="step"
    ),
    "dynamic": lambda opt, v: opt.dynamic is False,
    "dynamic_counter": lambda opt, v: opt.dynamic_counter is None,
    "dynamic_growth_steps": lambda opt, v: opt.dynamic_growth_steps is None,
    "initial_scale": lambda opt, v: opt.initial_scale == 8,
    "inner_optimizer": lambda opt, v: float(opt.inner_optimizer.learning_rate) == 0.5,
}
LEGACY_ONLY: dict[str, Use] = {
    "variables": lambda opt, v: applied(opt, v) and len(opt.variables()) >= 1,
    "add_slot": lambda opt, v: opt.add_slot(v, "slot", initializer="ones") == 1.0,
    "add_weight": lambda opt, v: opt.add_weight("weight", (), initializer="ones") == 1.0,
    "get_slot": lambda opt, v: opt.add_slot(v, "slot") is opt.get_slot(v, "slot"),
    "get_slot_names": lambda opt, v: (
        opt.add_slot(v, "slot") is not None and opt.get_slot_names() == ["slot"]
    ),
    "get_gradients": in_graph(lambda opt, v: opt.get_gradients(v * 2.0, [v])),
    "get_updates": in_graph(lambda opt, v: opt.get_updates(v * 2.0, [v])),
}


@pytest.mark.parametrize("use", EVERY_FAMILY.values(), ids=EVERY_FAMILY)
def test_a_member_of_the_keras_optimizer_works(use: Use, family: Family) -> None:
    assert use(experimental.LossScaleOptimizer(family.sgd(0.5), loss_scale=8), tf.Variable(1.0))


@pytest.mark.parametrize("use", LEGACY_ONLY.values(), ids=LEGACY_ONLY)
def test_a_member_that_only_legacy_optimizers_have_works(use: Use) -> None:
    inner = Family("legacy").sgd(0.5)
    assert use(experimental.LossScaleOptimizer(inner, loss_scale=8), tf.Variable(1.0))


@pytest.mark.parametrize(
    ("cls", "arguments"),
    [
        (compat_lossscale.LossScaleOptimizer,
         ["inner_optimizer", "dynamic", "initial_scale", "dynamic_growth_steps"]),
        (experimental.LossScaleOptimizer, ["optimizer", "loss_scale"]),
        (v1.MixedPrecisionLossScaleOptimizer, ["opt", "loss_scale"]),
    ],
)  # fmt: skip
def test_a_constructor_has_the_arguments_it_had(cls: Any, arguments: list[str]) -> None:
    # `rule` is this package's own.
    assert list(inspect.signature(cls.__init__).parameters)[1:] == [*arguments, "rule"]


def test_the_members_of_the_optimizer_of_tensorflow_1_work() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("v", initializer=1.0, use_resource=True)
        step = tf.compat.v1.train.get_or_create_global_step()
        opt = v1.MixedPrecisionLossScaleOptimizer(
            tf.compat.v1.train.MomentumOptimizer(0.5, 0.5), "dynamic"
        )
        pairs = opt.compute_gradients(
            v * 2.0,
            var_list=[v],
            gate_gradients=opt.GATE_OP,
            aggregation_method=None,
            colocate_gradients_with_ops=False,
            grad_loss=None,
        )
        applied = opt.apply_gradients(pairs, global_step=step, name="apply")
        minimized = opt.minimize(
            v * 2.0, global_step=step, var_list=[v], gate_gradients=opt.GATE_GRAPH, name="minimize"
        )
        session.run(tf.compat.v1.global_variables_initializer())
        session.run(applied)
        assert session.run([v, step]) == [0.0, 1]
        session.run(minimized)
        assert session.run([v, step]) == [-1.5, 2]
        names = {variable.op.name.rpartition("/")[2] for variable in opt.variables()}
        assert {"Momentum", "current_loss_scale", "good_steps"} <= names
    assert (opt.GATE_NONE, opt.GATE_OP, opt.GATE_GRAPH) == (0, 1, 2)
    assert isinstance(opt.get_name(), str)
    assert opt.get_slot(v, "momentum") is None
    assert opt.get_slot_names() == []
