# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_lossscale.pages.page import MAX_LINE, as_html, lines_of, prose, shown


def plain(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


@given(st.text(max_size=80))
def test_every_line_says_what_the_source_said(source: str) -> None:
    expected = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not expected[-1]:
        expected.pop()
    assert lines_of(source) == expected


@given(st.text(max_size=80))
def test_no_text_can_make_an_element(text: str) -> None:
    assert set(re.findall(r"<[^>]*>", shown(text))) <= {'<span class="hidden">', "</span>"}


def test_code_has_marks() -> None:
    line = "def f(): return 'x'  # why"
    assert as_html(line) == "def f(): return &#39;x&#39;  # why"
    assert as_html("x = f(1)", [(4, 5)]) == "x = <mark>f</mark>(1)"
    assert plain(as_html(line, [(0, 6), (20, 26)])) == line


def test_a_long_line_is_cut_and_says_so() -> None:
    line = "x" * (MAX_LINE + 1_500)
    assert plain(as_html(line)) == "x" * MAX_LINE + " … 1,500 more characters"
    assert as_html(line, [(MAX_LINE - 1, MAX_LINE + 1), (MAX_LINE + 2, MAX_LINE + 3)]) == (
        f'{"x" * (MAX_LINE - 1)}<mark>x</mark><span class="cut"> … 1,500 more characters</span>'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x00b", 'a<span class="hidden">U+0000</span>b'),
        ("\u202eabc", '<span class="hidden">U+202E</span>abc'),
        ("\ud800", '<span class="hidden">U+D800</span>'),
        ("tab\tand é stay", "tab\tand é stay"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_prose_has_code_and_links() -> None:
    assert prose("Use `a<b>`, see https://example.org/a#b: it <i>") == (
        "Use <code>a&lt;b&gt;</code>, see "
        '<a href="https://example.org/a#b">https://example.org/a#b</a>: it &lt;i&gt;'
    )
