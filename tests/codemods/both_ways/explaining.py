# SPDX-License-Identifier: Apache-2.0
"""Whether a migrated program does what it did, and if not, whether a finding says so."""

from __future__ import annotations

import dataclasses
import enum
import json
from typing import TYPE_CHECKING, Any

from lossscale_codemods.tables.names import WITH_KERAS_3

from compat_lossscale.recording.comparison import (
    SKIPPED_STEPS_COUNT,
    ComparisonVerdict,
    Difference,
    compare,
    lines_agree,
)
from tests.codemods.both_ways.leaving import variable_of
from tests.codemods.both_ways.migrating import script
from tests.codemods.both_ways.programs import GOLDEN
from tests.codemods.both_ways.statements import Statements

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from compat_lossscale.recording.reading import PrintedLine, Recording
    from tests.codemods.both_ways.migrating import Finding, Migrated
    from tests.codemods.both_ways.statements import Statement

_PRINTED_ROUNDING = 2e-3
"""How much printed numbers may differ on Keras 3, which computes updates in another order: more
than `compare` allows, for weights and losses that cancel to 0.005 are among them."""


class Kind(enum.Enum):
    """What was found of a program."""

    SAME = "same"
    """All that was observed is equal, to the bit."""
    CLOSE = "same within rounding"
    """What was observed differs by rounding alone."""
    AT_THE_LINE = "finding at the line"
    """The first difference is at a statement with a finding."""
    IN_WHAT_IT_READS = "finding in what it reads"
    """The first difference is at a statement that depends on one with a finding."""
    WRONG = "wrong"
    """It is different, and no finding explains it."""
    NOT_A_PROGRAM = "not a program"
    """It did not run as it was either."""
    NOTHING_OLD = "nothing old"
    """It is written in the API that programs are migrated to, and is left as it is.

    Nothing in it tells TensorFlow 2.4 from today's, so it is no program to migrate. What it does on
    today's TensorFlow is what it does, whatever `compat-lossscale run` makes of it.
    """


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What was found of a program.

    Attributes:
        kind: What was found.
        why: The first difference, and the finding that explains it if there is one.
    """

    kind: Kind
    why: str = ""


def verdict(migrated: Migrated, run: Recording, now: Recording) -> Verdict:
    """Judges a program.

    Args:
        migrated: The program.
        run: The recording of it under `compat-lossscale run`.
        now: The recording of it migrated.

    Returns:
        The verdict.
    """
    with_keras_3 = migrated.target in WITH_KERAS_3
    if migrated.program.may_stay and migrated.is_left and not with_keras_3:
        return Verdict(Kind.NOTHING_OLD)
    if run.end is None or run.end["error"] is not None or run.end["exit"]:
        return Verdict(Kind.NOT_A_PROGRAM, _end(run))
    if migrated.program.family == GOLDEN:
        # They print all that they are about, and leave objects that nobody looks at any more.
        run, now = (_with_left(one, frozenset(), unused=[]) for one in (run, now))
    difference, bits = first_difference(run, now, rounding=with_keras_3)
    if difference is None:
        return Verdict(Kind.SAME if bits else Kind.CLOSE)
    words = f"{difference.what}: {difference.before!r}, now {difference.after!r}"
    statements = Statements(
        {path: script(path, text) for path, text in migrated.program.files.items()}
    )
    variable = variable_of(difference.before)
    at = _statements_at(difference, variable, migrated, statements)
    keeping = statements.giving(variable) if variable else []
    for kind, places in (
        (Kind.AT_THE_LINE, at),
        (Kind.IN_WHAT_IT_READS, statements.behind([*at, *keeping])),
    ):
        for finding in migrated.findings:
            if _stands_in(finding, places):
                return Verdict(kind, f"{finding}: {words}")
    return Verdict(Kind.WRONG, words)


def first_difference(
    run: Recording, now: Recording, *, rounding: bool = False
) -> tuple[Difference | None, bool]:
    """Compares two recordings of a program.

    Args:
        run: The recording under `compat-lossscale run`.
        now: The recording of the migrated program.
        rounding: Whether they may differ by rounding.

    Returns:
        The first difference, or `None` if there is none, and whether they are the same to the bit.
    """
    left = [{variable_of(line.text) for line in side.printed} for side in (run, now)]
    run, now = (_with_left(side, left[0] & left[1]) for side in (run, now))
    now = dataclasses.replace(now, printed=_with_equal_errors(run, now))
    result = compare(run, now, rtol=None if rounding else 0.0)
    if result.verdict is ComparisonVerdict.CANNOT_BE_TOLD and _steps(run) != _steps(now):
        return Difference("steps", 0, "", "", str(_steps(run)), str(_steps(now))), False
    if result.first is None and SKIPPED_STEPS_COUNT in result.notes:
        # What a user compares may count either way. What a migration changes is a difference.
        at = next(step.at for one in run.optimizers for step in one.steps if not step.applied)
        return Difference("count of steps", 0, "", "", "", "", before_stack=(at,)), False
    if rounding and result.first is not None and result.first.what == "printed line":
        now = dataclasses.replace(now, printed=_with_equal_numbers(run, now))
        return compare(run, now).first, False
    return result.first, result.bits


def _steps(recording: Recording) -> list[bool]:
    """Whether steps were seen of each optimizer."""
    return [bool(one.steps) for one in recording.optimizers]


def _with_left(recording: Recording, names: Collection[str], **changes: Any) -> Recording:
    """Returns a recording that tells of these variables alone what they were in the end."""
    kept = [line for line in recording.printed if variable_of(line.text) in {"", *names}]
    return dataclasses.replace(recording, printed=kept, **changes)


def _with_equal_errors(run: Recording, now: Recording) -> list[Any]:
    """Returns what was printed, with errors as before that the same `except` catches."""
    found = list(now.printed)
    for place, (line, line2) in enumerate(zip(run.printed, now.printed, strict=False)):
        one, two = _observed_error(line.text), _observed_error(line2.text)
        if one is not None and two is not None and two["type"] in (one["type"], *one["mro"]):
            found[place] = dataclasses.replace(line2, text=line.text)
    return found


def _with_equal_numbers(run: Recording, now: Recording) -> list[PrintedLine]:
    """Returns what was printed, with numbers as before that differ by rounding alone."""
    pairs = zip(run.printed, now.printed, strict=False)
    found = [
        dataclasses.replace(line2, text=line.text)
        if lines_agree(line.text, line2.text, _PRINTED_ROUNDING)
        else line2
        for line, line2 in pairs
    ]
    return [*found, *now.printed[len(found) :]]


def _observed_error(text: str) -> Any:
    """What a golden scenario says of an error that it caught."""
    try:
        value = json.loads(text.partition(" = ")[2])
    except ValueError:
        return None
    return value if isinstance(value, dict) and {"type", "mro", "message"} == set(value) else None


def _end(recording: Recording) -> str:
    end = recording.end or {}
    error = end.get("error")
    return f"exit code {end.get('exit')}" if error is None else f"{error['class']}: {error['text']}"


def _statements_at(
    difference: Difference, variable: str, migrated: Migrated, statements: Statements
) -> list[Statement]:
    found = statements.binding(variable) if variable else []
    for place in difference.before_stack:
        file, _, line = place.rpartition(":")
        found += statements.at(file, [int(line)]) if file in migrated.files else []
    for place in difference.after_stack:
        file, _, line = place.rpartition(":")
        if file in migrated.files:
            found += statements.at(file, migrated.lines_before(file, int(line)))
    return found


def _stands_in(finding: Finding, statements: Iterable[Statement]) -> bool:
    lines = range(finding.first, finding.last + 1)
    return any(
        one.file == finding.file and not set(lines).isdisjoint(one.lines) for one in statements
    )
