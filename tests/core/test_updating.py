# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.core.updating import count_or_update, update
from tests.support import Mode, python

traced: list[str] = []


@dataclasses.dataclass(frozen=True)
class After:
    """A rule of two values."""

    number: float

    def __call__(self, scale: tf.Tensor, count: tf.Tensor) -> list[tf.Tensor]:
        traced.append("after")
        return [scale * self.number + 1.0, count + 1]


class Counter:
    """Two variables that are updated together."""

    def __init__(self) -> None:
        self.variables = [tf.Variable(2.0), tf.Variable([0, 5], dtype=tf.int64)]

    def update(self, number: float = 3.0) -> Any:
        return update(self.variables, After(number))

    def update_in_a_function(self, number: float = 3.0) -> None:
        tf.function(lambda: self.update(number) and None)()

    def read(self) -> list[Any]:
        return [variable.numpy().tolist() for variable in self.variables]


def test_the_rule_is_given_the_values(mode: Mode) -> None:
    counter = Counter()
    mode.compile(counter.update)()
    assert [mode.value(variable).tolist() for variable in counter.variables] == [7, [1, 6]]


def test_it_is_one_operation_in_a_function_and_none_in_eager_mode() -> None:
    counter = Counter()
    assert counter.update() is None
    assert counter.read() == [7, [1, 6]]
    done: list[Any] = []
    graph = tf.function(lambda: done.append(counter.update())).get_concrete_function().graph
    assert [isinstance(one, tf.Operation) for one in done] == [True]
    types = [operation.type for operation in graph.get_operations()]
    assert types.count("StatefulPartitionedCall") == 1
    assert not {"AssignVariableOp", "ReadVariableOp", "AddV2"} & set(types)


def test_one_rule_is_traced_once_for_all_functions_and_variables() -> None:
    first, second = Counter(), Counter()
    first.update_in_a_function()
    traced.clear()
    for counter in (first, second):
        counter.update_in_a_function()
    assert (first.read(), second.read()) == ([22, [2, 7]], [7, [1, 6]])
    assert traced == []
    second.update_in_a_function(2.0)
    assert (second.read(), traced) == ([15, [2, 7]], ["after"])


def test_what_a_function_does_before_and_after_it_comes_before_and_after() -> None:
    counter = Counter()

    @tf.function
    def step() -> tf.Tensor:
        counter.variables[0].assign(10.0)
        counter.update()
        return counter.variables[0].read_value()

    assert float(step()) == 31


@pytest.mark.parametrize("compiled", [False, True], ids=["", "xla"])
def test_it_is_done_in_the_branch_that_is_taken_only(compiled: bool) -> None:
    counter = Counter()

    @tf.function(jit_compile=compiled or None)
    def step(whether: tf.Tensor) -> None:
        tf.cond(whether, lambda: tf.group(counter.update()), tf.no_op)

    step(tf.constant(False))
    assert counter.read() == [2, [0, 5]]
    step(tf.constant(True))
    assert counter.read() == [7, [1, 6]]


def test_every_copy_of_a_replicated_variable_is_updated(mirrored: Any) -> None:
    with mirrored.scope():
        counter = Counter()
    counter.update_in_a_function()
    assert [float(v) for v in counter.variables[0].values] == [7, 7]
    assert [v.numpy().tolist() for v in counter.variables[1].values] == [[1, 6], [1, 6]]


def tripled(scale: tf.Tensor, count: tf.Tensor) -> list[tf.Tensor]:
    """A rule that leaves the count at 0."""
    traced.append("tripled")
    return [scale * 3.0, count * 0]


class CountsToFour:
    """Counts, and triples the scale every fourth time."""

    def __init__(self) -> None:
        self.scale = tf.Variable(2.0)
        self.count = tf.Variable(0, dtype=tf.int64)

    def step(self) -> Any:
        return count_or_update(
            self.count, lambda count: count < 3, [self.scale, self.count], tripled
        )

    def read(self) -> tuple[float, int]:
        return float(self.scale), int(self.count)


@pytest.mark.parametrize("compiled", [False, True], ids=["", "xla"])
def test_it_counts_or_follows_the_rule(compiled: bool) -> None:
    counting = CountsToFour()
    step = tf.function(lambda: counting.step() and None, jit_compile=compiled or None)
    states = []
    for _ in range(5):
        step()
        states.append(counting.read())
    assert states == [(2, 1), (2, 2), (2, 3), (6, 0), (6, 1)]


def test_both_branches_are_traced_once_for_all_functions() -> None:
    first, second = CountsToFour(), CountsToFour()
    tf.function(lambda: first.step() and None)()
    traced.clear()
    tf.function(lambda: second.step() and None)()
    assert (second.read(), traced) == ((2, 1), [])


def test_where_a_branch_was_not_traced_before_the_rule_does_it_all() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        counting = CountsToFour()
        step = counting.step()
        session.run(tf.compat.v1.global_variables_initializer())
        session.run(step)
        assert session.run([counting.scale, counting.count]) == [6, 0]


def test_a_saved_model_has_both_branches(tmp_path: Path) -> None:
    class Module(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.counting = CountsToFour()
            self.variables_ = [self.counting.scale, self.counting.count]

        @tf.function(input_signature=[])
        def step(self) -> tf.Tensor:
            tf.cond(tf.constant(True), lambda: tf.group(self.counting.step()), tf.no_op)
            return self.counting.scale.read_value()

    tf.saved_model.save(Module(), str(tmp_path))
    # In a process that traced nothing before.
    program = (
        "import sys, tensorflow as tf\n"
        "loaded = tf.saved_model.load(sys.argv[1])\n"
        "print([float(loaded.step()) for _ in range(5)])\n"
    )
    done = python("-c", program, str(tmp_path), timeout=300)
    assert done.stdout.splitlines()[-1:] == ["[2.0, 2.0, 2.0, 6.0, 6.0]"], done.stderr
