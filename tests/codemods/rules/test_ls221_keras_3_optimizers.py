# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source
from lossscale_codemods.project.byte_scan import can_hold_old_name
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options

from tests.codemods.checks import check_review, check_transformed

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
NUMPY = "import numpy as np\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
EMBEDDING = "layer = tf.keras.layers.Embedding(3, 2)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("SGD(lr=0.1)", "SGD(learning_rate=0.1)"),
        ("legacy.Adam(0.1)", "Adam(0.1)"),
        ("experimental.Adam(0.1)", "Adam(0.1)"),
    ],
)  # fmt: skip
def test_arguments_are_mapped(before: str, after: str) -> None:
    check_transformed(
        f"{OLD}opt = tf.keras.optimizers.{before}\n",
        f"{NEW}opt = tf.keras.optimizers.{after}\n",
        target="keras3",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("opt = tf.keras.optimizers.Nadam(0.1)", "another schedule"),
        ("opt = tf.keras.optimizers.RMSprop(0.1)", "adds epsilon under the root"),
        ("opt = tf.keras.optimizers.SGD(**settings)", "gets its arguments elsewhere"),
        ("opt = tf.keras.optimizers.SGD(0.1, clipnorm=1.0, clipvalue=1.0)", "one way at a time"),
        ("opt = tf.keras.optimizers.SGD(0.1, clipnorm=a, clipvalue=b)", "that are not None"),
        ("opt = tf.keras.optimizers.SGD(0.1, gradient_transformers=[f])", "does not take"),
        ("opt = tf.keras.optimizers.SGD(0.1, jit_compile=False)", "does not take jit_compile"),
        ("opt = tf.keras.optimizers.SGD(tf.Variable(0.1))", "takes a float or a schedule"),
        ("opt = tf.keras.optimizers.SGD(1)", "takes a float or a schedule"),
        (f"{NUMPY}opt = tf.keras.optimizers.SGD(np.float32(0.1))", "takes a float or a schedule"),
        (
            f"{NUMPY}def r():\n    return np.array(0.1)\n\nopt = tf.keras.optimizers.SGD(r())",
            "takes a float or a schedule",
        ),
        ("opt = tf.keras.optimizers.Adam(0.1, epsilon=None)", "the default of epsilon"),
        ("opt = tf.keras.optimizers.SGD(None)", "takes a float or a schedule"),
        ("opt = tf.keras.optimizers.Adam.from_config(config)", "configs of old optimizers"),
        ("class Mine(tf.keras.optimizers.Optimizer):\n    pass", "other methods"),
        ("opt = tf.keras.optimizers.SGD(0.1, 0.9, True, 'mine')", "is not the same"),
        ("opt = tf.keras.optimizers.SGD(0.1, decay=d)", "takes no notice of `decay`"),
        ("opt = tf.keras.optimizers.SGD(lr=0.1, decay=d)", "`decay`. Write `learning_rate`"),
        ("opt = tf.keras.optimizers.RMSprop(lr=0.1)", "less. Write `learning_rate` for `lr`"),
        ("import functools\nopt = functools.partial(tf.keras.optimizers.SGD, decay=d)", "takes no"),
        ("opt = tf.keras.optimizers.SGD(0.1, momentum=tf.Variable(0.9))", "a float alone"),
        ("opt = tf.keras.optimizers.SGD(0.1, 0)", "a float alone"),
        (f"opt = tf.keras.optimizers.SGD(0.1, 0.9)\n{EMBEDDING}", "some rows of a variable"),
        (f"opt = tf.keras.optimizers.Adamax(0.1)\n{EMBEDDING}", "some rows of a variable"),
        (f"opt = tf.keras.optimizers.Adagrad(0.1)\n{EMBEDDING}", "squares each"),
    ],
)
def test_what_is_refused_or_computed_otherwise_is_reported(line: str, message: str) -> None:
    check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", message, target="keras3")


