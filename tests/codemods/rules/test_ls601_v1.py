# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_noop, check_transformed


def test_wrapper_with_its_loss_scale() -> None:
    check_transformed(
        """
        import tensorflow as tf
        scale = tf.train.experimental.DynamicLossScale()
        opt = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(opt, scale)
        """,
        """
        import tensorflow as tf
        scale = tf.compat.v1.mixed_precision.DynamicLossScale()
        opt = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(opt, scale)
        """,
    )


def test_a_type_test_of_the_wrapper() -> None:
    check_transformed(
        """
        from tensorflow.python.training.experimental import loss_scale_optimizer as lso
        ok = isinstance(opt, lso.MixedPrecisionLossScaleOptimizer)
        """,
        """
        from tensorflow.compat.v1 import mixed_precision as lso
        ok = isinstance(opt, lso.MixedPrecisionLossScaleOptimizer)
        """,
    )


def test_names_of_today() -> None:
    check_noop(
        """
        import tensorflow.compat.v1 as tf
        opt = tf.mixed_precision.MixedPrecisionLossScaleOptimizer(opt, "dynamic")
        opt = tf.mixed_precision.enable_mixed_precision_graph_rewrite(tf.train.AdamOptimizer())
        """
    )


def test_the_function_that_switches_the_graph_rewrite_off() -> None:
    check_transformed(
        """
        import tensorflow.compat.v1 as tf
        tf.train.experimental.disable_mixed_precision_graph_rewrite()
        """,
        """
        import tensorflow.compat.v1 as tf
        tf.mixed_precision.disable_mixed_precision_graph_rewrite()
        """,
    )
