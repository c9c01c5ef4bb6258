# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from compat_lossscale.core import reference
from tests.support import INF, NAN, Mode, scalar_spec


def test_unscaling_divides_each_gradient_in_its_own_dtype_and_kind(mode: Mode) -> None:
    def unscale(scale: tf.Tensor) -> list[Any]:
        sparse = tf.IndexedSlices(tf.constant([[4.0]]), tf.constant([1]), tf.constant([3, 1]))
        given = [tf.constant([2.0, 8.0]), None, sparse, tf.constant(6.0, tf.float16)]
        dense, nothing, sparse, half = reference.unscale_gradients(given, scale)
        assert nothing is None
        return [dense, sparse.values, sparse.indices, sparse.dense_shape, half]

    found = mode.compile(unscale, scalar_spec())(2.0)
    for value, expected in zip(found, [[1.0, 4.0], [[2.0]], [1], [3, 1], 3.0], strict=True):
        np.testing.assert_array_equal(value, expected)
    assert found[-1].dtype == np.float16


@pytest.mark.parametrize(("value", "finite"), [(1.0, True), (NAN, False), (-INF, False)])
def test_every_element_has_to_be_finite(mode: Mode, value: float, finite: bool) -> None:
    def ask(value: tf.Tensor) -> list[Any]:
        tensors = [tf.ones([2]), tf.stack([1.0, value])]
        return [
            reference.every_element_is_finite(tensors),
            reference.every_element_is_finite(tensors[1:]),
            reference.every_element_is_finite([]),
        ]

    assert mode.compile(ask, scalar_spec())(value) == [finite, finite, True]
