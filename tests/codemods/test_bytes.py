# SPDX-License-Identifier: Apache-2.0
"""Every byte outside of an edit is kept; what the parser cannot keep is refused with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods import Status, migrate_source
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.options import Options

if TYPE_CHECKING:
    from pathlib import Path

OLD = b"import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
NEW = b"import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
BOM = b"\xef\xbb\xbf"
ENCODINGS = [
    "ascii", "utf-8", "latin-1", "iso-8859-15", "cp1252", "cp1251", "koi8-r", "mac-roman",
    "shift_jis", "cp932", "euc-jp", "gb2312", "gbk", "gb18030", "big5", "euc-kr", "johab",
    "tis-620",
]  # fmt: skip


def check_kept(head: bytes, tail: bytes, newline: bytes = b"\n") -> None:
    old, new = OLD.replace(b"\n", newline), NEW.replace(b"\n", newline)
    result = migrate_source(head + old + tail)
    assert result.problem == ""
    assert result.output == head + new + tail


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encodings(encoding: str, newline: bytes) -> None:
    texts = ("naïve café", "Привет", "表示ソ能", "中文", "한국어", "ภาษาไทย", "")
    text = next(t for t in texts if t.encode(encoding, "ignore").decode(encoding) == t)
    head = f"# -*- coding: {encoding} -*-\nx = '''{text}'''  # {text}\n".encode(encoding)
    tail = f"y = '{text}'".encode(encoding)
    check_kept(head.replace(b"\n", newline), tail, newline)


SURROUNDINGS = {
    "byte order mark": (BOM, b""),
    "byte order mark and cookie": (BOM + b"# coding: utf-8\n", b""),
    "CRLF here and there": (b"x = 1\r\n", b"y = 2\r\nz = 3\n"),
    "carriage return in a string": (b"'''a\rb'''\n", b""),
    "tabs": (b"if 1:\n\tx = 1\n\tif 2:\n\t\ty\t=\t2\t\n", b"\t# end\n"),
    "form feed in a comment": (b"# \x0c\n", b""),
    "form feed in a string": (b"'\x0c'\n", b""),
    "no newline at the end": (b"", b"x = 1"),
    "white space on empty lines": (b"\n   \n\t\n", b""),
    "a carriage return among others": (b"x = 1\ry = 2\n", b""),
    "backslash continuations": (b"x = 1 + \\\n    2\n", b"y = \\\n  3\n"),
    "a line of five million bytes": (b"x = '" + b"a" * 5_000_000 + b"'\n", b""),
    "five million bytes": (b"'''" + (b"a" * 999 + b"\n") * 5_000 + b"'''\n", b""),
    "two hundred thousand lines": (b"'''" + b"ab\n" * 200_000 + b"'''\n", b""),
    "control characters": (b"# \x01\x02\x1b[2J\x7f\n", b"'\x1b'\n"),
    "unusual line separators": ("# \u2028 \u2029 \x85\n'\u2028'\n".encode(), b""),
    "astral characters": ("x = '\U0001f600'  # \U0001f600\n".encode(), "é = 1\n".encode()),
    "a shebang": (b"#!/usr/bin/env python3\n", b""),
    "semicolons": (b"x = 1; y = 2;\n", b"z = 3 ; w = 4 ;\n"),
}  # fmt: skip


@pytest.mark.parametrize("what", SURROUNDINGS)
def test_surroundings(what: str) -> None:
    check_kept(*SURROUNDINGS[what])


REFUSED = {
    "form feed before code": (OLD + b"\x0cx = 1\n", "form feed"),
    "carriage returns only": (b"x = 1\r" + OLD.replace(b"\n", b"\r"), "carriage return"),
    "white space behind the last statement": (OLD + b"\n  \n", "white space"),
    "a null byte": (OLD + b"# \0\n", ""),
    "utf-16 cookie": (b"# coding: utf-16\n" + OLD, ""),
    "unknown cookie": (b"# coding: klingon\n" + OLD, "decoded"),
    "no text": (b"# coding: hex\n" + OLD, ""),
    "broken utf-8": (OLD + b"# \xff\n", "decoded"),
    "latin-1 without a cookie": (OLD + b"x = '\xe9'\n", "decoded"),
    "byte order mark against the cookie": (BOM + b"# coding: latin-1\n" + OLD, ""),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_with_the_reason(what: str) -> None:
    source, reason = REFUSED[what]
    result = migrate_source(source)
    assert result.status in (Status.REFUSED, Status.UNREADABLE)
    assert result.output == source
    assert result.problem
    assert reason in result.problem


def test_utf_16_is_left_alone_as_python_does_not_run_it() -> None:
    source = OLD.decode().encode("utf-16")
    with pytest.raises((SyntaxError, ValueError)):
        compile(source, "utf-16.py", "exec")
    result = migrate_source(source)
    assert (result.status, result.output) == (Status.UNCHANGED, source)


NESTED = {
    "parentheses": lambda n: "(" * n + "1" + ")" * n,
    "lists": lambda n: "[" * n + "]" * n,
    "dictionaries": lambda n: "{1:" * n + "1" + "}" * n,
    "calls": lambda n: "f(" * n + ")" * n,
    "call chains": lambda n: "f" + "()" * n,
    "attributes": lambda n: "a" + ".b" * n,
    "subscripts": lambda n: "a" + "[0]" * n,
    "additions": lambda n: "1" + " + 1" * n,
    "powers": lambda n: "1" + " ** 1" * n,
    "conditions": lambda n: "1" + " and 1" * n,
    "signs": lambda n: "-" * n + "1",
    "negations": lambda n: "not " * n + "1",
    "lambdas": lambda n: "lambda: " * n + "1",
    "conditional expressions": lambda n: "1 if 1 else " * n + "1",
    "strings in a row": lambda n: "'a' " * n,
    "f-strings": lambda n: "f'{" * n + "1" + "}'" * n,
    "walruses": lambda n: "(y:=" * n + "1" + ")" * n,
    "unclosed": lambda n: "(" * n,
    "elif": lambda n: "1\nif 1: pass\n" + "elif 1: pass\n" * n,
    # Of 2,000 blocks, the text has two million spaces; of 20,000 it would have 200 million.
    "blocks": lambda n: (
        "1\n"
        + "".join(" " * i + "if 1:\n" for i in range(min(n, 2_000)))
        + " " * min(n, 2_000)
        + "pass"
    ),
}


def test_an_expression_of_a_thousand_operators_says_which_limit_it_is() -> None:
    result = migrate_source(OLD + f"x = {NESTED['additions'](1_000)}\n".encode())
    assert result.status is Status.UNREADABLE
    assert result.problem.startswith("Python's recursion limit (")
    assert "operators" in result.problem


@pytest.mark.parametrize("depth", [1_000, 20_000])
def test_deep_nesting_costs_no_other_file(tmp_path: Path, depth: int) -> None:
    """libcst's parser ends the process where its stack ends."""
    for number, nested in enumerate(NESTED.values()):
        (tmp_path / f"{number}.py").write_bytes(OLD + f"x = {nested(depth)}\n".encode())
    (tmp_path / "z.py").write_bytes(OLD)
    *deep, last = migrate_files.run([tmp_path], Options()).files
    assert len(deep) == len(NESTED)
    assert {file.result.status for file in deep} == {Status.UNREADABLE}
    assert all(file.result.problem for file in deep)
    assert last.result.output == NEW