@pytest.mark.parametrize(
    "line",
    [
        "opt = tf.keras.optimizers.SGD(0.1, 0.9, True)",
        "opt = tf.keras.optimizers.RMSprop(0.1, momentum=0.9)",
        "opt = tf.keras.optimizers.AdamW(0.1)",
        "opt = tf.keras.optimizers.SGD(0.1, decay=0.0)",
        "opt = tf.keras.optimizers.SGD(0.1, clipnorm=None, global_clipnorm=1.0)",
        f"opt = tf.keras.optimizers.SGD(0.1)\n{EMBEDDING}",
    ],
)
def test_what_stays_right(line: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{line}\n", target="keras3")


def test_rows_are_summed_by_the_wrapper_of_this_package() -> None:
    old, new = (text.replace("float32", "mixed_float16") for text in (OLD, NEW))
    lines = f"opt = tf.keras.optimizers.Adam(0.1)\n{EMBEDDING}\n"
    check_transformed(old + lines, new + lines, target="keras3")
    check_review(old + lines, new + lines, "squares each", target="keras3-alone")


def test_nothing_sums_rows_where_a_condition_leaves_the_policy_out() -> None:
    head = "import sys\nimport tensorflow as tf\n"
    policy = "tf.keras.mixed_precision.experimental.set_policy"
    lines = f"opt = tf.keras.optimizers.Adam(0.1)\n{EMBEDDING}\n"
    for set_ in (
        f"if '--half' in sys.argv:\n    {policy}('mixed_float16')\n",
        f"{policy}('mixed_float16' if '--half' in sys.argv else 'float32')\n",
    ):
        new = set_.replace("experimental.set_policy", "set_global_policy")
        check_review(head + set_ + lines, head + new + lines, "squares each", target="keras3")
    for test in ("__name__ == '__main__'", "tf.__version__ >= '2.1'"):
        set_ = f"if {test}:\n    {policy}('mixed_float16')\n"
        result = migrate_source(head + set_ + lines, target="keras3")
        assert [one for one in result.records if one.rule == "LS221"] == []


@pytest.mark.parametrize(("before", "count"), [("if '--half' in sys.argv:\n    ", 1), ("", 0)])
def test_nothing_sums_rows_where_a_condition_leaves_the_wrapper_out(
    before: str, count: int
) -> None:
    head = "import sys\nimport tensorflow as tf\nopt = tf.keras.optimizers.Adam(0.1)\n"
    wrap = "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
    result = migrate_source(f"{head}{before}{wrap}{EMBEDDING}\n", target="keras3")
    assert sum(one.rule == "LS221" for one in result.records) == count


def test_the_finding_names_the_old_learning_rate_too() -> None:
    line = "opt = tf.keras.optimizers.RMSprop(lr=0.1)\n"
    check_review(f"{OLD}{line}", f"{NEW}{line}", "Write `learning_rate` for `lr`", target="keras3")


def test_a_program_without_old_names_is_left() -> None:
    line = "import tensorflow as tf\nopt = tf.keras.optimizers.SGD(lr=0.1)\n"
    check_transformed(line, line, target="keras3")


def test_a_program_of_names_of_today_with_old_arguments() -> None:
    head = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
    before = f"{head}opt = tf.keras.optimizers.SGD({{}}=0.1)\n"
    assert can_hold_old_name(before.format("lr").encode(), Options(Target.KERAS3))
    after = before.format("learning_rate")
    check_transformed(before.format("lr"), after, target="keras3")


@pytest.mark.parametrize(
    ("import_", "made"),
    [("", "tf.keras.optimizers{}.SGD"), ("from tensorflow.keras.optimizers{} import SGD\n", "SGD")],
)
def test_a_program_of_names_of_today_that_says_its_family(import_: str, made: str) -> None:
    policy = "tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
    lines = f"import tensorflow as tf\n{import_}{policy}opt = {made}(0.1)\n"
    before = lines.replace("{}", ".legacy")
    assert can_hold_old_name(before.encode(), Options(Target.KERAS3))
    check_transformed(before, lines.replace("{}", ""), target="keras3")
    check_transformed(before, before, target="tf-keras")
    check_transformed(
        before.replace("policy", "seed"), before.replace("policy", "seed"), target="keras3"
    )


@pytest.mark.parametrize("made", ["RMSprop(0.1)", "Nadam(0.1)"])
def test_the_family_is_named_with_what_is_otherwise(made: str) -> None:
    old = f"{OLD}opt = tf.keras.optimizers.legacy.{{}}\n"
    new = f"{NEW}opt = tf.keras.optimizers.{{}}\n"
    left = new.format(f"legacy.{made}")
    message = "Take it from tf.keras.optimizers: Keras 3 has one family"
    check_review(old.format(made), left, message, target="keras3")
