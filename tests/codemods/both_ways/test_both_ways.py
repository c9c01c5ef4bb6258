# SPDX-License-Identifier: Apache-2.0
"""What a migrated program does is what it did, or a finding explains the first difference.

Verdicts on what did not change since they were recorded stand. `python -m
tests.codemods.both_ways --record` records them again.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
from lossscale_codemods.tables.names import Target

from tests.codemods.both_ways import table
from tests.codemods.both_ways.explaining import Kind
from tests.codemods.both_ways.migrating import migrate, migrate_again
from tests.codemods.both_ways.programs import Program, all_programs, names_nothing_old
from tests.codemods.both_ways.results import Results, found_once, not_yet
from tests.codemods.both_ways.running import BothSides

TARGETS = list(Target)
PROGRAMS = {target: all_programs(target) for target in TARGETS}
RESULTS = {target: Results(target) for target in TARGETS}
FOUND_ONCE = found_once()
LISTED = {target: not_yet(target) for target in TARGETS}


@pytest.fixture(scope="module")
def sides() -> Iterator[Mapping[Target, BothSides]]:
    with contextlib.ExitStack() as stack:
        yield {target: stack.enter_context(BothSides(target)) for target in TARGETS}


def check(program: Program, target: Target, sides: Mapping[Target, BothSides]) -> None:
    found = RESULTS[target].verdict(migrate(program, target), sides[target])
    if found.kind is Kind.NOT_A_PROGRAM:
        assert program.may_be_part, f"it does not run as it is: {found.why}"
    elif program.id in LISTED[target]:
        assert found.kind is Kind.WRONG, "it is right: take it off the list"
    else:
        assert found.kind is not Kind.WRONG, found.why


@pytest.mark.sampled(20)
@pytest.mark.parametrize("program", PROGRAMS[Target.TF_KERAS], ids=lambda program: program.id)
def test_a_migrated_program_does_what_it_did(
    program: Program, sides: Mapping[Target, BothSides]
) -> None:
    check(program, Target.TF_KERAS, sides)


@pytest.mark.sampled(40)
@pytest.mark.parametrize("program", PROGRAMS[Target.KERAS3], ids=lambda program: program.id)
def test_a_program_does_on_keras_3_what_it_did(
    program: Program, sides: Mapping[Target, BothSides]
) -> None:
    check(program, Target.KERAS3, sides)


@pytest.mark.sampled(80)
@pytest.mark.parametrize("program", PROGRAMS[Target.KERAS3_ALONE], ids=lambda program: program.id)
def test_a_program_does_on_plain_keras_3_what_it_did(
    program: Program, sides: Mapping[Target, BothSides]
) -> None:
    check(program, Target.KERAS3_ALONE, sides)


@pytest.mark.sampled(40)
@pytest.mark.parametrize("program", PROGRAMS[Target.COMPAT], ids=lambda program: program.id)
def test_a_program_does_on_this_package_what_it_did(
    program: Program, sides: Mapping[Target, BothSides]
) -> None:
    check(program, Target.COMPAT, sides)


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "program",
    [one for one in PROGRAMS[Target.TF_KERAS] if RESULTS[Target.TF_KERAS].is_otherwise(one.id)],
    ids=lambda program: program.id,
)
def test_a_second_run_still_finds_what_is_left(program: Program) -> None:
    again = migrate_again(migrate(program))
    is_found = bool(again.findings or again.refused)
    assert is_found is not (program.id in FOUND_ONCE), "take it off the list, or find it again"


def test_what_is_found_once_does_otherwise() -> None:
    assert all(RESULTS[Target.TF_KERAS].is_otherwise(name) for name in FOUND_ONCE)


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_listed_is_a_program(target: Target) -> None:
    assert set(LISTED[target]) <= {program.id for program in PROGRAMS[target]}


@pytest.mark.parametrize("target", TARGETS)
def test_there_are_enough_programs(target: Target) -> None:
    kinds = Counter(RESULTS[target].all().values())
    # On Keras 3 alone most programs end in a finding at their constructor: fewer are recorded. With
    # compat, `make nightly` runs what is not recorded yet.
    least = 550 if target in (Target.KERAS3_ALONE, Target.COMPAT) else 650
    assert kinds.total() - kinds[Kind.NOT_A_PROGRAM] - kinds[Kind.NOTHING_OLD] >= least


@pytest.mark.parametrize("target", TARGETS)
def test_the_page_shows_what_was_recorded(target: Target) -> None:
    assert table.path(target).read_text("utf-8") == table.text(RESULTS[target])


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
