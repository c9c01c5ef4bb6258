# SPDX-License-Identifier: Apache-2.0
"""Asking whether every element of many tensors is finite."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from compat_lossscale.core.traced import TracedOnce, compiled_by_xla

_ANY_NOT_FINITE = 2
"""The mode (`CURT_HEALTH`) in which a summary is (tensor_id, whether any element is not finite)."""


def every_element_is_finite(values: Sequence[tf.Tensor]) -> tf.Tensor:
    """Whether every element of every tensor is finite.

    Args:
        values: At least one tensor, of any shapes and floating-point dtypes.

    Returns:
        A bool scalar tensor.
    """
    if compiled_by_xla():
        # It has no such operation as the one below, and makes one pass of these two by itself.
        return tf.reduce_all([tf.reduce_all(tf.math.is_finite(value)) for value in values])
    finite: tf.Tensor = _all_finite(values)
    return finite


def _ask(values: list[tf.Tensor]) -> tf.Tensor:
    # The one operation that asks exactly this: one pass over each tensor, and nothing kept of it.
    summaries = [
        tf.raw_ops.DebugNumericSummaryV2(
            input=value, tensor_debug_mode=_ANY_NOT_FINITE, tensor_id=0
        )
        for value in values
    ]
    total = summaries[0] if len(summaries) == 1 else tf.raw_ops.AddN(inputs=summaries)
    finite = tf.raw_ops.All(input=tf.raw_ops.Equal(x=total, y=0.0), axis=0)
    # TensorFlow does not say what shape a summary has, and a branch would make a scalar of this.
    finite.set_shape([])
    return finite


_all_finite = TracedOnce(_ask, in_graphs=True)
