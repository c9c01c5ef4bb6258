# SPDX-License-Identifier: Apache-2.0
"""What became of all files of a run, in numbers and words; every report is made from it.

The exit code is 0 if nothing is left to do, 1 if changes or findings are, 2 if a file could not be
read or written, 3 if both; 130 if the run was interrupted.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lossscale_codemods.project.discovery import Skipped
from lossscale_codemods.tables.records import Outcome, Record, Result, Status


@dataclasses.dataclass(frozen=True)
class FileReport:
    """What became of one file.

    Attributes:
        path: The file, as it was named or found.
        result: What the engine made of it.
        written: Whether the change is on the disk.
    """

    path: Path
    result: Result
    written: bool = False


@dataclasses.dataclass(frozen=True)
class Proof:
    """What came of running the program before and after.

    Attributes:
        program: The program, as it was named.
        verdict: `same`, `different` or `cannot be told`.
        words: The verdict and the first difference, in sentences.
        place: The file and the line of the first difference, as it is now, if there is one.
    """

    program: str
    verdict: str
    words: str
    place: tuple[str, int] | None = None

    @property
    def passed(self) -> bool:
        """Whether the program does the same."""
        return self.verdict == "same"


@dataclasses.dataclass
class RunReport:
    """What became of all files of a run."""

    files: list[FileReport] = dataclasses.field(default_factory=list)
    """Files in which there is an old name, or that could not be read."""
    skipped: list[Skipped] = dataclasses.field(default_factory=list)
    looked_at: int = 0
    interrupted: bool = False
    problems: list[str] = dataclasses.field(default_factory=list)
    """What went wrong besides, that belongs to no file."""
    proof: Proof | None = None
    """What came of `--prove`."""


def exit_code(report: RunReport) -> int:
    """Returns 0, or 1 for changes and findings plus 2 for files that failed, or 130."""
    if report.interrupted:
        return 130
    to_do = any(
        (file.result.changed and not file.written) or file.result.count(Outcome.NEEDS_REVIEW)
        for file in report.files
    ) or (report.proof is not None and not report.proof.passed)
    failed = (
        any(file.result.status in (Status.UNREADABLE, Status.REFUSED) for file in report.files)
        or any(skipped.failed for skipped in report.skipped)
        or bool(report.problems)
    )
    return int(to_do) + 2 * int(failed)


def without_findings(code: int) -> int:
    """Returns an exit code that does not tell of changes and findings."""
    return code & ~1 if code < 4 else code


def totals(report: RunReport) -> dict[str, int]:
    """Returns how many files and occurrences came to what."""
    results = [file.result for file in report.files]
    records = [record for result in results for record in result.records]
    rewritten = [record for record in records if record.outcome is Outcome.REWRITTEN]
    outcomes = {one.value: sum(record.outcome is one for record in records) for one in Outcome}
    return {
        "files": report.looked_at,
        "files changed": sum(result.changed for result in results),
        "files written": sum(file.written for file in report.files),
        "unreadable": sum(result.status is Status.UNREADABLE for result in results),
        "refused": sum(result.status is Status.REFUSED for result in results),
        **outcomes,
        "occurrences": len(records) - outcomes[Outcome.MENTIONED.value],
        "kept for older versions": sum(record.for_older_versions for record in records),
        "follow from others": sum(record.follows for record in records),
        "unsafe fixes made": sum(record.unsafe for record in rewritten),
        "observed fixes": sum(record.observed > 0 for record in rewritten),
        "unsafe fixes available": sum(result.unsafe_fixes for result in results),
    }


def proof_words(proof: Proof) -> str:
    """Returns what came of running the program before and after."""
    return f"{proof.program} before and after the migration: {proof.words}"


def message_of(record: Record) -> str:
    """Returns what was done, or why it was not."""
    if record.unsafe and record.outcome is Outcome.REWRITTEN:
        return f"unsafe fix: {record.message}"
    if record.observed:
        return f"{observed_words(record)} in the recorded run: {record.message}"
    return record.message


def observed_words(record: Record) -> str:
    """Returns how often a recorded run came to the place; empty if it decided nothing there."""
    times = "once" if record.observed == 1 else f"{record.observed} times"
    return f"observed {times}" if record.observed else ""


def advice_of(record: Record) -> str:
    """Returns what to do about it; empty if nothing is to be done."""
    if record.unsafe and record.outcome is Outcome.NEEDS_REVIEW:
        return f"{record.advice} A fix is available with --unsafe-fixes.".strip()
    return record.advice
