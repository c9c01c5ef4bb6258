# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.core import DynamicLossScale, StepLog
from compat_lossscale.core.moving import Mover
from compat_lossscale.update_rule import next_state


class Moved:
    """A loss scale, and perhaps a log, that are moved in a branch of a function."""

    def __init__(self, growth_steps: int, multiplier: float = 2.0, *, logged: bool = True) -> None:
        self.scale = tf.Variable(8.0)
        self.good_steps = tf.Variable(0, dtype=tf.int64)
        self.log = StepLog(self.good_steps) if logged else None
        self._mover = Mover(growth_steps, multiplier)

    def move(self, finite: Any) -> Any:
        state = (self.scale, self.good_steps, self.log)
        return tf.cond(
            finite,
            lambda: tf.group(self._mover.after_applied(*state)),
            lambda: tf.group(self._mover.after_skipped(*state)()),
        )

    def compiled(self, *, xla: bool = False) -> Callable[[tf.Tensor], None]:
        def run(finite: tf.Tensor) -> None:
            self.move(finite)

        return tf.function(run, jit_compile=xla or None, autograph=False)

    def state(self) -> tuple[float, int]:
        return float(self.scale), int(self.good_steps)


def steps(seed: int) -> Iterator[bool]:
    numbers = random.Random(seed)
    return (numbers.random() < 0.7 for _ in range(40))


@pytest.mark.parametrize("xla", [False, True], ids=["", "xla"])
@pytest.mark.parametrize("logged", [False, True], ids=["", "logged"])
@pytest.mark.parametrize("growth_steps", [1, 2, 3, 5])
def test_it_follows_the_rule_and_the_log_knows_each_step(
    growth_steps: int, logged: bool, xla: bool
) -> None:
    # XLA divides by a constant as if it multiplied by the reciprocal, which is exact for 2 only.
    multiplier = 2.0 if xla else 1.5
    moved = Moved(growth_steps, multiplier, logged=logged)
    run = moved.compiled(xla=xla)
    expected, skipped = moved.state(), 0
    for finite in steps(seed=growth_steps):
        run(tf.constant(finite))
        expected = next_state(*expected, finite, growth_steps=growth_steps, multiplier=multiplier)
        skipped += not finite
        assert moved.state() == expected
        if moved.log:
            assert (int(moved.log.skipped), bool(moved.log.last_skipped)) == (skipped, not finite)


def test_it_follows_the_rule_in_a_graph_of_tensorflow_1() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        moved = Moved(2, logged=False)
        finite = tf.compat.v1.placeholder(tf.bool, ())
        move = moved.move(finite)
        session.run(tf.compat.v1.global_variables_initializer())
        states = []
        for one in (True, False, True, True, True):
            session.run(move, {finite: one})
            states.append(tuple(session.run([moved.scale, moved.good_steps])))
    assert states == [(8, 1), (4, 0), (4, 1), (8, 0), (8, 1)]


def test_a_count_beyond_the_growth_steps_makes_the_scale_grow() -> None:
    # As after a checkpoint of a program that let it grow less often.
    moved = Moved(3)
    moved.good_steps.assign(100)
    moved.compiled()(tf.constant(True))
    assert moved.state() == (16, 0)


def test_a_scale_at_its_cap_stays_there() -> None:
    moved = Moved(2)
    moved.scale.assign(2.0**127)
    run = moved.compiled()
    for _ in range(4):
        run(tf.constant(True))
    assert moved.state() == (2.0**127, 0)


def test_replicas_move_alike(mirrored: Any) -> None:
    with mirrored.scope():
        loss_scale = DynamicLossScale(8, 2)
        log = StepLog(loss_scale.good_steps)

    @tf.function
    def step(finite: tf.Tensor) -> None:
        with mirrored.scope():
            tf.cond(
                finite,
                lambda: tf.group(loss_scale.advance(True, log)),
                lambda: tf.group(loss_scale.advance(False, log)),
            )

    states = []
    for finite in (True, False, True, True, True):
        step(tf.constant(finite))
        states.append((float(loss_scale()), bool(log.last_skipped)))
    assert states == [(8, False), (4, True), (4, False), (8, False), (8, False)]
    assert int(log.skipped) == 1


def test_nearly_always_an_applied_step_is_counted_and_nothing_else() -> None:
    moved = Moved(2000)

    def move() -> None:
        moved._mover.after_applied(moved.scale, moved.good_steps, moved.log)

    graph = tf.function(move).get_concrete_function().graph
    (branch,) = [one for one in graph.get_operations() if one.type == "If"]
    taken = graph._functions[branch.get_attr("then_branch").name].cached_definition
    assert {node.op for node in taken.node_def} <= {
        "AssignAddVariableOp",
        "Const",
        "Identity",
        "NoOp",
    }
    condition = {one.type for one in graph.get_operations()} - {"If", "Placeholder", "Const"}
    assert condition == {"ReadVariableOp", "Less", "NoOp"}


@pytest.mark.parametrize("logged", [False, True], ids=["", "logged"])
def test_a_skipped_step_is_counted_wherever_it_is_to_be(logged: bool) -> None:
    moved, counter = Moved(5, logged=logged), tf.Variable(7, dtype=tf.int32)
    state = (moved.scale, moved.good_steps, moved.log)

    @tf.function
    def skip() -> None:
        Mover(5, 2.0).after_skipped(*state, counter)()

    skip()
    skip()
    assert (moved.state(), int(counter)) == ((2.0, 0), 9)
    assert moved.log is None or int(moved.log.skipped) == 2
