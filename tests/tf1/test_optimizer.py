# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.v1 import MixedPrecisionLossScaleOptimizer
from tests.support import INF, NAN, Family, Mode

tf1 = tf.compat.v1
native = tf1.mixed_precision


@pytest.fixture
def session() -> Iterator[Any]:
    """A session on a fresh graph."""
    with tf.Graph().as_default(), tf1.Session() as session:
        yield session


def sgd(learning_rate: float = 1.0) -> Any:
    return tf1.train.GradientDescentOptimizer(learning_rate)


class OwnLossScale(LossScale):
    def __call__(self) -> tf.Tensor:
        return tf.constant(4.0)

    def update(self, grads: Any) -> tuple[Any, Any]:
        raise AssertionError("no version ever asked this of a v1 optimizer's loss scale")

    def get_config(self) -> dict[str, Any]:
        return {}


# --- training -----------------------------------------------------------------------------------


def test_training_in_a_session_counts_applied_steps_only(session: Any) -> None:
    x = tf1.placeholder(tf.float32, [])
    v = tf1.get_variable("v", initializer=5.0)
    step = tf1.train.get_or_create_global_step()
    loss_scale = DynamicLossScale(8, 2)
    opt = MixedPrecisionLossScaleOptimizer(sgd(), loss_scale)
    train = opt.minimize(v * x, global_step=step)
    scale = loss_scale()
    session.run(tf1.global_variables_initializer())
    path = []
    for value in (1.0, NAN, 1.0, 1.0, INF):
        session.run(train, {x: value})
        path.append(tuple(float(n) for n in session.run([v, step, scale])))
    assert path == [(4, 1, 8), (4, 1, 4), (3, 2, 4), (2, 3, 8), (2, 3, 4)]


def test_a_fixed_scale_applies_and_counts_every_step(session: Any) -> None:
    x = tf1.placeholder(tf.float32, [])
    v = tf1.get_variable("v", initializer=5.0)
    step = tf1.train.get_or_create_global_step()
    train = MixedPrecisionLossScaleOptimizer(sgd(), 8).minimize(v * x, global_step=step)
    session.run(tf1.global_variables_initializer())
    session.run(train, {x: 2.0})
    assert session.run([v, step]) == [3, 1]
    session.run(train, {x: NAN})
    assert np.isnan(session.run(v))
    assert session.run(step) == 2


def test_a_monitored_session_trains(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        x = tf1.placeholder(tf.float32, [])
        v = tf1.get_variable("v", initializer=5.0)
        step = tf1.train.get_or_create_global_step()
        opt = MixedPrecisionLossScaleOptimizer(
            tf1.train.MomentumOptimizer(1.0, 0.5), DynamicLossScale(8, 1)
        )
        train = opt.minimize(v * x, global_step=step)
        scale = opt._loss_scale()
        for expected_step in (1, 2):
            # The second session goes on where the first one ended.
            with tf1.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path)) as session:
                session.run(train, {x: 1.0})
                session.run(train, {x: NAN})
                assert session.run(step) == expected_step
                assert session.run(scale) == 8


def test_gradients_are_computed_of_the_scaled_loss_and_unscaled(mode: Mode) -> None:
    if mode.name == "graph":
        v = tf1.get_variable("v", initializer=3.0)
        loss: Any = v * v
    else:
        v = tf.Variable(3.0)
        loss = lambda: v * v  # noqa: E731  # as programs write it
    unused = tf.Variable(1.0)
    opt = MixedPrecisionLossScaleOptimizer(sgd(), 8)

    def compute() -> Any:
        pairs = opt.compute_gradients(loss, [v, unused])
        assert [variable for _, variable in pairs] == [v, unused]
        assert pairs[1][0] is None
        return pairs[0][0]

    assert mode.compile(compute)() == 6


def test_eager_training_works_as_in_a_graph() -> None:
    v = tf.Variable(5.0)
    step = tf.Variable(0, dtype=tf.int64)
    loss_scale = DynamicLossScale(8, 1)
    opt = MixedPrecisionLossScaleOptimizer(sgd(), loss_scale)
    opt.minimize(lambda: v * 2.0, global_step=step, var_list=[v])
    assert (float(v), int(step), float(loss_scale())) == (3, 1, 16)
    opt.minimize(lambda: v * NAN, global_step=step, var_list=[v])
    assert (float(v), int(step), float(loss_scale())) == (3, 1, 8)


