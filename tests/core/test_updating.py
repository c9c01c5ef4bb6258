# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from compat_lossscale.core.updating import update
from tests.support import Mode

traced: list[str] = []


def after(scale: tf.Tensor, count: tf.Tensor, other: tf.Tensor, number: float) -> list[tf.Tensor]:
    """A rule of two values."""
    traced.append("after")
    return [scale * number + other, count + 1]


class Counter:
    """Two variables that are updated together."""

    def __init__(self) -> None:
        self.variables = [tf.Variable(2.0), tf.Variable([0, 5], dtype=tf.int64)]

    def update(self, number: float = 3.0) -> Any:
        return update(self.variables, after, number, given=[tf.constant(1.0)])

    def update_in_a_function(self, number: float = 3.0) -> None:
        tf.function(lambda: self.update(number) and None)()

    def read(self) -> list[Any]:
        return [variable.numpy().tolist() for variable in self.variables]


def test_the_rule_is_given_the_values_what_is_given_and_the_numbers(mode: Mode) -> None:
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
