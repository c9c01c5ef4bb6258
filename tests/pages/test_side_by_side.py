# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compat_lossscale.pages.page import CONTEXT, hunks

TEXTS = st.lists(st.sampled_from(["a\n", "b = 1\n", "c(b)\n", "\n"]), max_size=12).map("".join)


def test_equal_texts_differ_nowhere() -> None:
    assert hunks("a\n", "a\n") == []


def test_a_changed_line_stands_beside_the_new_one_with_the_words_marked() -> None:
    ((row,),) = hunks("set_policy(p)\n", "set_global_policy(p)\n")
    assert row.changed
    assert row.left is not None
    assert row.right is not None
    assert (row.left.number, row.left.html) == (1, "<mark>set_policy</mark>(p)")
    assert (row.right.number, row.right.html) == (1, "<mark>set_global_policy</mark>(p)")


def test_lines_that_have_nothing_in_common_are_not_marked() -> None:
    ((row,),) = hunks("alpha\n", "x + 1\n")
    assert row.left is not None
    assert "<mark>" not in row.left.html


def test_a_side_without_a_line_is_empty() -> None:
    ((first, second),) = hunks("a\n", "a\nb\n")
    assert not first.changed
    assert second.changed
    assert second.left is None
    assert second.right is not None


def test_far_changes_are_apart_with_context_around_each() -> None:
    lines = [f"x{i} = {i}\n" for i in range(40)]
    changed = ["y\n" if i in (10, 30) else line for i, line in enumerate(lines)]
    found = hunks("".join(lines), "".join(changed))
    assert [len(rows) for rows in found] == [2 * CONTEXT + 1] * 2


@given(TEXTS, TEXTS)
def test_the_sides_are_the_texts_in_order(before: str, after: str) -> None:
    rows = [row for rows in hunks(before, after) for row in rows]
    for side, text in (("left", before), ("right", after)):
        numbers = [line.number for row in rows if (line := getattr(row, side)) is not None]
        assert numbers == sorted(set(numbers))
        assert all(1 <= number <= len(text.splitlines()) for number in numbers)
    assert bool(rows) == (before != after)