def test_a_float16_loss_and_sparse_gradients_train(session: Any) -> None:
    table = tf1.get_variable("table", initializer=[[1.0], [2.0], [3.0]])
    loss = tf.reduce_sum(tf.cast(tf.gather(table, [0, 2]), tf.float16))
    train = MixedPrecisionLossScaleOptimizer(sgd(), DynamicLossScale(8, 1)).minimize(loss)
    session.run(tf1.global_variables_initializer())
    session.run(train)
    assert session.run(table).tolist() == [[0], [2], [2]]


def test_a_users_own_loss_scale_scales_and_is_never_asked_to_update(session: Any) -> None:
    v = tf1.get_variable("v", initializer=5.0)
    train = MixedPrecisionLossScaleOptimizer(sgd(), OwnLossScale()).minimize(v * 2.0)
    session.run(tf1.global_variables_initializer())
    session.run(train)
    assert session.run(v) == 3


def test_replicas_skip_alike_when_one_has_a_nan(mirrored: Any) -> None:
    with mirrored.scope():
        v = tf.Variable(5.0)
        loss_scale = DynamicLossScale(8, 1)
        opt = MixedPrecisionLossScaleOptimizer(sgd(), loss_scale)

    @tf.function
    def step(bad: tf.Tensor) -> None:
        def replica() -> None:
            replica_id = tf.distribute.get_replica_context().replica_id_in_sync_group
            factor = tf.where(tf.equal(replica_id, bad), NAN, 1.0)
            opt.minimize(lambda: v * factor, var_list=[v])

        mirrored.run(replica)

    step(tf.constant(1))
    assert [float(value) for value in v.values] == [5, 5]
    assert loss_scale() == 4
    step(tf.constant(-1))
    first, second = (float(value) for value in v.values)
    assert first == second < 5


def test_applying_in_a_cross_replica_context_is_refused(mirrored: Any) -> None:
    with mirrored.scope():
        opt = MixedPrecisionLossScaleOptimizer(sgd(), 8)
        with pytest.raises(ValueError, match="must be called in a replica context"):
            opt.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


# --- members ------------------------------------------------------------------------------------


def test_it_is_an_optimizer_of_tensorflow_1_and_of_its_own_class() -> None:
    opt = MixedPrecisionLossScaleOptimizer(sgd(), "dynamic")
    assert isinstance(opt, tf1.train.Optimizer)
    assert isinstance(opt, native.MixedPrecisionLossScaleOptimizer)
    assert type(opt) is MixedPrecisionLossScaleOptimizer
    assert opt.get_name()
    assert (opt.GATE_NONE, opt.GATE_OP, opt.GATE_GRAPH) == (0, 1, 2)


def test_private_names_that_real_programs_read_answer() -> None:
    inner = sgd()
    opt = MixedPrecisionLossScaleOptimizer(inner, "dynamic")
    assert opt._optimizer is inner
    assert isinstance(opt._loss_scale, DynamicLossScale)
    assert opt._loss_scale() == 2**15


@pytest.mark.parametrize("loss_scale", ["dynamic", 8])
def test_a_step_is_fetched_by_its_name(session: Any, loss_scale: Any) -> None:
    v = tf1.get_variable("v", initializer=1.0)
    opt = MixedPrecisionLossScaleOptimizer(sgd(0.5), loss_scale)
    opt.minimize(v * 1.0, name="train")
    opt.minimize(v * 1.0)
    session.run(tf1.global_variables_initializer())
    session.run("train")
    assert session.run(v) == 0.5
    session.run("GradientDescent")
    assert session.run(v) == 0


def test_a_step_of_two_replicas_is_fetched_by_its_name(mirrored: Any) -> None:
    with tf.Graph().as_default(), mirrored.scope(), tf1.Session() as session:
        v = tf1.get_variable("v", initializer=1.0)
        opt = MixedPrecisionLossScaleOptimizer(sgd(0.5), "dynamic")
        mirrored.run(lambda: opt.minimize(lambda: v * 1.0, var_list=[v], name="train"))
        session.run(tf1.global_variables_initializer())
        session.run("train")
        assert [session.run(value) for value in v.values] == [0, 0]
        with pytest.raises(KeyError):
            session.graph.get_operation_by_name("train_1")


def test_slots_are_not_delegated_as_they_never_were(session: Any) -> None:
    v = tf1.get_variable("v", initializer=5.0)
    inner = tf1.train.MomentumOptimizer(1.0, 0.5)
    opt = MixedPrecisionLossScaleOptimizer(inner, DynamicLossScale(8))
    opt.minimize(v * 2.0)
    assert opt.get_slot_names() == []
    assert opt.get_slot(v, "momentum") is None
    assert inner.get_slot(v, "momentum") is not None


