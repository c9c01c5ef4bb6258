# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods.editing.joining import joined
from lossscale_codemods.editing.logical_lines import logical_lines


def join(text: str, touched: str = "edited", limit: int = 79, growth: int = -1) -> str:
    """The first statement of a text, after an edit that wrote a word in it."""
    line = next(iter(logical_lines(text)))
    start = text.index(touched)
    return joined(text, line, [(start, start + len(touched), growth)], limit)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("edited(\n    a, b\n)\n", "edited(a, b)"),
        ("f(\n    edited)\n", "f(edited)"),
        ("f(\n    g(\n        edited\n    )\n)\n", "f(g(edited))"),
        ("f(a)(\n    edited\n)\n", "f(a)(edited)"),
        ("f(\n    edited, (1,)\n)\n", "f(edited, (1,))"),
        ("return (\n    edited\n)\n", "return edited"),
        ("from a import (\n    b, edited)\n", "from a import b, edited"),
        ("x = (\n    edited, b\n)\n", "x = (\n    edited, b\n)"),
        ("x = (\n    edited\n).y\n", "x = (\n    edited\n).y"),
        ("f(\n    edited,\n)\n", "f(\n    edited,\n)"),
        ("f(\n    edited,\n    b)\n", "f(\n    edited,\n    b)"),
        ("f(\n    edited  # why\n)\n", "f(\n    edited  # why\n)"),
        ("edited = 1, f(\n    a\n)\n", "edited = 1, f(a)"),
        ("f(\n    a\n)(\n    edited\n)\n", "f(\n    a\n)(edited)"),
    ],
)
def test_what_is_joined(before: str, after: str) -> None:
    assert join(before) == after


def test_what_got_no_shorter_hangs_for_another_reason() -> None:
    text = "opt = Adam(\n    edited\n)"
    assert join(text, growth=0) == text
    assert join(text, growth=7) == text


def test_only_as_much_is_joined_as_fits() -> None:
    text = "first(\n    second(\n        edited\n    )\n)\n"
    assert join(text, limit=21) == "first(second(edited))"
    assert join(text, limit=20) == "first(\n    second(edited)\n)"
    assert join(text, limit=17) == text.rstrip()


def test_what_follows_on_the_line_counts() -> None:
    text = "f(\n    edited\n)  # why\n"
    assert join(text, limit=16) == "f(edited)"
    assert join(text, limit=15) == "f(\n    edited\n)"
