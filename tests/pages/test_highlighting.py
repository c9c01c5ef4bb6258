# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_lossscale.pages.page import (
    MAX_LINE,
    MAX_SOURCE,
    as_html,
    lines_of,
    prose,
    shown,
    text_of,
)


def plain(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


@given(st.text(max_size=80))
def test_every_line_says_what_the_source_said(source: str) -> None:
    expected = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not expected[-1]:
        expected.pop()
    for language in ("python", "json"):
        assert [text_of(line) for line in lines_of(source, language)] == expected


@given(st.text(max_size=80))
def test_no_text_can_make_an_element(text: str) -> None:
    assert set(re.findall(r"<[^>]*>", shown(text))) <= {'<span class="hidden">', "</span>"}


def test_code_has_classes_and_marks() -> None:
    (line,) = lines_of("def f(): return 'x'  # why", "python")
    assert as_html(line) == (
        '<span class="tk">def</span> <span class="tf">f</span>(): <span class="tk">return</span> '
        '<span class="ts">&#39;x&#39;</span>  '
        '<span class="tc"># why</span>'
    )
    assert "<mark>f</mark>" in as_html(lines_of("x = f(1)", "python")[0], [(4, 5)])
    assert plain(as_html(line, [(0, 6), (20, 26)])) == text_of(line)


def test_a_mark_reaches_over_pieces_in_one() -> None:
    (line,) = lines_of("a.b = 1", "python")
    assert as_html(line, [(0, 3)]) == '<mark>a.b</mark> = <span class="tn">1</span>'


def test_a_string_over_several_lines_is_one_on_each() -> None:
    lines = lines_of('"""a\nb"""\n', "python")
    assert [as_html(line) for line in lines] == [
        '<span class="ts">&#34;&#34;&#34;a</span>',
        '<span class="ts">b&#34;&#34;&#34;</span>',
    ]


def test_a_long_line_is_cut_and_says_so() -> None:
    (line,) = lines_of("x" * (MAX_LINE + 1_500), "python")
    assert plain(as_html(line)) == "x" * MAX_LINE + " … 1,500 more characters"


def test_a_huge_text_has_no_colours() -> None:
    source = "def f(): pass\n" * (MAX_SOURCE // 14 + 1)
    assert lines_of(source, "python")[0] == [("", "def f(): pass")]


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
