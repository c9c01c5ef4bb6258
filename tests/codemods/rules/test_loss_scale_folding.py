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


def test_arguments_stay_in_the_order_in_which_they_are_evaluated() -> None:
    old = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
    new = "tf.keras.mixed_precision.LossScaleOptimizer"
    scale = "tf.train.experimental.DynamicLossScale"
    check_transformed(
        f"""
        import tensorflow as tf
        opt = {old}(opt, {scale}(increment_period=next(it), initial_loss_scale=next(it)))
        opt = {old}(loss_scale={scale}(next(it), next(it)), optimizer=make())
        """,
        f"""
        import tensorflow as tf
        opt = {new}(opt, dynamic_growth_steps=next(it), initial_scale=next(it))
        opt = {new}(initial_scale=next(it), dynamic_growth_steps=next(it), inner_optimizer=make())
        """,
    )


def test_a_call_in_its_arguments_is_not_moved_past_another_argument() -> None:
    for call in (WRAP.replace("(opt,", "(make(numbers),"), f"use(next(numbers), {WRAP})"):
        check_left(
            f"""
            import tensorflow as tf
            def wrap(opt, numbers):
                scale = tf.train.experimental.FixedLossScale(next(numbers))
                return {call}
            """,
            "the values that scale is made from may change before it is used",
            "it belongs to the optimizer on line 4",
        )


def test_a_call_in_its_arguments_is_not_moved_under_a_condition() -> None:
    for call in (f"if amp:\n                    opt = {WRAP}", f"opt = {WRAP} if amp else opt"):
        check_left(
            f"""
            import tensorflow as tf
            def wrap(opt, numbers, amp):
                scale = tf.train.experimental.FixedLossScale(next(numbers))
                {call}
                return opt
            """,
            "the values that scale is made from may change before it is used",
            "it belongs to the optimizer on line",
        )


def test_a_call_in_its_arguments_is_not_done_twice() -> None:
    check_left(
        f"""
        import tensorflow as tf
        def wrap(opt, numbers):
            scale = tf.train.experimental.FixedLossScale(next(numbers))
            return {WRAP}, scale
        """,
        "the values that scale is made from may change before it is used",
        "it belongs to the optimizer on line 4",
    )


def test_values_that_another_call_may_change_are_not_moved_past_it() -> None:
    check_left(
        f"""
        import tensorflow as tf
        def wrap(opt, config):
            scale = tf.train.experimental.FixedLossScale(config.scale)
            update(config)
            return {WRAP}
        """,
        "the values that scale is made from may change before it is used",
        "it belongs to the optimizer on line 5",
    )
    check_left(
        f"""
        import tensorflow as tf
        def wrap(opt, start, amp):
            scale = tf.train.experimental.FixedLossScale(start)
            if amp:
                start = 8
                opt = {WRAP}
            return opt
        """,
        "the values that scale is made from may change before it is used",
        "it belongs to the optimizer on line 6",
    )
    check_left(
        f"""
        import tensorflow as tf
        start = 8
        scale = tf.train.experimental.FixedLossScale(start)
        def wrap(opt):
            return {WRAP}
        start = 16
        """,
        "the values that scale is made from may change before it is used",
        "it belongs to the optimizer on line 5",
    )
