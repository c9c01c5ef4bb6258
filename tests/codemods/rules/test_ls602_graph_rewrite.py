# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left, check_review, check_transformed

SWITCH = 'tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})'
ENABLE = "enable_mixed_precision_graph_rewrite"


def test_a_keras_optimizer_with_every_loss_scale() -> None:
    for given, new in (
        ("", ""),
        (", 'dynamic'", ""),
        (", loss_scale=8", ", dynamic=False, initial_scale=8"),
        (", tf.train.experimental.DynamicLossScale(8)", ", initial_scale=8"),
    ):
        check_transformed(
            f"""
            import tensorflow as tf
            def make():
                opt = tf.keras.optimizers.Adam()
                opt = tf.train.experimental.{ENABLE}(opt{given})
                return tf.train.experimental.{ENABLE}(tf.optimizers.SGD())
            """.replace("tf.optimizers", "tf.keras.optimizers"),
            f"""
            import tensorflow as tf
            def make():
                opt = tf.keras.optimizers.Adam()
                opt = tf.keras.mixed_precision.LossScaleOptimizer(opt{new})
                {SWITCH}
                {SWITCH}
                return tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD())
            """,
        )


def test_an_imported_name() -> None:
    check_transformed(
        f"""
        from tensorflow.train.experimental import {ENABLE}
        from tensorflow import keras
        opt = {ENABLE}(keras.optimizers.Adam())
        """,
        """
        from tensorflow import keras
        from tensorflow.config.optimizer import set_experimental_options
        opt = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.Adam())
        set_experimental_options({"auto_mixed_precision": True})
        """,
    )


def test_v1_optimizers_and_v1_programs() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        x = tf.placeholder(tf.float32)
        opt = tf.train.experimental.{ENABLE}(opt)
        """,
        f"""
        import tensorflow as tf
        x = tf.placeholder(tf.float32)
        opt = tf.compat.v1.mixed_precision.{ENABLE}(opt)
        """,
    )
    check_transformed(
        f"import tensorflow.compat.v1 as tf\nopt = tf.train.experimental.{ENABLE}(opt)\n",
        f"import tensorflow.compat.v1 as tf\nopt = tf.mixed_precision.{ENABLE}(opt)\n",
    )


def test_a_keras_optimizer_under_the_name_of_today() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        opt = tf.compat.v1.mixed_precision.{ENABLE}(tf.keras.optimizers.Adam())
        """,
        f"""
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.Adam())
        {SWITCH}
        """,
    )


def test_what_is_left() -> None:
    check_left(
        f"""
        import tensorflow as tf
        with pytest.raises(ValueError):
            tf.train.experimental.{ENABLE}(tf.keras.optimizers.SGD())
        """,
        "expects an error here",
    )
    check_left(
        f"import tensorflow as tf\ndef f(o):\n    return tf.train.experimental.{ENABLE}(o)\n",
        "not proven",
    )
    check_left(
        f"""
        import tensorflow as tf
        o = tf.keras.optimizers.Adam()
        if x: o = tf.train.experimental.{ENABLE}(o)
        """,
        "no line for one here",
    )


def test_tests_of_the_function_keep_it() -> None:
    check_left(
        f"""
        import tensorflow as tf
        class RewriteTest(tf.test.TestCase):
            def tearDown(self):
                tf.compat.v1.mixed_precision.disable_mixed_precision_graph_rewrite()

            def test_wrap_optimizer(self):
                opt = tf.compat.v1.mixed_precision.{ENABLE}(tf.keras.optimizers.SGD(), 123.)
                self.assertEqual(self.evaluate(opt.loss_scale), 123.)

            def helper(self):
                tf.compat.v1.mixed_precision.{ENABLE}(tf.keras.optimizers.SGD())
        """,
        "needs the function",
        "needs the function",
    )
    check_left(
        f"""
        import tensorflow as tf
        def test_it():
            opt = tf.compat.v1.mixed_precision.{ENABLE}(tf.keras.optimizers.SGD())
            assert isinstance(opt, tf.keras.optimizers.Optimizer)
        """,
        "needs the function",
    )


def test_a_function_that_runs_the_test_set_is_no_test() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        def test(data):
            opt = tf.train.experimental.{ENABLE}(tf.keras.optimizers.SGD())
            return evaluate(data, opt)
        """,
        f"""
        import tensorflow as tf
        def test(data):
            opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD())
            {SWITCH}
            return evaluate(data, opt)
        """,
    )


def test_a_file_that_also_sets_policies() -> None:
    for policy in (
        "tf.keras.mixed_precision.set_global_policy(name)",
        "tf.keras.mixed_precision.Policy(name)",
    ):
        check_left(
            f"""
            import tensorflow as tf
            {policy}
            opt = tf.train.experimental.{ENABLE}(tf.keras.optimizers.SGD())
            """,
            "this file sets policies",
        )
    check_review(
        f"""
        import tensorflow as tf
        tf.keras.mixed_precision.experimental.set_policy(name)
        opt = tf.train.experimental.{ENABLE}(tf.keras.optimizers.SGD())
        """,
        f"""
        import tensorflow as tf
        tf.keras.mixed_precision.set_global_policy(name)
        opt = tf.train.experimental.{ENABLE}(tf.keras.optimizers.SGD())
        """,
        "this file sets policies",
    )
