# SPDX-License-Identifier: Apache-2.0
"""What Python's own parser does not read is refused with its reason, and libcst never sees it."""

from __future__ import annotations

import ast
import sys

import libcst as cst
import pytest
from lossscale_codemods import Status, migrate_source
from lossscale_codemods.source import reading
from lossscale_codemods.source.reading import parsed

OLD = b"import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
UNREAD = {
    "a mistake": (b"x = 1 +\n", "It does not parse as Python"),
    "a mistake behind a long expression": (
        b"x = 1" + b" + 1" * 12_000 + b"\n(\n",
        "line 4, column 1: '(' was never closed. Correct it, or run with",
    ),
    "Python 2 behind a long expression": (
        b"x = 1" + b" + 1" * 12_000 + b"\nprint 'a'\n",
        "This is Python 2",
    ),
    "brackets": (b"x = " + b"(" * 300 + b"1" + b")" * 300 + b"\n", "nested too deeply"),
    "blocks": (
        b"".join(b" " * i + b"if 1:\n" for i in range(101)) + b" " * 101 + b"pass\n",
        "nested too deeply",
    ),
    "operators": (b"x = 1" + b" + 1" * 1_000 + b"\n", "Python's recursion limit ("),
    "subscripts": (b"x = y" + b"[0]" * 2_000 + b"\n", "Python's recursion limit ("),
    "many more of them": (b"x = y" + b"[0]" * 50_000 + b"\n", "nested too deeply"),
    "a null byte": (b"x = 1\0\n", "null bytes"),
    "no UTF-8": (b"x = '\xe9'\n", "It cannot be decoded"),
}


@pytest.mark.parametrize("what", UNREAD)
def test_libcst_is_not_given_what_python_does_not_read(
    monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.delattr(cst, "parse_module")
    source, reason = UNREAD[what]
    result = migrate_source(OLD + source)
    assert (result.status, result.output) == (Status.UNREADABLE, OLD + source)
    assert reason in result.problem


def test_an_unknown_encoding_is_told_from_a_mistake() -> None:
    problem = reading.problem_of(b"# coding: klingon\n" + OLD) or ""
    assert problem.startswith("It cannot be decoded: unknown encoding")


def test_a_string_that_cannot_be_decoded_is_a_mistake_in_the_program() -> None:
    assert "does not parse" in (reading.problem_of(rb"x = '\N{no such character}'") or "")


@pytest.mark.parametrize(
    "source",
    [OLD, b"", b"x = 1" + b" + 1" * 400, b"await f()\n", b"def f():\n    x = 1; return x\n"],
)
def test_what_can_be_read(source: bytes) -> None:
    assert reading.problem_of(source) is None


def test_what_it_passes_can_be_looked_at() -> None:
    """What is deeper than libcst's visitors go is refused with the same reason."""
    limit = sys.getrecursionlimit()
    assert migrate_source(OLD + chain(limit * 3 // 10)).status is Status.CHANGED
    passed = [n for n in range(limit // 3, limit // 2) if not reading.problem_of(chain(n))]
    assert passed
    result = migrate_source(OLD + chain(passed[-1]))
    assert result.status is Status.CHANGED or result.problem == reading.TOO_RECURSIVE


def chain(operators: int) -> bytes:
    return b"x = 1" + b" + 1" * operators + b"\n"


def test_a_tree_is_given_without_warnings_or_not_at_all(recwarn: pytest.WarningsRecorder) -> None:
    tree = parsed(b'a = "\\d"\n')
    assert tree is not None
    assert isinstance(tree.body[0], ast.Assign)
    assert not recwarn.list
    assert parsed(b"a = (\n") is None
    assert parsed(b"a = \x00\n") is None
    assert parsed(b"(" * 10_000) is None
