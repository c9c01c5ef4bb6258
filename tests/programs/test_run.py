# SPDX-License-Identifier: Apache-2.0
"""What counts as resumed, and what the page shows. `tests.programs.run` trains the programs."""

from __future__ import annotations

import pytest

from tests.programs.programs import PROGRAMS
from tests.programs.run import continue_from, page


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
    ],
)
def test_a_loss_scale_that_went_on_from_where_it_was_saved(
    before: list[float], after: list[float], expected: bool
) -> None:
    assert continue_from([before], [after], 2) is expected
    assert continue_from([[8.0, 2.0], before], [[8.0, 4.0], after], 2) is expected


def test_without_a_loss_scale_nothing_went_on() -> None:
    assert not continue_from([], [], 2)
    assert not continue_from([[8.0, 2.0]], [], 2)


def test_the_page_shows_each_program_that_has_a_result() -> None:
    first, second, third = PROGRAMS[0], PROGRAMS[-1], PROGRAMS[2]
    trained = {"doctor": [], "trains": True, "scales": [[[8.0, 2.0]], [[8.0, 4.0]]]}
    text = page(
        {
            first.name: {**trained, "resumes": True},
            second.name: {"doctor": ["y"], "trains": False, "why": "ImportError: x"},
            third.name: {
                **trained,
                "resumes": False,
                "migrated": {"trains": False, "why": "ImportError: z"},
            },
        }
    )
    assert "1 of 3 programs, of 3 projects, train, save and resume." in text
    assert f"| {first.name} |" in text
    assert "| yes | needs tensorflow_addons |" in text
    assert "| no: ImportError: x |  |" in text
    assert "| no | no: ImportError: z |" in text
    assert text.count("\n| ") == 5


def test_commands_have_a_folder_of_their_own() -> None:
    for program in PROGRAMS:
        assert "{folder}" in program.command + "".join(program.files.values())


def test_programs_have_names_of_their_own() -> None:
    names = [one.name for one in PROGRAMS]
    assert len(names) == len(set(names)) >= 20
