# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left, check_review, check_transformed


def test_an_alias_of_keras_is_seen_through() -> None:
    check_transformed(
        """
        import tensorflow as tf
        K = tf.keras
        K.mixed_precision.experimental.set_policy("mixed_float16")
        """,
        """
        import tensorflow as tf
        K = tf.keras
        K.mixed_precision.set_global_policy("mixed_float16")
        """,
    )


def test_an_alias_of_a_class() -> None:
    check_transformed(
        """
        from tensorflow import keras
        base = keras.mixed_precision.experimental.LossScaleOptimizer
        opt = base(opt, "dynamic")
        """,
        """
        from tensorflow import keras
        base = keras.mixed_precision.LossScaleOptimizer
        opt = base(opt)
        """,
    )


def test_an_alias_in_another_scope_is_another_name() -> None:
    check_transformed(
        """
        import tensorflow as tf
        mp = tf.keras.mixed_precision.experimental

        def other(mp):
            return mp.set_policy("x")

        def ours():
            mp.set_policy("mixed_float16")
        """,
        """
        import tensorflow as tf
        mp = tf.keras.mixed_precision

        def other(mp):
            return mp.set_policy("x")

        def ours():
            mp.set_global_policy("mixed_float16")
        """,
    )


def test_aliases_that_agree() -> None:
    check_transformed(
        """
        import tensorflow as tf
        if flag:
            mp = tf.keras.mixed_precision.experimental
        else:
            mp = tf.compat.v2.keras.mixed_precision.experimental
        mp.set_policy("mixed_float16")
        """,
        """
        import tensorflow as tf
        if flag:
            mp = tf.keras.mixed_precision
        else:
            mp = tf.compat.v2.keras.mixed_precision
        mp.set_global_policy("mixed_float16")
        """,
    )


def test_an_alias_that_may_be_something_else() -> None:
    check_left(
        """
        import tensorflow as tf
        mp = tf.keras.mixed_precision.experimental
        if flag:
            mp = fake
        mp.set_policy("mixed_float16")
        """,
        "LS101",
        "something else",
    )


def test_an_alias_that_is_none_at_first() -> None:
    check_transformed(
        """
        import tensorflow as tf
        mp = None
        if flag:
            mp = tf.keras.mixed_precision.experimental
        if mp is not None:
            mp.set_policy("mixed_float16")
        """,
        """
        import tensorflow as tf
        mp = None
        if flag:
            mp = tf.keras.mixed_precision
        if mp is not None:
            mp.set_global_policy("mixed_float16")
        """,
    )


def test_an_escaping_alias_stays_with_all_its_uses_respelled_through_the_root() -> None:
    check_review(
        """
        import tensorflow as tf
        mp = tf.keras.mixed_precision.experimental
        mp.set_policy("mixed_float16")
        configure(mp)
        """,
        """
        import tensorflow as tf
        mp = tf.keras.mixed_precision.experimental
        tf.keras.mixed_precision.set_global_policy("mixed_float16")
        configure(mp)
        """,
        "must stay what it is",
        "cannot be seen here",
    )


def test_an_attribute_of_another_object_with_the_same_name_is_an_escape() -> None:
    check_left(
        """
        import tensorflow as tf
        class A:
            def __init__(self):
                self.mp = tf.keras.mixed_precision.experimental
        A().mp.set_policy("mixed_float16")
        """,
        "LS101",
    )


def test_a_class_returned_from_a_property() -> None:
    check_left(
        """
        import tensorflow as tf
        class A:
            @property
            def wrapper(self):
                return tf.keras.mixed_precision.experimental.LossScaleOptimizer
        """,
        "how it will be called cannot be seen here",
    )
