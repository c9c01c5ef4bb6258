# SPDX-License-Identifier: Apache-2.0
"""The operations of the update rule on tensors."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat_lossscale.spec import Operations


def _select(condition: Any, a: Any, b: Any) -> Any:
    """`tf.where`, without an operation for what is known while tracing."""
    if isinstance(condition, bool):
        return a if condition else b
    return tf.where(condition, a, b)


ON_TENSORS = Operations(
    select=_select,
    divide=tf.divide,
    maximum=tf.maximum,
    minimum=tf.minimum,
    is_finite=tf.math.is_finite,
    float32=lambda number: number,
)
"""The update rule's arithmetic on float32 and int64 scalar tensors."""
