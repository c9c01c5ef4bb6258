# SPDX-License-Identifier: Apache-2.0
"""Places in an edited text are traced to where they were in the original text."""

from __future__ import annotations

from lossscale_codemods.source.edits import PositionMap
from lossscale_codemods.tables.records import Edit


def test_without_edits_each_offset_is_its_own() -> None:
    assert PositionMap().of(7) == 7


def test_text_before_inside_and_behind_an_edit() -> None:
    # "if new: A else: B; C" becomes "A; C".
    before = "if new: A else: B; C"
    after = "A; C"
    positions = PositionMap()
    positions.add([Edit(0, 8, ""), Edit(9, 17, "")])
    for letter in "AC":
        assert positions.of(after.index(letter)) == before.index(letter)


def test_edits_one_after_another() -> None:
    first, second, third = "0[aa]1[bb]2", "0aa1[bb]2", "0aa1bb2"
    positions = PositionMap()
    positions.add([Edit(1, 2, ""), Edit(4, 5, "")])
    positions.add([Edit(4, 5, ""), Edit(7, 8, "")])
    assert second == first.replace("[aa]", "aa")
    for letter in "012":
        assert positions.of(third.index(letter)) == first.index(letter)
    assert positions.of(third.index("bb")) == first.index("bb")
