# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left, check_review, check_transformed


def test_arguments_and_custom_loss_scales_stay() -> None:
    check_transformed(
        """
        import tensorflow as tf

        class Mine(tf.mixed_precision.experimental.LossScale):
            pass

        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, Mine())
        print(opt.loss_scale(), opt._optimizer)
        tf.keras.mixed_precision.experimental.set_policy("infer")
        """,
        """
        import tensorflow as tf
        import compat_lossscale

        class Mine(compat_lossscale.v1.LossScale):
            pass

        opt = compat_lossscale.experimental.LossScaleOptimizer(opt, Mine())
        print(opt.loss_scale(), opt._optimizer)
        compat_lossscale.experimental.set_policy("infer")
        """.replace("import tensorflow as tf\n        import", "import"),
        target="compat",
    )


def test_imports_and_aliases() -> None:
    check_transformed(
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, set_policy
        from tensorflow.train.experimental import enable_mixed_precision_graph_rewrite as amp
        set_policy(mp.Policy("mixed_float16", loss_scale=None))
        run(LossScaleOptimizer, amp)
        """,
        """
        from compat_lossscale import experimental as mp
        from compat_lossscale.experimental import LossScaleOptimizer, set_policy
        from compat_lossscale.v1 import enable_mixed_precision_graph_rewrite as amp
        set_policy(mp.Policy("mixed_float16", loss_scale=None))
        run(LossScaleOptimizer, amp)
        """,
        target="compat",
    )


def test_its_import_stands_above_its_first_use_where_tensorflow_is_imported_again_below() -> None:
    check_transformed(
        """
        import tensorflow as tf

        first = tf.train.experimental.FixedLossScale(2)
        import tensorflow as tf

        second = tf.train.experimental.FixedLossScale(2)
        """,
        """
        import compat_lossscale

        first = compat_lossscale.v1.FixedLossScale(2)

        second = compat_lossscale.v1.FixedLossScale(2)
        """,
        target="compat",
    )


def test_an_import_within_a_function_goes_with_what_it_was_for() -> None:
    check_transformed(
        """
        def f():
            import tensorflow
            return tensorflow.train.experimental.FixedLossScale(2)
        """,
        """
        import compat_lossscale
        def f():
            return compat_lossscale.v1.FixedLossScale(2)
        """,
        target="compat",
    )


def test_imports_on_one_line_go_together() -> None:
    check_transformed(
        """
        import tensorflow; import tensorflow  # twice
        s = tensorflow.train.experimental.FixedLossScale(2)
        """,
        """
        # twice
        import compat_lossscale
        s = compat_lossscale.v1.FixedLossScale(2)
        """,
        target="compat",
    )


def test_imports_leave_a_line_to_what_else_is_on_it() -> None:
    check_transformed(
        """
        import tensorflow; import tensorflow; print(1); import tensorflow
        s = tensorflow.train.experimental.FixedLossScale(2)
        """,
        """
        import compat_lossscale
        print(1)
        s = compat_lossscale.v1.FixedLossScale(2)
        """,
        target="compat",
    )


def test_guards_are_left_here_too() -> None:
    check_left(
        """
        import tensorflow as tf
        if hasattr(tf.keras.mixed_precision, "experimental"):
            tf.keras.mixed_precision.experimental.set_policy("float32")
        else:
            tf.keras.mixed_precision.set_global_policy("float32")
        """,
        "LS701",
        target="compat",
    )


def test_a_private_member_that_compat_lossscale_lacks() -> None:
    check_left(
        """
        from tensorflow.python.training.experimental import mixed_precision
        mixed_precision._register_wrapper_optimizer_cls(A, B)
        """,
        "the import stays as it is",
        "does not have what is taken from this module",
        target="compat",
    )


def test_a_comparison_of_types_gets_the_new_class_and_is_reported() -> None:
    check_review(
        """
        import tensorflow as tf
        old = tf.keras.mixed_precision.experimental.LossScaleOptimizer
        print(type(opt) is tf.keras.mixed_precision.experimental.LossScaleOptimizer)
        """,
        """
        import compat_lossscale
        old = compat_lossscale.experimental.LossScaleOptimizer
        print(type(opt) is compat_lossscale.experimental.LossScaleOptimizer)
        """,
        "this is never true",
        target="compat",
    )
