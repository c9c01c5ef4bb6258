# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
import tensorflow as tf

from compat_lossscale.core.finite_check import every_element_is_finite, finite_by_sum
from tests.support import INF, NAN


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
@pytest.mark.parametrize("bad", [[], [NAN], [INF], [-INF], [INF, -INF]])
def test_it_looks_at_tensors_of_several_shapes_and_dtypes(
    dtype: tf.DType, bad: list[float]
) -> None:
    tensors = [tf.ones([2, 3]), tf.constant([*bad, 1.0], dtype), tf.zeros([0]), tf.constant(1.5)]
    assert bool(finite_by_sum(tensors, [], lambda: tensors)) is (not bad)


def test_it_looks_at_products_where_the_tensors_are_not_certain_to_tell() -> None:
    tensors = [tf.fill([3], tf.float32.max)]

    def finite(factor: float) -> bool:
        certain = [tf.constant(factor <= 1)]
        return bool(finite_by_sum(tensors, certain, lambda: [one * factor for one in tensors]))

    assert finite(0.5)
    assert not finite(2.0)


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


def test_a_large_tensor_is_added_up_and_others_are_asked_for_each_element() -> None:
    def operations_on(tensor: tf.Tensor) -> set[str]:
        traced = tf.function(lambda one: every_element_is_finite([one]), autograph=False)
        [given] = traced.get_concrete_function(tensor).inputs
        return {operation.type for operation in given.consumers()}

    assert operations_on(tf.ones(LARGE)) == {"Sum", "StatelessIf"}
    assert operations_on(tf.ones([2**17 - 1])) == {"IsFinite"}
    assert operations_on(tf.ones(LARGE, tf.float16)) == {"IsFinite"}
