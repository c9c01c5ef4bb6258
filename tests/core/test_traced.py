# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from compat_lossscale.core.traced import TracedOnce, call_of, in_one_call
from tests.support import Mode


class Doubling:
    """Doubles tensors, and notes the shapes that it is called with."""

    def __init__(self) -> None:
        self.traced: list[list[Any]] = []
        self.double = TracedOnce(self._double)

    def _double(self, tensors: list[tf.Tensor]) -> list[tf.Tensor]:
        self.traced.append([tensor.shape.rank and list(tensor.shape) for tensor in tensors])
        return [tensor * 2 for tensor in tensors]

    def __call__(self, *values: Any) -> list[Any]:
        return [result.numpy().tolist() for result in self.double(list(map(tf.constant, values)))]


def test_it_is_traced_once_for_each_sequence_of_dtypes_whatever_the_shapes() -> None:
    doubling = Doubling()
    for length in range(3):
        assert doubling(*[[1.0] * length] * 9) == [[2.0] * length] * 9
        assert doubling(*[[[3]]] * 9) == [[[6]]] * 9
    assert doubling.traced == [[None] * 9, [None] * 9]


def test_few_tensors_are_not_worth_a_graph() -> None:
    doubling = Doubling()
    assert doubling([1.0], 2.0) == [[2.0], 4.0]
    assert doubling.traced == [[[1], 0]]


def test_in_a_graph_the_function_itself_is_called() -> None:
    doubling = Doubling()

    @tf.function
    def run(value: tf.Tensor) -> list[tf.Tensor]:
        results: list[tf.Tensor] = doubling.double([value])
        return results

    assert run(tf.constant([1.0]))[0].numpy().tolist() == [2.0]
    assert "Mul" in {
        op.type for op in run.get_concrete_function(tf.constant([1.0])).graph.get_operations()
    }


def test_what_is_one_operation_in_graphs_too_is_traced_once_for_all_of_them() -> None:
    traced: list[int] = []

    def double(tensors: list[tf.Tensor]) -> list[tf.Tensor]:
        traced.append(len(tensors))
        return [tensor * 2 for tensor in tensors]

    doubled = TracedOnce(double, in_graphs=True)
    for length in (1, 2):
        values = tf.ones([9, length])
        run = tf.function(lambda values=values: doubled(tf.unstack(values)))
        assert [one.numpy().tolist() for one in run()] == [[2.0] * length] * 9
        types = [op.type for op in run.get_concrete_function().graph.get_operations()]
        assert types.count("PartitionedCall") == 1
        assert "Mul" not in types
    assert traced == [9]


def test_in_a_graph_of_tensorflow_1_the_function_itself_is_called() -> None:
    doubled = TracedOnce(lambda tensors: [tensor * 2 for tensor in tensors], in_graphs=True)
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        assert session.run(doubled([tf.constant(3.0)] * 9)) == [6.0] * 9
    assert "PartitionedCall" not in {op.type for op in graph.get_operations()}


@dataclasses.dataclass(frozen=True)
class Scaled:
    number: float

    def __call__(self, tensor: tf.Tensor) -> tf.Tensor:
        return tensor * self.number + tensor


def test_a_function_in_one_call_gives_what_it_gives(mode: Mode) -> None:
    def run(tensor: tf.Tensor) -> tf.Tensor:
        return in_one_call(Scaled(3.0), [tensor]) + in_one_call(Scaled(4.0), [tensor])

    assert mode.compile(run, tf.TensorSpec([2], tf.float32))([1, 2]).tolist() == [9, 18]


def test_in_one_call_it_is_one_operation_of_each_graph() -> None:
    for value in (1.0, 2.0):
        run = tf.function(lambda value=value: in_one_call(Scaled(5.0), [tf.constant(value)]))
        assert float(run()) == 6 * value
        operations = run.get_concrete_function().graph.get_operations()
        assert [op.type for op in operations].count("PartitionedCall") == 1


def test_a_call_is_made_in_whatever_graph_is_being_built() -> None:
    tensor = tf.constant([1.0, 2.0])
    call = call_of(Scaled(7.0), [tensor])
    run = tf.function(lambda: (call(), tf.cond(tensor[0] > 0, call, lambda: tensor)))
    assert [result.numpy().tolist() for result in run()] == [[8, 16], [8, 16]]


def test_calls_of_the_same_function_on_tensors_of_a_kind_share_what_was_traced() -> None:
    calls = [call_of(Scaled(7.0), [tf.constant([number, number])]) for number in (1.0, 2.0)]
    assert calls[0].function is calls[1].function
    assert call_of(Scaled(8.0), calls[0].tensors).function is not calls[0].function
