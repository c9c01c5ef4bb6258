# SPDX-License-Identifier: Apache-2.0
"""What counts as resumed, and what the page shows. `make programs` trains the programs."""

from __future__ import annotations

import pytest

from tests.programs.programs import PROGRAMS
from tests.programs.run import continues, page


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([32768.0, 2.0], [32768.0, 4.0], True),
        ([16384.0, 1.0], [8192.0, 0.0], True),
        ([16384.0, 1.0], [8192.0, 1.0], True),
        ([32768.0, 2.0], [32768.0, 2.0], False),
        ([8192.0, 1.0], [32768.0, 2.0], False),
        ([128.0], [128.0], True),
        ([128.0], [64.0], False),
        ([], [], False),
    ],
)
def test_a_loss_scale_that_went_on_from_where_it_was_saved(
    before: list[float], after: list[float], expected: bool
) -> None:
    assert continues(before, after, 2) is expected


def test_the_page_shows_each_program_that_has_a_result() -> None:
    first, second = PROGRAMS[:2]
    text = page(
        {
            first.name: {"trains": True, "scales": [[8.0, 2.0], [8.0, 4.0]], "resumes": True},
            second.name: {"trains": False, "why": "ImportError: x"},
        }
    )
    assert f"| {first.name} |" in text
    assert "| yes | 8 / 2, then 8 / 4 | yes |" in text
    assert "no: `ImportError: x`" in text
    assert text.count("\n| ") == 4


def test_commands_have_a_folder_and_a_number_of_steps() -> None:
    for program in PROGRAMS:
        said = program.command + "".join(program.files.values())
        assert "{folder}" in said
        assert "{steps}" in said
