# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from compat_lossscale.core.concatenation import Concatenated
from tests.support import Mode


def test_tensors_of_few_elements_known_while_tracing_are_concatenated() -> None:
    counts: list[int] = []
    shapes = ([None], [8], [513], [512], [2, 4, 3], [None, 2], [300, 2], [], [0], None)

    @tf.function(input_signature=[tf.TensorSpec(shape) for shape in shapes])
    def trace(*tensors: tf.Tensor) -> None:
        # With itself, each that is concatenated is one tensor.
        counts.extend(len(Concatenated([tensor, tensor]).tensors) for tensor in tensors)

    trace.get_concrete_function()
    assert [count == 1 for count in counts] == [
        False,
        True,
        False,
        True,
        True,
        False,
        False,
        False,
        False,
        False,
    ]


def test_small_tensors_of_a_kind_are_concatenated_and_split_in_their_order(mode: Mode) -> None:
    shapes = ([2], [2, 2], [], [3], [1, 2], [999], [0], [1], [1])
    given = [np.random.default_rng(0).normal(size=shape).astype("f") for shape in shapes]

    def run() -> list[tf.Tensor]:
        tensors = [*map(tf.constant, given), tf.ones([2], tf.float16)]
        concatenated = Concatenated(tensors)
        shapes = [tuple(tensor.shape) for tensor in concatenated.tensors]
        assert shapes == [(5,), (3, 2), (), (999,), (0,), (1,), (1,), (2,)]
        return concatenated.split(concatenated.tensors)

    for part, tensor in zip(mode.compile(run)(), [*given, np.ones(2, "e")], strict=True):
        assert part.dtype == tensor.dtype
        np.testing.assert_array_equal(part, tensor)


def is_used_again(change: Callable[[list[Any]], list[Any]]) -> bool:
    """Whether a concatenated tensor is used again for its parts, after they were changed."""
    again = []

    @tf.function
    def run() -> None:
        first = Concatenated([tf.ones([2]), tf.ones([3])])
        second = Concatenated(change(first.split(first.tensors)))
        again.append(second.tensors[0] is first.tensors[0])

    run.get_concrete_function()
    return again[0]


def test_what_was_split_is_not_concatenated_again() -> None:
    assert is_used_again(lambda parts: parts)


@pytest.mark.parametrize(
    "change",
    [
        lambda parts: parts[::-1],
        lambda parts: [*parts, parts[0]],
        lambda parts: [parts[0] * 2, parts[1]],
        lambda parts: [parts[0], parts[0]],
        lambda parts: tf.split(tf.ones([2, 4]), [2, 2], axis=1),
    ],
    ids=["reversed", "one more", "one changed", "repeated", "split by columns"],
)
def test_what_was_changed_after_it_was_split_is_concatenated_anew(
    change: Callable[[list[Any]], list[Any]],
) -> None:
    assert not is_used_again(change)


def test_no_tensors_at_all() -> None:
    assert Concatenated([]).split([]) == []
