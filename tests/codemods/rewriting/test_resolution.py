# SPDX-License-Identifier: Apache-2.0
"""What is decided whatever rule asks: tests of errors, and names that are old on some ways only."""

from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_review, check_transformed

ROUNDS = """
    import tensorflow as tf
    set_policy = tf.keras.mixed_precision.{first}
    for name in names:
        set_policy(name)
        set_policy = tf.keras.mixed_precision.{then}
    """


@pytest.mark.parametrize(
    "context", ["pytest.raises(ValueError)", "self.assertRaises(ValueError)", "raises"]
)
def test_what_is_expected_to_raise_an_error_is_migrated_like_all_else(context: str) -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        with {context}:
            tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 8)
        """,
        f"""
        import tensorflow as tf
        with {context}:
            tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic=False, initial_scale=8)
        """,
    )
    check_transformed(
        f"""
        import tensorflow as tf
        with {context}:
            tf.keras.mixed_precision.experimental.set_policy("float8")
        """,
        f"""
        import tensorflow as tf
        with {context}:
            tf.keras.mixed_precision.set_global_policy("float8")
        """,
    )


def test_a_name_that_is_old_on_some_ways_and_its_successor_on_the_others_moves() -> None:
    check_transformed(
        ROUNDS.format(first="experimental.set_policy", then="set_global_policy"),
        ROUNDS.format(first="set_global_policy", then="set_global_policy"),
    )


@pytest.mark.parametrize("new", ["set_global_policy", "Policy"])
def test_a_name_that_a_guard_chooses_is_right_as_it_is_on_the_versions_of_today(new: str) -> None:
    check_left(
        f"""
        import tensorflow as tf
        if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
            set_policy = tf.keras.mixed_precision.experimental.set_policy
        else:
            set_policy = tf.keras.mixed_precision.{new}
        set_policy("float32")
        """,
        "the branch for old versions",
    )


def test_a_name_that_is_old_on_some_ways_and_something_else_on_the_others_stays() -> None:
    check_left(
        ROUNDS.format(first="experimental.set_policy", then="Policy"),
        "on other ways through the program this name stands for something else",
        "must stay what it is",
    )


def test_an_alias_of_what_has_no_equivalent_stays() -> None:
    check_review(
        """
        import tensorflow as tf
        policy_of = tf.keras.mixed_precision.experimental.get_layer_policy
        print(policy_of(layer), tf)
        """,
        """
        import tensorflow as tf
        policy_of = tf.keras.mixed_precision.experimental.get_layer_policy
        print(layer.dtype_policy, tf)
        """,
        "the name policy_of must stay what it is",
    )


@pytest.mark.parametrize(
    "old",
    [
        "tf.keras.mixed_precision.experimental",
        "tf.python.keras.mixed_precision.experimental.loss_scale_optimizer",
    ],
)
def test_a_class_that_stays_once_keeps_no_other(old: str) -> None:
    new = "tf.keras.mixed_precision"
    program = f"""
        import tensorflow as tf
        class Mine({old}.LossScaleOptimizer):
            pass
        print(isinstance(opt, {{}}.LossScaleOptimizer))
        """
    check_review(program.format(old), program.format(new), "a subclass")


def test_an_alias_may_be_assigned_to_itself() -> None:
    check_transformed(
        """
        from tensorflow.keras import mixed_precision as mp
        mp = mp.experimental
        mp.set_policy('mixed_float16')
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        mp = mp
        mp.set_global_policy('mixed_float16')
        """,
    )
    head = "from tensorflow.keras import mixed_precision as mp\n"
    other = f"{head}new = mp{{}}\nprint(new.Policy(1).name)\n"
    check_transformed(other.format(".experimental"), other.format(""))


def test_what_shows_its_source_is_left() -> None:
    head = "import tensorflow as tf\nopt = tf.keras.mixed_precision.{}LossScaleOptimizer(inner{})\n"
    line = 'print(f"{opt.loss_scale()=}", f"{opt.loss_scale()}")\n'
    check_review(
        head.format("experimental.", ", 'dynamic'") + line,
        head.format("", "") + line.replace('loss_scale()}"', 'loss_scale}"'),
        "its source is printed with its value",
    )
