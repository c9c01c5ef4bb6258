# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast

import pytest
from lossscale_codemods.editing.wrapping import Style, wrapped


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("value = call(first, second)", "value = call(\n    first, second\n)"),
        (
            "value = call(first, second, third, fourth)",
            "value = call(\n    first,\n    second,\n    third,\n    fourth,\n)",
        ),
        ("    value = call(first, sec)", "    value = call(\n        first, sec\n    )"),
        ("\tvalue = function(first, second)", "\tvalue = function(\n\t\tfirst, second\n\t)"),
        ("value = call(first, second).x()", "value = call(\n    first, second\n).x()"),
        ("call({'first': 1, 'second': 2})", "call(\n    {'first': 1, 'second': 2}\n)"),
        (
            "value = one if other else last",
            "value = (\n    one if other else last\n)",
        ),
        (
            "return the_first(1) if the_second else the_third(2)",
            "return (\n    the_first(1)\n    if the_second\n    else the_third(2)\n)",
        ),
        (
            "from module import first, second",
            "from module import (\n    first,\n    second,\n)",
        ),
        (
            "value = call(first,\n             second, third, f)",
            "value = call(first,\n             second,\n             third, f)",
        ),
        (
            "value = call(first, sec, t,\n             f)",
            "value = call(first, sec,\n             t,\n             f)",
        ),
        (
            "call(\n    first, second, third, fourth)",
            "call(\n    first, second, third,\n    fourth)",
        ),
        (
            "value = [first, second, third, fourth, fifth]",
            "value = [\n    first,\n    second,\n    third,\n    fourth,\n    fifth,\n]",
        ),
        (
            "value = (first, second, third, f, g)",
            "value = (\n    first,\n    second,\n    third,\n    f,\n    g,\n)",
        ),
        (
            "value = call(item for item in everything)",
            "value = call(\n    item for item in everything\n)",
        ),
    ],
)
def test_how_a_long_line_is_wrapped(before: str, after: str) -> None:
    result = wrapped(before, 26)
    assert result == after
    program = "def f():\n  {}\n"
    same = [ast.dump(ast.parse(program.format(one.strip()))) for one in (before, result)]
    assert same[0] == same[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("value = call(first, second)", "value = call(\n    first, second)"),
        (
            "value = call(first, second, third, fourth)",
            "value = call(\n    first, second, third,\n    fourth)",
        ),
        ("call(\n    give(the_second, last))", "call(\n    give(\n        the_second, last))"),
        (
            "value = call(f(first, s),\n             give(seconds))",
            "value = call(f(first, s),\n             give(\n                 seconds))",
        ),
        ("value = one if other else last", "value = (\n    one if other else last)"),
        ("from module import first, second", "from module import (\n    first,\n    second)"),
    ],
)
def test_a_closing_bracket_stands_where_the_file_has_them(before: str, after: str) -> None:
    assert wrapped(before, 26, Style(closes_apart=False)) == after


def test_a_line_behind_a_backslash_breaks_in_its_brackets() -> None:
    before = "value = one or \\\n    call(first, second, th)"
    after = "value = one or \\\n    call(\n        first, second, th\n    )"
    assert wrapped(before, 26) == after


@pytest.mark.parametrize(
    "statement",
    [
        "value = call(first, other)",
        "a_name_that_is_too_long = 1",
        "value = call(first, \\\n    second_and_third_argument)",
        "value = call(first, second)  # noqa: X1",
        "value = call(first, second)  # type: ignore",
        "value = '''a long text of\nseveral lines that is too long'''",
    ],
)
def test_what_is_left(statement: str) -> None:
    assert wrapped(statement, 26) == statement


def test_a_subscript_gets_no_comma() -> None:
    statement = "value = table[first_key, second_key, third_key]"
    assert wrapped(statement, 30).endswith("third_key\n]")
