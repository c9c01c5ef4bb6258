# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
import tensorflow as tf

from compat_lossscale.core.finite import every_element_is_finite
from tests.support import INF, NAN

DTYPES = (tf.float16, tf.bfloat16, tf.float32, tf.float64)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("compiled", [False, True], ids=["", "xla"])
@pytest.mark.parametrize(
    ("numbers", "finite"),
    [
        ([], True),
        ([1.0, -2.0], True),
        ([NAN, 1.0], False),
        ([1.0, INF], False),
        ([-INF, 0.0], False),
        ([0.0] * 5000 + [NAN], False),
    ],
    ids=["empty", "finite", "nan", "inf", "-inf", "last"],
)
def test_an_infinity_or_a_nan_anywhere_is_found(
    dtype: tf.DType, compiled: bool, numbers: list[float], finite: bool
) -> None:
    values = [tf.constant([[1.0]], dtype), tf.cast(tf.constant(numbers, tf.float64), dtype)]
    ask = tf.function(lambda: every_element_is_finite(values), jit_compile=compiled or None)
    assert bool(ask()) is finite


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_the_largest_finite_numbers_are_finite(dtype: tf.DType) -> None:
    values = [tf.fill([3], tf.constant(float(dtype.max), dtype))] * 3
    assert bool(every_element_is_finite(values))


def test_to_ask_about_many_is_one_operation_of_a_graph() -> None:
    values = [tf.constant([1.0])] * 9
    asked = tf.function(lambda: every_element_is_finite(values)).get_concrete_function()
    assert asked.structured_outputs.shape == []
    types = {op.type for op in asked.graph.get_operations()}
    assert "PartitionedCall" in types
    assert "DebugNumericSummaryV2" not in types
    assert bool(asked())


@pytest.mark.parametrize(("last", "finite"), [(1.0, True), (NAN, False)])
def test_it_is_found_in_a_graph_of_tensorflow_1(last: float, finite: bool) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(every_element_is_finite([tf.constant([1.0, last])] * 9)) == finite
