# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left, check_noop, check_review, check_transformed


def test_a_parameter_or_attribute_called_tf() -> None:
    check_left(
        """
        class Trainer:
            def __init__(self, tf):
                self.tf = tf
            def wrap(self, opt):
                return self.tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 8)
        """,
        "LS104",
    )


def test_a_relative_import_that_cannot_be_looked_up() -> None:
    check_left(
        """
        from .compat import tf
        tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
        """,
        "LS104",
    )


def test_it_is_found_for_every_target() -> None:
    check_left(
        "def build(tf):\n    return tf.keras.mixed_precision.experimental.Policy('float32')\n",
        "LS104",
        target="compat",
    )


def test_other_packages_and_own_classes() -> None:
    check_noop(
        """
        import sparse_operation_kit as sok
        opt = sok.tf.keras.mixed_precision.LossScaleOptimizer(opt, 1024)
        """
    )
    check_noop(
        """
        class LossScaleOptimizer:
            def __init__(self, opt, loss_scale): ...
        opt = LossScaleOptimizer(opt, "dynamic")
        """
    )
    check_left(
        "from mylib import tf\ntf.keras.mixed_precision.experimental.set_policy('x')\n",
        "where its first part comes from",
    )


def test_what_a_call_returns() -> None:
    for name in (
        "contrib.mixed_precision().LossScaleOptimizer(opt, manager)",
        "contrib_mixed_precision().ExponentialUpdateLossScaleManager(8, 1)",
        "get_tf().keras.mixed_precision.experimental.set_policy('x')",
        "modules['tf'].keras.mixed_precision.experimental.set_policy('x')",
        "getattr(root.keras, 'mixed_precision').experimental.set_policy('x')",
    ):
        check_left(f"{name}\n", "where its first part comes from")
    check_noop("opt = new_mixed_precision().LossScaleOptimizer(opt)\n")
    check_noop("opt = self.tf().keras.mixed_precision.LossScaleOptimizer(opt)\n")


def test_a_member_of_a_module_of_any_name() -> None:
    check_left(
        "def f(mixed_precision, prec):\n    prec.experimental.set_policy('mixed_float16')\n",
        "where its first part comes from",
    )
    check_noop("import mixed_precision as m\nm.experimental.LossScaleOptimizer(opt, 1)\n")


def test_modules_that_are_imported_by_a_function() -> None:
    check_transformed(
        """
        import importlib
        mp = importlib.import_module("tensorflow.keras.mixed_precision")
        mp.experimental.set_policy("mixed_float16")
        """,
        """
        import importlib
        mp = importlib.import_module("tensorflow.keras.mixed_precision")
        mp.set_global_policy("mixed_float16")
        """,
    )
    check_review(
        """
        import importlib
        mp = importlib.import_module("tensorflow.keras.mixed_precision").experimental
        mp.set_policy("mixed_float16")
        """,
        """
        import importlib
        from tensorflow.keras.mixed_precision import set_global_policy
        mp = importlib.import_module("tensorflow.keras.mixed_precision").experimental
        set_global_policy("mixed_float16")
        """,
        "where its first part comes from",
    )
