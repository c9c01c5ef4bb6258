# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from compat_lossscale.core.finite_check import can_be_summed, every_element_is_finite, total
from tests.support import INF, NAN


def test_it_adds_up_tensors_of_several_shapes_and_dtypes() -> None:
    tensors = [tf.constant(1.5), tf.ones([2, 3]), tf.ones([4], tf.float64), tf.zeros([0])]
    summed = total(tensors)
    assert summed.dtype == tf.float32
    assert float(summed) == 11.5


@pytest.mark.parametrize("bad", [[NAN], [INF], [-INF], [INF, -INF]])
def test_a_sum_over_a_non_finite_element_is_not_finite(bad: list[float]) -> None:
    assert not np.isfinite(total([tf.ones([3]), tf.constant([*bad, 1.0])]))


def test_a_sum_of_float16_says_too_little() -> None:
    dtypes = (tf.float16, tf.bfloat16, tf.float32, tf.float64)
    assert [can_be_summed(tf.ones([2], dtype)) for dtype in dtypes] == [False, True, True, True]


LARGE = [2**17]
CASES = {
    "finite": (lambda: [tf.ones(LARGE), tf.ones([3])], True),
    "none": (list, True),
    "a sum that overflows": (lambda: [tf.fill(LARGE, 1e38), tf.ones([3])], True),
    "a NaN in the large one": (lambda: [tf.fill(LARGE, NAN), tf.ones([3])], False),
    "an infinity in a small one": (lambda: [tf.ones(LARGE), tf.constant([1.0, INF])], False),
    "infinities that cancel": (lambda: [tf.fill(LARGE, INF), tf.fill(LARGE, -INF)], False),
    "float16 with a large sum": (lambda: [tf.ones(LARGE), tf.fill(LARGE, tf.float16.max)], True),
    "a NaN in float16": (lambda: [tf.ones(LARGE), tf.constant([NAN], tf.float16)], False),
    "bfloat16": (lambda: [tf.fill(LARGE, tf.bfloat16.max), tf.ones([2], tf.float64)], True),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("copies", [1, 5], ids=["few", "many"])
def test_it_says_whether_every_element_is_finite(case: str, copies: int) -> None:
    make, expected = CASES[case]
    tensors = make() * copies
    in_graph = tf.function(lambda: every_element_is_finite(tensors))
    by_xla = tf.function(lambda: every_element_is_finite(tensors), jit_compile=True)
    for ask in (lambda: every_element_is_finite(tensors), in_graph, by_xla):
        assert bool(ask()) is expected


def test_a_large_tensor_is_read_once_and_a_small_one_is_asked_about() -> None:
    def operations(tensor: tf.Tensor) -> set[str]:
        traced = tf.function(lambda one: every_element_is_finite([one]), autograph=False)
        graph = traced.get_concrete_function(tensor).graph
        return {operation.type for operation in graph.get_operations()}

    large = operations(tf.ones(LARGE))
    assert "Sum" in large
    assert "All" not in large
    assert "All" in operations(tf.ones([2**17 - 1]))
