# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import textwrap
import warnings
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale import LossScaleOptimizer, experimental
from compat_lossscale.core import DynamicLossScale
from compat_lossscale.errors import LossScaleStuckWarning, NotCountedError
from compat_lossscale.members.optimizer import StepLog
from compat_lossscale.v1 import MixedPrecisionLossScaleOptimizer
from tests.support import INF, NAN, Family, Mode, python


def make(family: Family, **scale: Any) -> tuple[Any, tf.Variable]:
    return LossScaleOptimizer(family.sgd(), **scale), tf.Variable([1.0])


def counts(optimizer: Any) -> tuple[int, bool]:
    return int(optimizer.skipped_steps), bool(optimizer.last_step_skipped)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_skipped_steps_are_counted(family: Family, wrap: Any) -> None:
    optimizer, variable = make(family)
    step = wrap(lambda g: optimizer.apply_gradients([(g, variable)]) and None)
    seen = []
    for number in (1.0, NAN, INF, 1.0, NAN):
        step(tf.constant([number]))
        seen.append(counts(optimizer))
    assert seen == [(0, False), (1, True), (2, True), (2, False), (3, True)]


def test_replicas_count_a_step_once(family: Family, mirrored: Any) -> None:
    with mirrored.scope():
        optimizer, variable = LossScaleOptimizer(family.sgd()), tf.Variable(1.0)

    @tf.function
    def step(number: tf.Tensor) -> None:
        mirrored.run(lambda: optimizer.apply_gradients([(number * 1.0, variable)]) and None)

    for number in (1.0, NAN, 1.0, NAN):
        step(tf.constant(number))
    assert counts(optimizer) == (2, True)


def test_a_fixed_loss_scale_skips_nothing(family: Family) -> None:
    optimizer, variable = make(family, dynamic=False, initial_scale=2)
    optimizer.apply_gradients([(tf.constant([NAN]), variable)])
    assert counts(optimizer) == (0, False)


def test_the_optimizer_of_tensorflow_1_counts_too() -> None:
    inner = tf.compat.v1.train.GradientDescentOptimizer(1.0)
    optimizer, variable = MixedPrecisionLossScaleOptimizer(inner, "dynamic"), tf.Variable([1.0])
    for number in (1.0, NAN):
        optimizer.apply_gradients([(tf.constant([number]), variable)])
    assert counts(optimizer) == (1, True)


def test_in_a_graph_of_tensorflow_1_it_is_said_that_nothing_is_counted() -> None:
    with tf.Graph().as_default():
        inner = tf.compat.v1.train.GradientDescentOptimizer(1.0)
        optimizer = MixedPrecisionLossScaleOptimizer(inner, "dynamic")
        names = [variable.op.name for variable in tf.compat.v1.global_variables()]
        assert names == ["current_loss_scale", "good_steps"]
        with pytest.raises(NotCountedError, match="graph of TensorFlow 1"):
            _ = optimizer.skipped_steps


def test_checkpoints_do_not_have_the_counters(family: Family, tmp_path: Path) -> None:
    optimizer, variable = make(family)
    optimizer.apply_gradients([(tf.constant([NAN]), variable)])
    path = tf.train.Checkpoint(optimizer=optimizer).save(tmp_path / "ckpt")
    assert not [name for name, _ in tf.train.list_variables(path) if "skipped" in name]


def test_a_training_step_can_be_exported(family: Family, tmp_path: Path) -> None:
    module = tf.Module()
    module.optimizer, module.variable = make(family)

    @tf.function(input_signature=[tf.TensorSpec([1])])
    def step(gradient: tf.Tensor) -> tf.Tensor:
        module.optimizer.apply_gradients([(gradient, module.variable)])
        return module.variable.read_value()

    module.step = step
    step(tf.constant([NAN]))
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.step(tf.constant([NAN])).numpy() == [1.0]
    assert loaded.step(tf.constant([0.5])).numpy() == [0.5]


def warnings_of(optimizer: Any, variable: tf.Variable, *gradients: float) -> list[str]:
    """What eager steps with these gradients warn of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LossScaleStuckWarning)
        for gradient in gradients:
            optimizer.apply_gradients([(tf.constant([gradient]), variable)])
    return [str(one.message) for one in caught if one.category is LossScaleStuckWarning]


def test_a_scale_at_its_floor_that_should_shrink_is_warned_of_once(family: Family) -> None:
    trained = make(family, initial_scale=2)
    assert warnings_of(*trained, NAN, 0.0) == []
    (warning,) = warnings_of(*trained, NAN, NAN)
    assert "learning rate" in warning


def test_a_scale_that_moves_or_is_not_to_move_is_no_news(family: Family) -> None:
    assert warnings_of(*make(family, initial_scale=8, dynamic_growth_steps=3), *[0.0] * 7) == []
    optimizer = experimental.LossScaleOptimizer(family.sgd(), DynamicLossScale(1, 1, multiplier=1))
    assert warnings_of(optimizer, tf.Variable([1.0]), 0.0, NAN) == []


@pytest.mark.parametrize("name", ["eager", "function"])
def test_a_log_counts_skipped_steps(name: str) -> None:
    log, mode = StepLog(), Mode(name)
    skip = mode.compile(lambda: log.note_skipped() and None)
    skip()
    skip()
    assert (int(log.skipped), bool(log.last_skipped)) == (2, True)
    mode.compile(lambda: log.note_applied() and None)()
    assert (int(log.skipped), bool(log.last_skipped)) == (2, False)


def test_by_a_counter_of_all_steps_an_applied_step_needs_no_note() -> None:
    steps = tf.Variable(0, dtype=tf.int64)
    log = StepLog(lambda: steps)
    assert not bool(log.last_skipped)
    steps.assign(5)
    log.note_skipped()
    assert bool(log.last_skipped)
    steps.assign(6)
    assert log.note_applied() is None
    assert not bool(log.last_skipped)


def test_there_is_none_in_a_graph_of_tensorflow_1() -> None:
    inner = tf.compat.v1.train.GradientDescentOptimizer(1.0)
    with tf.Graph().as_default(), pytest.raises(NotCountedError):
        _ = MixedPrecisionLossScaleOptimizer(inner, "dynamic").skipped_steps
    assert int(MixedPrecisionLossScaleOptimizer(inner, "dynamic").skipped_steps) == 0


@pytest.mark.parametrize("compiled", [False, True], ids=["", "xla"])
def test_what_a_function_noted_is_said_when_somebody_looks_and_once(compiled: bool) -> None:
    log = StepLog()

    @tf.function(jit_compile=compiled or None)
    def skip(scale: tf.Tensor) -> None:
        log.note_skipped(tf.equal(scale, 1.0))

    skip(tf.constant(2.0))
    log.warn_if_stuck()
    assert not log.has_warned
    skip(tf.constant(1.0))
    with pytest.warns(LossScaleStuckWarning, match="The loss scale has to move and cannot"):
        log.warn_if_stuck()
    log.warn_if_stuck()
    assert (log.has_warned, int(log.skipped)) == (True, 2)


def test_what_nobody_looked_at_is_said_when_the_program_ends() -> None:
    program = """
        import tensorflow as tf
        from compat_lossscale.members.optimizer import StepLog

        log = StepLog()
        log.note_skipped(tf.constant(1.0))
    """
    done = python("-c", textwrap.dedent(program), tensorflow_may_be_imported=True)
    assert done.returncode == 0, done.stderr
    assert "LossScaleStuckWarning: The loss scale has to move" in done.stderr
