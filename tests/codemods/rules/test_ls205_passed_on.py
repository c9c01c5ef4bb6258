# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_review, check_transformed, program

OLD = "tf.keras.mixed_precision.experimental"


def test_what_escapes() -> None:
    for expression in (
        f"functools.partial({OLD}.LossScaleOptimizer, loss_scale=8)",
        f"f({OLD})",
        f"[{OLD}.Policy]",
        f"{OLD}.LossScaleOptimizer.from_config(c)",
    ):
        check_left(f"import tensorflow as tf\nx = {expression}\n", "LS205")


def test_a_name_of_the_module_that_is_replaced() -> None:
    replaced = f"import tensorflow as tf\n{OLD}.set_policy = fake\n"
    check_left(replaced, "is replaced here")
    use = f"{OLD}.set_policy('mixed_float16')\n"
    check_left(replaced + use, "is replaced here", "is replaced here")


def test_what_is_only_asked_for() -> None:
    check_transformed(
        f"import tensorflow as tf\nok = {OLD} is not None\n",
        "import tensorflow as tf\nok = tf.keras.mixed_precision is not None\n",
    )


def test_private_parts_that_are_gone() -> None:
    module = "tensorflow.python.keras.mixed_precision.experimental"
    check_left(
        f"from {module} import test_util\nuse(test_util.something)\n",
        "the import stays as it is",
        "a private part of TensorFlow",
    )
    check_left(
        f"from {module}.policy import PolicyV1\nisinstance(x, PolicyV1)\n",
        "the import stays as it is",
        "a private part of TensorFlow",
    )


@pytest.mark.parametrize("name", ["autocast_variable", "device_compatibility_check"])
def test_private_modules_that_tf_keras_has(name: str) -> None:
    check_transformed(
        f"from tensorflow.python.keras.mixed_precision.experimental import {name}\n"
        f"{name}.something = use({name})\n",
        f"from tf_keras.src.mixed_precision import {name}\n{name}.something = use({name})\n",
    )


def test_a_private_part_that_another_branch_has_from_today() -> None:
    old = "tensorflow.python.keras.mixed_precision"
    check_left(
        f"""
        if is_new():
            from {old} import autocast_variable
        else:
            from {old}.experimental import autocast_variable
        use(autocast_variable.AutoCastVariable)
        """,
        "has no equivalent",
        "TensorFlow's private copy of Keras",
    )


PROPERTY = """
    import tensorflow as tf


    class Settings:
        @property
        def wrapper(self):
            return tf.keras.mixed_precision{}.LossScaleOptimizer


    class Trainer:
        def __init__(self, optimizer{}):
            self.settings = {}
            self.optimizer = self.settings.wrapper(optimizer{})
    """


@pytest.mark.parametrize(
    "more",
    [
        "print(Settings().wrapper)",
        "Settings().wrapper(opt, **options)",
        "class Other(Settings):\n    wrapper = 1\nOther().wrapper(opt, 8)",
        "getattr(Settings(), 'wrapper')",
    ],
)
def test_a_property_with_other_uses_is_left(more: str) -> None:
    before = program(PROPERTY.format(".experimental", "", "Settings()", ', loss_scale="dynamic"'))
    check_left(f"{before}\n\n{more}\n", "how it will be called")


def test_what_to_do_about_members_of_the_class() -> None:
    for member, advice in (
        ("__name__", "Look at what it is used for"),
        ("from_config", "The optimizer of tf-keras has no from_config"),
    ):
        check_left(
            f"import tensorflow as tf\nx = "
            f"tf.keras.mixed_precision.experimental.LossScaleOptimizer.{member}\n",
            advice,
        )


@pytest.mark.parametrize("function", ["type(a)", "a.__class__"])
@pytest.mark.parametrize("arguments", ["tf.keras.optimizers.legacy.Adam(), 48", "b, loss_scale=8"])
def test_a_class_that_is_called_through_an_optimizer(function: str, arguments: str) -> None:
    head = "import tensorflow as tf\na = tf.keras.mixed_precision{}.LossScaleOptimizer(b{})\n"
    use = f"c = {function}({arguments})\n"
    before, after = head.format(".experimental", ', "dynamic"') + use, head.format("", "") + use
    check_review(before, after, "the current one takes no loss_scale")
    check_left(after, "the current one takes no loss_scale")


@pytest.mark.parametrize(
    "call", ["type(opt)(0.1, 0.9)", "type(opt)(inner)", "type(x)(1, 'dynamic')"]
)
def test_other_calls_of_a_class_through_an_object(call: str) -> None:
    check_left(
        f"import tensorflow as tf\ntf.keras.mixed_precision.LossScaleOptimizer\nx = {{}}\n{call}\n"
    )


def test_a_name_among_others_stays_if_a_use_of_it_is_left() -> None:
    check_review(
        """
        import tensorflow as tf
        E = tf.keras.mixed_precision.experimental
        one, set_policy = 1, E.set_policy
        set_policy.x
        """,
        """
        import tensorflow as tf
        E = tf.keras.mixed_precision.experimental
        one, set_policy = 1, E.set_policy
        set_policy.x
        """,
        "the name E must stay",
        "the name set_policy must stay what it is: line 4 still needs it",
        "x of the class is not the same",
    )


def test_members_of_the_classes_of_loss_scales_stay() -> None:
    check_transformed(
        """
        import tensorflow as tf
        E = tf.mixed_precision.experimental
        F, D = E.FixedLossScale, E.DynamicLossScale
        D.from_config({})
        """,
        """
        import tensorflow as tf
        E = tf.compat.v1.mixed_precision
        F, D = E.FixedLossScale, E.DynamicLossScale
        D.from_config({})
        """,
    )


def test_a_module_that_may_be_the_old_one_can_be_asked_for_a_member() -> None:
    check_review(
        """
        import tensorflow as tf
        try:
            from tensorflow.keras.mixed_precision import experimental as mp
        except ImportError:
            from tensorflow.keras import mixed_precision as mp
        if hasattr(mp, "set_policy"):
            mp.set_policy("mixed_float16")
        else:
            mp.set_global_policy("mixed_float16")
        """,
        """
        import tensorflow as tf
        try:
            from tensorflow.keras.mixed_precision import experimental as mp
        except ImportError:
            from tensorflow.keras import mixed_precision as mp
        if hasattr(mp, "set_policy"):
            mp.set_policy("mixed_float16")
        else:
            mp.set_global_policy("mixed_float16")
        """,
        "the branch for old versions",
    )
