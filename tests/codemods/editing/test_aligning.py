# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import textwrap

import pytest
from lossscale_codemods.editing.aligning import alignment_edits
from lossscale_codemods.editing.edits import apply_edits
from lossscale_codemods.vocabulary.records import Edit


def aligned(before: str, old: str = "SGD", new: str = "legacy.SGD", limit: int = 60) -> str:
    """Returns a program in which a name is replaced, and lines are aligned again."""
    text = textwrap.dedent(before).encode()
    places = [i for i in range(len(text)) if text.startswith(old.encode(), i)]
    edits = [Edit(place, place + len(old.encode()), new) for place in places]
    return apply_edits(text, [*edits, *alignment_edits(text, edits, limit)]).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            """
            opt = SGD(0.5,

                      momentum=0.9,
                      nesterov=True)
            """,
            """
            opt = legacy.SGD(0.5,

                             momentum=0.9,
                             nesterov=True)
            """,
        ),
        (  # A bracket in a line that moves, and what hangs in it; a comment; a line as it likes.
            """
            opt = SGD(0.5,
                      # Fast.
                      momentum=f(1,
                                 2),
                      decay=f(
                          3),
                nesterov=True)
            """,
            """
            opt = legacy.SGD(0.5,
                             # Fast.
                             momentum=f(1,
                                        2),
                             decay=f(
                                 3),
                nesterov=True)
            """,
        ),
        (  # Behind the bracket, nothing moves.
            """
            m.compile(loss="mse",
                      optimizer=SGD())
            """,
            """
            m.compile(loss="mse",
                      optimizer=legacy.SGD())
            """,
        ),
        (
            """
            opt = {"ä": SGD(1,
                            2)}
            """,
            """
            opt = {"ä": legacy.SGD(1,
                                   2)}
            """,
        ),
        (
            '''
            opt = SGD(f(1), """
                      text""")
            ''',
            '''
            opt = legacy.SGD(f(1), """
                      text""")
            ''',
        ),
    ],
)
def test_lines_stay_aligned(before: str, after: str) -> None:
    assert aligned(before) == textwrap.dedent(after)


def test_lines_that_begin_with_an_edit_stay_aligned() -> None:
    before = "from module import (SGD as S,\n                    SGD as T)\n"
    second = before.rindex("SGD")
    edits = [Edit(5, 11, "m"), Edit(second, second + 3, "legacy")]
    after = "from m import (SGD as S,\n               legacy as T)\n"
    text = before.encode()
    assert apply_edits(text, [*edits, *alignment_edits(text, edits, 60)]).decode() == after


def test_a_shorter_name() -> None:
    before = "opt = legacy.SGD(1,\n                 2)\n"
    assert aligned(before, "legacy.SGD", "SGD") == "opt = SGD(1,\n          2)\n"


def test_what_has_no_room_hangs() -> None:
    before = """
        if x:
            opt = SGD(schedule(1,
                               2),
                      momentum=0.9)  # long
        """
    after = """
        if x:
            opt = legacy.SGD(
                schedule(1,
                         2),
                momentum=0.9)  # long
        """
    assert aligned(before, limit=39) == textwrap.dedent(after)
    assert "legacy.SGD(schedule" in aligned(before, limit=42)


def test_lines_that_go_are_left() -> None:
    text = b"opt = Old(one,\n          two,\n          three)\n"
    edits = [Edit(6, 9, "Newer"), Edit(14, 29, "")]
    assert alignment_edits(text, edits, 60) == [Edit(30, 40, " " * 12)]
