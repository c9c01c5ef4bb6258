# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_review, check_transformed


def test_calls_and_reads() -> None:
    check_transformed(
        """
        from tensorflow.keras.mixed_precision.experimental import get_layer_policy
        import tensorflow as tf
        a = get_layer_policy(model.layers[0]).compute_dtype
        b = tf.keras.mixed_precision.experimental.get_layer_policy(x or y)
        """,
        """
        a = model.layers[0].dtype_policy.compute_dtype
        b = (x or y).dtype_policy
        """,
    )


def test_what_is_left_keeps_its_import() -> None:
    check_review(
        """
        from tensorflow.keras.mixed_precision.experimental import get_layer_policy
        a = get_layer_policy(x)
        b = map(get_layer_policy, layers)
        """,
        """
        from tensorflow.keras.mixed_precision.experimental import get_layer_policy
        a = x.dtype_policy
        b = map(get_layer_policy, layers)
        """,
        "an attribute now",
        "line 3 still needs it",
    )
