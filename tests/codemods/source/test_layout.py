# SPDX-License-Identifier: Apache-2.0
"""Of statements that were edited, brackets are joined or hung, and they stay the same program."""

from __future__ import annotations

import pytest
from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.source.layout import laid_out
from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.records import Edit

from tests.codemods.checks import reviews

HEAD = "import tensorflow as tf\n"
OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"


def check(before: str, after: str, head: str = HEAD) -> None:
    options = Options(line_length=79)
    result = migrate_fully((head + before).encode(), options)
    assert result.text == head + after
    assert result.problem == ""
    assert reviews(result) == []
    assert migrate_fully(result.output, options).output == result.output


def edited(before: str, new: str, length: int = 40) -> str:
    """Returns a text in which `edited` was replaced."""
    start = before.index("edited")
    return laid_out(before.encode(), [Edit(start, start + 6, new)], length).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("edited(\n    a, b\n)\n", "e(a, b)\n"),
        ("f(\n    edited)\n", "f(e)\n"),
        ("f(\n    g(\n        edited\n    )\n)\n", "f(g(e))\n"),
        ("f(a)(\n    edited\n)\n", "f(a)(e)\n"),
        ("f(\n    edited, (1,)\n)\n", "f(e, (1,))\n"),
        ("x = [\n    edited\n]\n", "x = [e]\n"),
        ("x[\n    edited\n]\n", "x[e]\n"),
        ("from a import (\n    b, edited)\n", "from a import b, e\n"),
        ("edited = 1, f(\n    a\n)\n", "e = 1, f(a)\n"),
        ("f(\n    a\n)(\n    edited\n)\n", "f(\n    a\n)(e)\n"),
        ("if f(\n    edited\n):\n    pass\n", "if f(e):\n    pass\n"),
    ],
)
def test_what_hangs_is_joined(before: str, after: str) -> None:
    assert edited(before, "e") == after


@pytest.mark.parametrize(
    "before",
    [
        "f(\n    edited,\n)\n",  # A magic trailing comma.
        "f(\n    edited,\n    b)\n",  # One argument a line, as someone wanted it.
        "f(\n    edited  # why\n)\n",
        'f(\n    edited, """a\nb"""\n)\n',
        "f(\n    a + \\\n    edited\n)\n",
        "x = (\n    edited\n)\n",
        "return_value = (\n    edited, b\n)\n",
        f"f(\n    edited, {'b' * 90}\n)\n",  # No room.
        "a(\n    b\n)\nedited\n",
    ],
)
def test_what_is_left_open(before: str) -> None:
    assert edited(before, "e") == before.replace("edited", "e")


def test_what_got_no_shorter_hangs_for_another_reason() -> None:
    assert edited("opt = Adam(\n    edited\n)\n", "longer") == "opt = Adam(\n    longer\n)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = edited(first, second)\n", "x = {}(\n    first, second\n)\n"),
        ("    x = edited(first)\n", "    x = {}(\n        first\n    )\n"),
        ("\tx = edited(first)\r\n", "\tx = {}(\r\n\t\tfirst\r\n\t)\r\n"),
        ("x = edited(first[0]).call()\n", "x = {}(\n    first[0]\n).call()\n"),
        ("f(edited, 22)\n", "f(\n    {},\n    22,\n)\n"),
    ],
)
def test_a_line_that_gets_too_long_hangs(before: str, after: str) -> None:
    program = f"if x:\n{before}" if before[0].isspace() else before
    new = "a" * 34
    assert edited(program, new).endswith(after.format(new))


@pytest.mark.parametrize(
    "before",
    [
        "x = edited(first, second)  # noqa: X1\n",
        "x = edited()\n",
        "x = edited\n",
        "import edited\n",
        "edited['first', 'second']\n",
        "edited(a=rates['a_name'],\n       b=1)\n",  # What could be hung is a subscript.
        f"x = edited(first)\n{'y' * 60} = 1\n",
    ],
)
def test_what_has_no_bracket_to_hang_is_left(before: str) -> None:
    length = 80 if "y" in before else 40
    assert edited(before, "a" * 34, length) == before.replace("edited", "a" * 34)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(\n    x=edited, y=2\n)\n", "f(\n    x={},\n    y=2,\n)\n"),
        (
            "f(\n    [1], edited, y=(2, 3), **z\n)\n",
            "f(\n    [1],\n    {},\n    y=(2, 3),\n    **z,\n)\n",
        ),
        ("f(\n  x=edited, y=2\n)\n", "f(\n  x={},\n  y=2,\n)\n"),
        ("f(\n    edited(a)\n)\n", "f(\n    {}(\n        a\n    )\n)\n"),
        (
            "f(\n    edited(lambda a, b: 1), lambda a, b: 2\n)\n",
            "f(\n    {}(\n        lambda a, b: 1\n    ), lambda a, b: 2\n)\n",
        ),
        ("f(\n    (edited, a) for a, b in c\n)\n", "f(\n    ({}, a) for a, b in c\n)\n"),
    ],
)
def test_arguments_that_hang_already_get_a_line_each(before: str, after: str) -> None:
    assert edited(before, "a" * 34) == after.format("a" * 34)


def test_other_lines_of_a_statement_are_left_long() -> None:
    other = f"    y=g({'b' * 40}),\n"
    assert edited(f"f(\n    edited,\n{other})\n", "longer") == f"f(\n    longer,\n{other})\n"


def test_a_line_that_is_no_longer_than_it_was_is_left() -> None:
    check(
        f"the_optimizer_of_this_model = {OLD}(the_inner_optimizer, 'dynamic')\n",
        f"the_optimizer_of_this_model = {NEW}(the_inner_optimizer)\n",
    )


def test_an_added_line_hangs_too() -> None:
    rewrite = "tf.train.experimental.enable_mixed_precision_graph_rewrite"
    check(
        f"def fit():\n    opt = tf.keras.optimizers.legacy.SGD()\n    opt = {rewrite}(opt)\n",
        "def fit():\n    opt = tf.keras.optimizers.legacy.SGD()\n"
        f"    opt = {NEW}(opt)\n"
        "    tf.config.optimizer.set_experimental_options(\n"
        '        {"auto_mixed_precision": True}\n    )\n',
    )


def test_a_call_with_one_argument_left_is_joined() -> None:
    check(f"opt = {OLD}(\n    opt,\n    loss_scale='dynamic')\n", f"opt = {NEW}(opt)\n")


def test_statements_that_were_not_edited_are_left() -> None:
    other = "f(\n    a\n)\n"
    check(f"{other}opt = {OLD}(opt, 'dynamic')\n{other}", f"{other}opt = {NEW}(opt)\n{other}")


def test_what_the_tokenizer_does_not_read_is_only_edited() -> None:
    assert edited("x = (edited\n", "a" * 50) == f"x = ({'a' * 50}\n"
