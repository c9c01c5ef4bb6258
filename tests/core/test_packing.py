# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from compat_lossscale.core.packing import Joined, join, members_of, short_kind, split
from tests.support import Mode


@pytest.mark.parametrize("shape", [(), (2,), (3, 1)])
@pytest.mark.parametrize("rows", [[2, 1, 0, 3], [2]])
def test_joined_tensors_come_back_as_they_were(rows: list[int], shape: tuple[int, ...]) -> None:
    tensors = [tf.random.normal((length, *shape)) for length in rows]
    joined = join(tensors)
    assert joined.shape == (sum(rows), *shape)
    for part, tensor in zip(split(joined, rows), tensors, strict=True):
        np.testing.assert_array_equal(part, tensor)


def test_a_short_tensor_has_rows_and_few_elements_known_while_tracing() -> None:
    seen: list[object] = []
    shapes = ([None], [8], [9999], [2, 4, 3], [None, 2], [300, 2], [], None)

    @tf.function(input_signature=[tf.TensorSpec(shape) for shape in shapes])
    def trace(*tensors: tf.Tensor) -> None:
        seen.extend(short_kind(tensor) for tensor in tensors)

    trace.get_concrete_function()
    assert seen == [None, (tf.float32, ()), None, (tf.float32, (4, 3)), None, None, None, None]


def test_short_tensors_of_a_kind_become_one_and_come_apart_in_their_order() -> None:
    shapes = ([2], [2, 2], [], [3], [1, 2], [999])
    given = [*(tf.random.normal(shape) for shape in shapes), tf.ones([2], tf.float16)]
    joined = Joined(given)
    shapes = [tuple(tensor.shape) for tensor in joined.tensors]
    assert shapes == [(5,), (3, 2), (), (999,), (2,)]
    for part, tensor in zip(joined.apart(joined.tensors), given, strict=True):
        assert part.dtype == tensor.dtype
        np.testing.assert_array_equal(part, tensor)


@pytest.mark.parametrize(
    ("count", "in_a_graph"), [(1, [1]), (64, [64]), (65, [33, 32]), (200, [50, 50, 50, 50])]
)
def test_a_graph_shares_many_of_a_kind_out_evenly(
    mode: Mode, count: int, in_a_graph: list[int]
) -> None:
    rows: list[list[int]] = []

    def take_apart() -> list[tf.Tensor]:
        joined = Joined([tf.fill([1], float(number)) for number in range(count)])
        rows.append([int(tensor.shape[0]) for tensor in joined.tensors])
        return joined.apart(joined.tensors)

    assert [float(part[0]) for part in mode.compile(take_apart)()] == list(range(count))
    assert rows[-1] == ([count] if mode.name == "eager" else in_a_graph)


def _of_a_graph(build: Callable[[list[tf.Tensor]], Any]) -> Any:
    """What is built of two tensors of a graph."""
    built: list[Any] = []
    shapes = [tf.TensorSpec([2, 2])] * 2
    tf.function(lambda *tensors: built.append(build(list(tensors))), shapes).get_concrete_function()
    return built[0]


def test_the_members_of_what_was_joined_are_found() -> None:
    def build(tensors: list[tf.Tensor]) -> list[bool]:
        joined = join(tensors)
        parts = split(joined * 2.0, [2, 2])
        members = members_of(joined, parts[0].op)
        return [one is other for one, other in zip(members, tensors, strict=True)]

    assert _of_a_graph(build) == [True, True]


@pytest.mark.parametrize(
    "build",
    [
        lambda tensors: (tensors[0], split(tensors[0], [1, 1])[0].op),
        lambda tensors: (join(tensors), join(tensors).op),
        lambda tensors: (join(tensors), split(join(tensors), [1, 3])[0].op),
        lambda tensors: (join(tensors), split(join(tensors), [2, 1, 1])[0].op),
        lambda tensors: (join(tensors), tf.split(tf.concat(tensors, 1), [2, 2], 1)[0].op),
        lambda tensors: (tf.concat(tensors, 1), split(join(tensors), [2, 2])[0].op),
    ],
    ids=["one", "not taken apart", "otherwise", "more", "by columns", "joined by columns"],
)
def test_what_was_not_joined_has_no_members(build: Callable[[list[tf.Tensor]], Any]) -> None:
    assert _of_a_graph(lambda tensors: members_of(*build(tensors))) == []
