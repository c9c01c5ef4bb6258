# SPDX-License-Identifier: Apache-2.0
"""A loss scale in a variable is written into the call where it means the same there."""

from __future__ import annotations

from tests.codemods.checks import check_left, check_transformed

WRAP = "tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale)"


def test_a_global_variable_stays_for_whoever_reads_it() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        def wrap(opt):
            global scale
            scale = tf.train.experimental.FixedLossScale(8)
            return {WRAP}
        """,
        """
        import tensorflow as tf
        def wrap(opt):
            global scale
            scale = tf.compat.v1.mixed_precision.FixedLossScale(8)
            return tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic=False, initial_scale=8)
        """,
    )


def test_a_call_in_its_arguments_is_not_moved_past_another_statement() -> None:
    check_left(
        f"""
        import tensorflow as tf
        def wrap(opt, numbers):
            scale = tf.train.experimental.FixedLossScale(next(numbers))
            steps = next(numbers)
            return {WRAP}, steps
        """,
        "the values that scale is made from may change before it is used",
        "it belongs to the optimizer on line 5",
    )


def test_a_call_in_its_arguments_moves_to_the_next_statement() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        def wrap(opt, numbers):
            scale = tf.train.experimental.FixedLossScale(next(numbers))
            return {WRAP}
        """,
        """
        import tensorflow as tf
        def wrap(opt, numbers):
            return tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic=False, initial_scale=next(numbers))
        """,  # noqa: E501  # a program, as it was written
    )


def test_a_name_in_its_arguments_moves_past_other_statements() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        def wrap(opt, number):
            scale = tf.train.experimental.FixedLossScale(number)
            log(number)
            return {WRAP}
        """,
        """
        import tensorflow as tf
        def wrap(opt, number):
            log(number)
            return tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic=False, initial_scale=number)
        """,  # noqa: E501  # a program, as it was written
    )
