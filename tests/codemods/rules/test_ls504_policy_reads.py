# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left, check_noop, check_transformed


def test_tests_for_none() -> None:
    check_transformed(
        """
        import tensorflow as tf
        p = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
        a = p.loss_scale is None
        b = layer.dtype_policy.loss_scale is not None
        """,
        """
        import tensorflow as tf
        p = tf.keras.mixed_precision.Policy("mixed_float16")
        a = p.name != "mixed_float16"
        b = layer.dtype_policy.name == "mixed_float16"
        """,
    )


def test_other_reads_are_left() -> None:
    check_left(
        """
        import tensorflow as tf  # mixed_precision.experimental
        print(layer.dtype_policy.loss_scale, layer.dtype_policy.should_cast_variables)
        """,
        "no loss scale any more",
        "should_cast_variables is gone",
    )
    check_noop("import tensorflow as tf  # LossScale\nprint(flags.loss_scale is None)\n")
