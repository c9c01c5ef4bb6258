# SPDX-License-Identifier: Apache-2.0
"""Bytes become the text that Python reads, and never an error."""

from __future__ import annotations

import codecs

import pytest
from lossscale_codemods.source.reading import text_of, undecodable


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("x = 'ä'".encode(), "x = 'ä'"),
        (codecs.BOM_UTF8 + "x = 'ä'".encode(), "x = 'ä'"),
        (codecs.BOM_UTF16_LE + "x".encode("utf-16-le"), "x"),
        (codecs.BOM_UTF32_BE + "x".encode("utf-32-be"), "x"),
        ("# coding: latin-1\nx = 'ä'".encode("latin-1"), "# coding: latin-1\nx = 'ä'"),
        (
            "#!python\n# -*- coding: cp1252 -*-\nx = '€'".encode("cp1252"),
            "#!python\n# -*- coding: cp1252 -*-\nx = '€'",
        ),
        ("x = 1\n\n# coding: latin-1 'ä'".encode(), "x = 1\n\n# coding: latin-1 'ä'"),
    ],
)
def test_the_encoding_is_that_of_the_mark_or_the_comment(source: bytes, text: str) -> None:
    assert text_of(source) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (b"x = '\xff'", "x = '\N{REPLACEMENT CHARACTER}'"),
        (b"# coding: no-such\nx = 1", "# coding: no-such\nx = 1"),
        (b"# coding: hex\nx = 1", "# coding: hex\nx = 1"),
    ],
)
def test_what_cannot_be_decoded_is_replaced(source: bytes, text: str) -> None:
    assert text_of(source) == text


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("x = 1".encode("utf-16"), "Python does not read UTF-16. Save it as UTF-8"),
        ("x = 1".encode("utf-32"), "Python does not read UTF-32. Save it as UTF-8"),
        (b"x = 1\n# \xe9\n", "line 2 has the byte 0xe9, which is not UTF-8. Save it as UTF-8, or"),
        (b"# coding: klingon\n", "the reason. Correct its encoding line"),
        (b"x = 1\n", "the reason. Save it as UTF-8"),
    ],
)
def test_the_problem_says_what_to_do(source: bytes, problem: str) -> None:
    assert undecodable(source, "the reason").startswith(f"It cannot be decoded: {problem}")
