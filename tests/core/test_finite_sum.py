# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from compat_lossscale.core.finite_sum import can_be_summed, total
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
