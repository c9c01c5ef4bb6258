# SPDX-License-Identifier: Apache-2.0
"""Statements that were edited are laid out as Black would, and as the same program."""

from __future__ import annotations

import pytest
from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.vocabulary.options import AS_THE_FILE, Options

from tests.codemods.checks import reviews

HEAD = "import tensorflow as tf\n"
OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"


def check(before: str, after: str, head: str = HEAD) -> None:
    options = Options(line_length=AS_THE_FILE)
    result = migrate_fully((head + before).encode(), options)
    assert result.text == head + after
    assert result.problem == ""
    assert reviews(result) == []
    assert migrate_fully(result.output, options).output == result.output


def test_what_hangs_with_one_argument_left_is_joined() -> None:
    check(f"opt = {OLD}(\n    opt,\n    loss_scale='dynamic')\n", f"opt = {NEW}(opt)\n")


def test_what_hung_for_want_of_room_is_joined_where_there_is_room_now() -> None:
    check(
        "tf.keras.mixed_precision.experimental.set_policy(\n    'mixed_float16'\n)\n",
        "tf.keras.mixed_precision.set_global_policy('mixed_float16')\n",
    )


def test_the_call_around_it_is_joined_as_well() -> None:
    check(
        f"model.compile(\n    {OLD}(\n        opt, 'dynamic'\n    )\n)\n",
        f"model.compile({NEW}(opt))\n",
    )


def test_parentheses_around_a_right_side_go_with_the_need_for_them() -> None:
    check(f"opt = (\n    {OLD}(opt, 'dynamic')\n)\n", f"opt = {NEW}(opt)\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A magic trailing comma.
        ("(\n    opt,\n    loss_scale='dynamic',\n)", "(\n    opt,\n)"),
        # A comment.
        ("(\n    # inner\n    opt,\n    'dynamic'\n)", "(\n    # inner\n    opt\n)"),
        # One argument a line, as someone wanted it.
        (
            "(\n    opt,\n    loss_scale=128)",
            "(\n    opt,\n    dynamic=False,\n    initial_scale=128)",
        ),
        # A text of several lines.
        ('(\n    f("""a\nb"""),\n    "dynamic"\n)', '(\n    f("""a\nb""")\n)'),
        # A backslash.
        ("(\n    a + \\\n    b, 'dynamic'\n)", "(\n    a + \\\n    b\n)"),
    ],
)
def test_what_is_to_stay_open_stays_so(before: str, after: str) -> None:
    check(f"opt = {OLD}{before}\n", f"opt = {NEW}{after}\n")


def test_a_list_that_hangs_is_joined_too() -> None:
    check(f"opts = [\n    {OLD}(opt, 'dynamic')\n]\n", f"opts = [{NEW}(opt)]\n")


def test_statements_that_were_not_edited_are_left() -> None:
    other = "f(\n    a\n)\n"
    check(f"{other}opt = {OLD}(opt, 'dynamic')\n{other}", f"{other}opt = {NEW}(opt)\n{other}")


def test_a_line_that_gets_too_long_is_wrapped() -> None:
    check(
        f"optimizer = {OLD}(opt, loss_scale=1024)\n",
        f"optimizer = {NEW}(\n    opt, dynamic=False, initial_scale=1024\n)\n",
    )


def test_a_line_that_is_no_longer_than_it_was_is_left() -> None:
    check(
        f"the_optimizer_of_this_model = {OLD}(the_inner_optimizer, 'dynamic')\n",
        f"the_optimizer_of_this_model = {NEW}(the_inner_optimizer)\n",
    )


def test_an_added_line_is_wrapped_too() -> None:
    rewrite = "tf.train.experimental.enable_mixed_precision_graph_rewrite"
    check(
        f"def fit():\n    opt = tf.keras.optimizers.legacy.SGD()\n    opt = {rewrite}(opt)\n",
        "def fit():\n    opt = tf.keras.optimizers.legacy.SGD()\n"
        f"    opt = {NEW}(opt)\n"
        "    tf.config.optimizer.set_experimental_options(\n"
        '        {"auto_mixed_precision": True}\n    )\n',
    )


def test_a_closing_bracket_stands_where_the_file_has_them() -> None:
    other = "f(\n    a)\n"
    check(
        f"{other}optimizer = {OLD}(opt, loss_scale=1024)\n",
        f"{other}optimizer = {NEW}(\n    opt, dynamic=False, initial_scale=1024)\n",
    )


def test_newlines_and_tabs_are_the_file_s_own() -> None:
    before = (
        f"import tensorflow as tf\r\ndef fit(opt):\r\n\toptimizer = {OLD}(opt, loss_scale=1024)\r\n"
    )
    after = (
        "import tensorflow as tf\r\ndef fit(opt):\r\n"
        f"\toptimizer = {NEW}(\r\n\t\topt, dynamic=False, initial_scale=1024\r\n\t)\r\n"
    )
    check(before, after, head="")
