# SPDX-License-Identifier: Apache-2.0
"""Whether a migrated program does what it did, and if not, whether a finding says so."""

from __future__ import annotations

import dataclasses
import enum
import json
import operator
from typing import TYPE_CHECKING, Any

from lossscale_codemods.vocabulary.names import WITH_KERAS_3

from tests.codemods.both_ways.closeness import is_close
from tests.codemods.both_ways.migrating import script
from tests.codemods.both_ways.programs import GOLDEN
from tests.codemods.both_ways.statements import Statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tests.codemods.both_ways.migrating import Finding, Migrated
    from tests.codemods.both_ways.running import Place, Trace
    from tests.codemods.both_ways.statements import Statement


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


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first thing that the migrated program does otherwise.

    Attributes:
        what: The difference, in words.
        before: The places of the program as it was that it came from.
        after: The places of the migrated program.
        variable: The variable that is different in the end, if nothing is before.
    """

    what: str
    before: Sequence[Place] = ()
    after: Sequence[Place] = ()
    variable: str = ""


def verdict(migrated: Migrated, run: Trace, now: Trace) -> Verdict:
    """Judges a program.

    Args:
        migrated: The program.
        run: What was seen of it under `compat-lossscale run`.
        now: What was seen of it migrated.

    Returns:
        The verdict.
    """
    with_keras_3 = migrated.target in WITH_KERAS_3
    if migrated.program.may_stay and migrated.is_left and not with_keras_3:
        return Verdict(Kind.NOTHING_OLD)
    if run.error is not None or run.code:
        return Verdict(Kind.NOT_A_PROGRAM, _error(run))
    if migrated.program.family == GOLDEN:
        # They print all that they are about, and leave objects that nobody looks at any more.
        run, now = (dataclasses.replace(trace, left={}) for trace in (run, now))
    difference = first_difference(run, now)
    if difference is None:
        return Verdict(Kind.SAME)
    if with_keras_3:
        difference = first_difference(run, now, is_equal=is_close)
        if difference is None:
            return Verdict(Kind.CLOSE)
    statements = Statements(
        {path: script(path, text) for path, text in migrated.program.files.items()}
    )
    at = _statements_at(difference, migrated, statements)
    keeping = statements.giving(difference.variable) if difference.variable else []
    for kind, places in (
        (Kind.AT_THE_LINE, at),
        (Kind.IN_WHAT_IT_READS, statements.behind([*at, *keeping])),
    ):
        for finding in migrated.findings:
            if _stands_in(finding, places):
                return Verdict(kind, f"{finding}: {difference.what}")
    return Verdict(Kind.WRONG, difference.what)


def first_difference(
    run: Trace, now: Trace, *, is_equal: Callable[[Any, Any], bool] = operator.eq
) -> Difference | None:
    """Compares two traces of a program.

    Args:
        run: What was seen under `compat-lossscale run`.
        now: What was seen of the migrated program.
        is_equal: Whether two observations are the same.

    Returns:
        The first difference, or `None` if there is none.
    """
    for (text, before), (other, after) in zip(run.printed, now.printed, strict=False):
        if not (is_equal(text, other) or _same_error(text, other)):
            return Difference(f"printed {text!r}, now {other!r}", before, after)
    if now.error is not None:
        return Difference(f"stops with {_error(now)}", after=now.error[2])
    if len(run.printed) > len(now.printed):
        text, before = run.printed[len(now.printed)]
        return Difference(f"no longer prints {text!r}", before)
    if len(run.printed) < len(now.printed):
        text, after = now.printed[len(run.printed)]
        return Difference(f"prints {text!r} besides", after=after)
    if run.code != now.code:
        return Difference(f"exited with {run.code}, now with {now.code}")
    for name in run.left.keys() & now.left.keys():
        if not is_equal(run.left[name], now.left[name]):
            words = f"{name} was {run.left[name]} in the end, now {now.left[name]}"
            return Difference(words, variable=name)
    return None


def _same_error(text: str, other: str) -> bool:
    """Whether two lines tell of errors that the same `except` catches."""
    one, two = _observed_error(text), _observed_error(other)
    return one is not None and two is not None and two["type"] in (one["type"], *one["mro"])


def _observed_error(text: str) -> Any:
    """What a golden scenario says of an error that it caught."""
    try:
        value = json.loads(text.partition(" = ")[2])
    except ValueError:
        return None
    return value if isinstance(value, dict) and {"type", "mro", "message"} == set(value) else None


def _error(trace: Trace) -> str:
    if trace.error is None:
        return f"exit code {trace.code}"
    return f"{trace.error[0]}: {trace.error[1]}"


def _statements_at(
    difference: Difference, migrated: Migrated, statements: Statements
) -> list[Statement]:
    found = statements.binding(difference.variable) if difference.variable else []
    for file, line in difference.before:
        found += statements.at(file, [line])
    for file, line in difference.after:
        found += statements.at(file, migrated.lines_before(file, line))
    return found


def _stands_in(finding: Finding, statements: Iterable[Statement]) -> bool:
    lines = range(finding.first, finding.last + 1)
    return any(
        one.file == finding.file and not set(lines).isdisjoint(one.lines) for one in statements
    )