def test_its_variables_are_the_inner_optimizers_and_the_loss_scales(session: Any) -> None:
    v = tf1.get_variable("v", initializer=5.0)
    opt = MixedPrecisionLossScaleOptimizer(
        tf1.train.MomentumOptimizer(1.0, 0.5), DynamicLossScale(8)
    )
    opt.minimize(v * 2.0)
    names = {variable.name.split(":")[0] for variable in opt.variables()}
    assert {"current_loss_scale", "good_steps", "v/Momentum"} <= names


def test_a_saver_knows_the_names_that_every_version_wrote(session: Any, tmp_path: Path) -> None:
    v = tf1.get_variable("v", initializer=5.0)
    step = tf1.train.get_or_create_global_step()
    opt = MixedPrecisionLossScaleOptimizer(
        tf1.train.MomentumOptimizer(1.0, 0.5), DynamicLossScale(8, 1)
    )
    train = opt.minimize(v * 2.0, global_step=step)
    session.run(tf1.global_variables_initializer())
    session.run(train)
    saver = tf1.train.Saver()
    path = saver.save(session, str(tmp_path / "model"))
    names = {name for name, _ in tf.train.list_variables(path)}
    assert names == {"v", "v/Momentum", "global_step", "current_loss_scale", "good_steps"}
    session.run(train)
    saver.restore(session, path)
    assert session.run(opt._loss_scale()) == 16


def test_a_checkpoint_has_the_names_that_every_version_wrote(tmp_path: Path) -> None:
    v = tf.Variable(5.0)
    opt = MixedPrecisionLossScaleOptimizer(
        tf1.train.MomentumOptimizer(1.0, 0.5), DynamicLossScale(8, 1)
    )
    opt.minimize(lambda: v * 2.0, var_list=[v])
    checkpoint = tf.train.Checkpoint(v=v, opt=opt)
    path = checkpoint.save(str(tmp_path / "ckpt"))
    suffix = "/.ATTRIBUTES/VARIABLE_VALUE"
    names = {name for name, _ in tf.train.list_variables(path)}
    assert {
        f"opt/loss_scale/current_loss_scale{suffix}",
        f"opt/loss_scale/good_steps{suffix}",
        f"v/.OPTIMIZER_SLOT/opt/base_optimizer/momentum{suffix}",
    } <= names
    opt.minimize(lambda: v * NAN, var_list=[v])
    checkpoint.restore(path).assert_existing_objects_matched()
    assert opt._loss_scale() == 16


def test_arguments_are_checked_as_in_the_original() -> None:
    for what in (5, Family("legacy").sgd(), Family("new").sgd(), None):
        with pytest.raises(ValueError, match='"opt" must be an instance of Optimizer, but got: '):
            MixedPrecisionLossScaleOptimizer(what, "dynamic")
    for error in (ValueError, TypeError):
        with pytest.raises(error, match=r"loss_scale cannot be None\."):
            MixedPrecisionLossScaleOptimizer(sgd(), None)
    with pytest.raises(ValueError, match="must be at least 1"):
        MixedPrecisionLossScaleOptimizer(sgd(), 0.5)
    with pytest.raises(ValueError, match="Could not interpret loss scale identifier"):
        MixedPrecisionLossScaleOptimizer(sgd(), "foo")


def test_the_loss_scale_is_shared_with_the_caller() -> None:
    for given in (DynamicLossScale(8), FixedLossScale(8), OwnLossScale()):
        assert MixedPrecisionLossScaleOptimizer(sgd(), given)._loss_scale is given
    theirs = native.DynamicLossScale(8, 1)
    v = tf.Variable(5.0)
    MixedPrecisionLossScaleOptimizer(sgd(), theirs).minimize(lambda: v * 2.0, var_list=[v])
    assert theirs() == 16


def test_it_can_be_subclassed(session: Any) -> None:
    class Own(MixedPrecisionLossScaleOptimizer):
        def __init__(self, opt: Any) -> None:
            super().__init__(opt, DynamicLossScale(8, 1))
            self.applied = 0

        def apply_gradients(
            self, grads_and_vars: Any, global_step: Any = None, name: Any = None
        ) -> Any:
            self.applied += 1
            return super().apply_gradients(grads_and_vars, global_step, name)

    v = tf1.get_variable("v", initializer=5.0)
    opt = Own(sgd())
    train = opt.minimize(v * 2.0)
    session.run(tf1.global_variables_initializer())
    session.run(train)
    assert (session.run(v), opt.applied) == (3, 1)
