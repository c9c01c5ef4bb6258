# SPDX-License-Identifier: Apache-2.0
"""What a migrated program does is what it did, or a finding explains the first difference.

Verdicts on what did not change since they were recorded stand; `make both-ways` records them again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.codemods.both_ways import table
from tests.codemods.both_ways.explaining import Kind
from tests.codemods.both_ways.migrating import migrate
from tests.codemods.both_ways.programs import Program, all_programs, names_nothing_old
from tests.codemods.both_ways.results import Results, not_yet
from tests.codemods.both_ways.running import BothSides

PROGRAMS = all_programs()
RESULTS = Results()
LISTED = not_yet()


@pytest.fixture(scope="module")
def sides() -> Iterator[BothSides]:
    with BothSides() as started:
        yield started


@pytest.mark.sampled(10)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_a_migrated_program_does_what_it_did(program: Program, sides: BothSides) -> None:
    found = RESULTS.verdict(migrate(program), sides)
    if found.kind is Kind.NOT_A_PROGRAM:
        assert program.may_be_part, f"it does not run as it is: {found.why}"
    elif program.id in LISTED:
        assert found.kind is Kind.WRONG, "it is right: take it off the list"
    else:
        assert found.kind is not Kind.WRONG, found.why


def test_what_is_listed_is_a_program() -> None:
    assert set(LISTED) <= {program.id for program in PROGRAMS}


def test_there_are_enough_programs() -> None:
    kinds = Counter(RESULTS.all().values())
    assert kinds.total() - kinds[Kind.NOT_A_PROGRAM] - kinds[Kind.NOTHING_OLD] >= 650


def test_the_page_shows_what_was_recorded() -> None:
    assert table.TABLE.read_text("utf-8") == table.text(RESULTS)


@pytest.mark.parametrize(
    ("text", "versions", "is_new"),
    [
        ("tf.keras.mixed_precision.LossScaleOptimizer(opt)", ["2.4"], True),
        ("tf.keras.mixed_precision.LossScaleOptimizer(opt)", ["2.3", "2.4"], False),
        ("tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt)", ["2.4"], False),
        ("from tensorflow.keras.mixed_precision import experimental", ["2.4"], False),
        ("tf.compat.v1.mixed_precision.FixedLossScale(8)", ["2.4"], False),
    ],
)
def test_programs_of_the_new_api_name_nothing_old(
    text: str, versions: list[str], is_new: bool
) -> None:
    assert names_nothing_old(text, versions) is is_new
