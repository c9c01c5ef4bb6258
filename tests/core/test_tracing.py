# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat_lossscale.core.tracing import OneCall


class Doubling:
    """Doubles tensors, and notes the shapes that it is called with."""

    def __init__(self) -> None:
        self.traced: list[list[Any]] = []
        self.double = OneCall(self._double)

    def _double(self, tensors: list[tf.Tensor]) -> list[tf.Tensor]:
        self.traced.append([tensor.shape.rank and list(tensor.shape) for tensor in tensors])
        return [tensor * 2 for tensor in tensors]

    def __call__(self, *values: Any) -> list[Any]:
        return [result.numpy().tolist() for result in self.double(list(map(tf.constant, values)))]


def test_it_is_traced_once_for_each_sequence_of_dtypes_and_ranks() -> None:
    doubling = Doubling()
    for length in range(3):
        assert doubling(*[[1.0] * length] * 9) == [[2.0] * length] * 9
        assert doubling(*[[[3]]] * 9) == [[[6]]] * 9
    assert doubling.traced == [[[None]] * 9, [[None, None]] * 9]


def test_eagerly_it_gives_what_the_function_gives_in_its_structure() -> None:
    both = OneCall(
        lambda tensors: {"sum": tf.add_n(tensors), "pair": (tensors[0], len(tensors) * 1.0)}
    )
    given = [tf.constant(float(number)) for number in range(9)]
    result = both(given)
    assert set(result) == {"sum", "pair"}
    assert float(result["sum"]) == 36.0
    assert [float(one) for one in result["pair"]] == [0.0, 9.0]


def test_few_tensors_are_not_worth_a_graph() -> None:
    doubling = Doubling()
    assert doubling([1.0], 2.0) == [[2.0], 4.0]
    assert doubling.traced == [[[1], 0]]


def operations_of(function: Any) -> int:
    """How many operations the graph of a `tf.function` has."""
    return len(function.get_concrete_function().graph.get_operations())


def test_in_a_function_it_takes_fewer_operations_and_is_traced_once_for_all_functions() -> None:
    doubling = Doubling()
    for length in (1, 2):
        values = tf.ones([9, length])
        run = tf.function(lambda values=values: doubling.double(tf.unstack(values)))
        assert [one.numpy().tolist() for one in run()] == [[2.0] * length] * 9
        directly = tf.function(lambda values=values: [one * 2 for one in tf.unstack(values)])
        assert operations_of(run) < operations_of(directly)
    assert doubling.traced == [[[None]] * 9]


def test_tensors_of_unknown_rank_can_be_given() -> None:
    doubling = Doubling()
    run = tf.function(lambda one: doubling.double([one] * 9), [tf.TensorSpec(None)])
    assert [one.numpy().tolist() for one in run(tf.ones([1, 2]))] == [[[2.0, 2.0]]] * 9


def test_in_a_graph_of_tensorflow_1_the_function_itself_is_called() -> None:
    doubled = OneCall(lambda tensors: [tensor * 2 for tensor in tensors])
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        assert session.run(doubled([tf.constant(3.0)] * 9)) == [6.0] * 9
    # Programs of TensorFlow 1 may be written into files that have no functions.
    assert not graph.as_graph_def().library.function
