# SPDX-License-Identifier: Apache-2.0
"""The change record: what became of each old name in a file. Every report is made from it."""

from __future__ import annotations

import dataclasses
import enum


class Outcome(enum.Enum):
    """What became of one occurrence of an old name."""

    REWRITTEN = "rewritten"
    NEEDS_REVIEW = "needs review"
    SUPPRESSED = "suppressed"
    MENTIONED = "mentioned"
    """It is in a comment or a string, which are never edited."""


@dataclasses.dataclass(frozen=True)
class Edit:
    """Text that replaces a span of the source, in UTF-8 offsets."""

    start: int
    end: int
    text: str


@dataclasses.dataclass(frozen=True)
class Record:
    """One occurrence of an old name and what became of it.

    Attributes:
        rule: The id of the rule that decided.
        outcome: What became of it.
        line: Its line, from 1.
        column: Its column in characters, from 1.
        name: The old name, as the file spells it.
        message: What was done, or why it was not.
        advice: What to do about it; empty if nothing is to be done.
        end_line: The line at which it ends.
        end_column: The column behind its end.
        edits: The edits that rewrote it.
        cell: In notebooks, the cell it is in, from 1; lines count within the cell.
        unsafe: Whether it was rewritten by an unsafe fix, one that is probably right and not
            proven; or whether it needs review and there is such a fix for it.
        observed: How often a recorded run came to the place, if what it saw there decided the
            rewrite.
        for_older_versions: Whether it needs review and only older versions of TensorFlow come to
            it, in code for older and newer ones, so that it is right as it is.
        follows: Whether it needs review for the same cause as another record of the file, and is
            settled with that one. People are shown that one alone.
        stops: Whether it needs review because the program stops there. People are shown it first.
    """

    rule: str
    outcome: Outcome
    line: int
    column: int
    name: str
    message: str
    advice: str = ""
    end_line: int = 0
    end_column: int = 0
    edits: tuple[Edit, ...] = ()
    cell: int | None = None
    unsafe: bool = False
    observed: int = 0
    for_older_versions: bool = False
    follows: bool = False
    stops: bool = False

    @property
    def is_finding(self) -> bool:
        """Whether people are to look at it."""
        return self.outcome is Outcome.NEEDS_REVIEW and not self.follows


def left(record: Record, message: str, advice: str) -> Record:
    """Returns the record of a place that stays as it is, with the reason."""
    review = Outcome.NEEDS_REVIEW
    return dataclasses.replace(
        record, outcome=review, message=message, advice=advice, edits=(), unsafe=False
    )


class Status(enum.Enum):
    """What became of a file as a whole."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    UNREADABLE = "unreadable"
    """It cannot be read or parsed, so nothing is known of it."""
    REFUSED = "refused"
    """The change did not pass a proof, or could not be written; the file is as it was."""


@dataclasses.dataclass(frozen=True)
class Result:
    """What the codemod made of one file.

    Attributes:
        source: The bytes it was given.
        output: The bytes to write; the same object as `source` if nothing changes.
        status: What became of the file.
        records: One for each occurrence of an old name.
        problem: For unreadable and refused files, what was wrong and what to do.
        changed_names: Names of the module that are removed, or change their meaning; attributes of
            its classes with a dot before them. Other files must not use them.
        uses_old_api: Whether there are old names in its code.
        changes_optimizers: Whether it names or makes Keras optimizers of another family than
            before. Programs that import the file get these too.
    """

    source: bytes
    output: bytes
    status: Status
    records: tuple[Record, ...] = ()
    problem: str = ""
    changed_names: tuple[str, ...] = ()
    uses_old_api: bool = False
    changes_optimizers: bool = False

    @property
    def changed(self) -> bool:
        """Whether there is anything to write."""
        return self.status is Status.CHANGED

    @property
    def text(self) -> str:
        """The output as text; for callers that gave text."""
        return self.output.decode("utf-8")

    def count(self, outcome: Outcome) -> int:
        """Returns how many occurrences came to this outcome."""
        return sum(record.outcome is outcome for record in self.records)

    @property
    def unsafe_fixes(self) -> int:
        """How many of the findings an unsafe fix would settle."""
        return sum(
            record.unsafe and record.outcome is Outcome.NEEDS_REVIEW for record in self.records
        )

    def refused(self, problem: str) -> Result:
        """Returns the file as it was; every change that was meant becomes a finding."""
        message = (
            f"not rewritten, because the file as a whole was refused: {problem.removesuffix('.')}"
        )
        advice = "Make this change by hand, or the one that is in its way."
        records = tuple(
            left(one, message, advice) if one.outcome is Outcome.REWRITTEN else one
            for one in self.records
        )
        given, uses_old = self.source, self.uses_old_api
        return Result(given, given, Status.REFUSED, records, problem, uses_old_api=uses_old)
