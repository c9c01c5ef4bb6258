# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source
from lossscale_codemods.tables.names import Target

from tests.codemods.checks import check_left, check_noop, check_review, check_transformed

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
                return opt
            """,
            f"""
            import tensorflow as tf
            def make():
                opt = tf.keras.optimizers.legacy.Adam()
                opt = tf.keras.mixed_precision.LossScaleOptimizer(opt{new})
                {SWITCH}
                return opt
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
        opt = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.legacy.Adam())
        set_experimental_options({"auto_mixed_precision": True})
        """,
    )


def test_a_v1_program_makes_a_v1_optimizer_likely() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        x = tf.zeros([])
        other = tf.train.AdamOptimizer()
        opt = tf.train.experimental.{ENABLE}(opt)
        """,
        f"""
        import tensorflow as tf
        x = tf.zeros([])
        other = tf.train.AdamOptimizer()
        opt = tf.compat.v1.mixed_precision.{ENABLE}(opt)
        """,
        unsafe_fixes=True,
    )


def test_the_path_of_the_function_does_not_tell_the_kind_of_optimizer() -> None:
    for source in (
        f"import tensorflow.compat.v1 as tf\nopt = tf.train.experimental.{ENABLE}(opt)\n",
        f"import tensorflow as tf\nopt = tf.compat.v1.train.experimental.{ENABLE}(opt)\n",
        (
            "import tensorflow as tf\n"
            "x = tf.zeros([])\n"
            "other = tf.keras.optimizers.legacy.Adam()\n"
            f"opt = tf.train.experimental.{ENABLE}(opt)\n"
        ),
    ):
        check_left(source, "not proven")
    check_transformed(
        f"""
        import tensorflow as tf
        opt = tf.compat.v1.train.experimental.{ENABLE}(tf.keras.optimizers.SGD())
        """,
        f"""
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.legacy.SGD())
        {SWITCH}
        """,
    )


@pytest.mark.parametrize(
    "use",
    [
        "grads = opt.compute_gradients(loss)",
        "opt.minimize(loss, global_step=step)",
        "loss = opt.get_scaled_loss(loss)",
        "opt.minimize(loss, var_list=v)",
    ],
)
def test_what_is_called_does_not_tell_the_kind(use: str) -> None:
    source = (
        "import tensorflow as tf\n"
        "def train(opt, other):\n"
        f"    opt = tf.train.experimental.{ENABLE}(opt)\n"
        f"    {use}\n"
    )
    check_left(source, "not proven")
    assert migrate_source(source, unsafe_fixes=True).text == source


def test_the_switch_is_under_the_condition_of_the_call() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        def make(fp16):
            sgd = tf.keras.optimizers.SGD()
            opt = tf.train.experimental.{ENABLE}(sgd) if fp16 else sgd
            return opt
        """,
        f"""
        import tensorflow as tf
        def make(fp16):
            sgd = tf.keras.optimizers.legacy.SGD()
            opt = tf.keras.mixed_precision.LossScaleOptimizer(sgd) if fp16 else sgd
            if fp16:
                {SWITCH}
            return opt
        """,
    )
    call = f"tf.train.experimental.{ENABLE}(tf.keras.optimizers.legacy.SGD())"
    for other in (
        f"fp16 = {call} if fp16 else None",
        f"opt = {call} if on() else None",
        f"opt = None if fp32 else {call}",
    ):
        check_left(f"import tensorflow as tf\n{other}\n", "there is no line for one here")


@pytest.mark.parametrize(
    "place",
    [
        "if amp: opt = {call}",
        "opt = {call}; go()",
        "def f(): return {call}",
        "{call}.apply(x)",
        "m.compile({call}, loss=f())",
        "a, b = {call}, 1",
        "x = amp and {call}",
        "x = lambda: {call}",
        "x = [{call} for _ in range(2)]",
        "def f(opt={call}): pass",
        "while {call}: pass",
        "for x in {call}: pass",
        "with {call} as x: pass",
        "if {call}: pass",
        "assert {call}",
        "x = y = g({call} if amp else opt)",
        "@use({call})\ndef f(): pass",
        "class A(use({call})): pass",
    ],
)
def test_where_the_switch_has_no_place(place: str) -> None:
    call = f"tf.train.experimental.{ENABLE}(opt)"
    head = "import tensorflow as tf\nopt = tf.keras.optimizers.legacy.Adam()\n"
    check_left(head + place.format(call=call) + "\n", "it needs a second statement")


def test_a_keras_optimizer_under_the_name_of_today() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        opt = tf.compat.v1.mixed_precision.{ENABLE}(tf.keras.optimizers.Adam())
        """,
        f"""
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.legacy.Adam())
        {SWITCH}
        """,
    )


def test_what_is_left() -> None:
    check_left(
        f"import tensorflow as tf\ndef f(o):\n    return tf.train.experimental.{ENABLE}(o)\n",
        "not proven",
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
            opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.legacy.SGD())
            {SWITCH}
            return evaluate(data, opt)
        """,
    )


def test_unsafe_fixes_in_a_file_that_also_sets_policies() -> None:
    for policy in ("tf.keras.mixed_precision.set_global_policy", "print"):
        check_transformed(
            f"""
            import tensorflow as tf
            {policy}(name)
            opt = tf.train.experimental.{ENABLE}(tf.keras.optimizers.SGD())
            """,
            f"""
            import tensorflow as tf
            {policy}(name)
            opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.legacy.SGD())
            {SWITCH}
            """,
            unsafe_fixes=True,
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
            opt = tf.train.experimental.{ENABLE}(tf.keras.optimizers.legacy.SGD())
            """,
            "one is set beside it",
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
        opt = tf.train.experimental.{ENABLE}(tf.keras.optimizers.legacy.SGD())
        """,
        "one is set beside it",
    )


def test_a_function_beside_one_that_sets_a_policy_has_it_written_out() -> None:
    def program(call: str, setter: str) -> str:
        return f"""
            import tensorflow as tf

            def configure():
                opt = tf.keras.optimizers.legacy.SGD()
                {call}
                return opt

            def set_up(name):
                tf.keras.mixed_precision.{setter}(name)
            """

    check_transformed(
        program(f"opt = tf.train.experimental.{ENABLE}(opt)", "experimental.set_policy"),
        program(
            f"opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n{' ' * 16}{SWITCH}",
            "set_global_policy",
        ),
    )


def test_with_compat_the_function_of_today_is_respelled_around_keras_optimizers_alone() -> None:
    head = "import tensorflow as tf\nopt = "
    call = f"tf.compat.v1.mixed_precision.{ENABLE}"
    keras = f"{head}tf.keras.optimizers.legacy.SGD(0.5)\nopt = {call}(opt)\n"
    ours = keras.replace("tf.compat.v1.mixed_precision", "compat_lossscale.v1")
    ours = ours.replace(head, head.replace("opt", "import compat_lossscale\nopt"))
    check_transformed(keras, ours, target=Target.COMPAT)
    v1 = f"{head}tf.compat.v1.train.GradientDescentOptimizer(0.5)\nopt = {call}(opt)\n"
    check_noop(v1, target=Target.COMPAT)
