# SPDX-License-Identifier: Apache-2.0
"""What a person reads on a terminal: findings, mentions, and the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat_lossscale._printable import escaped
from lossscale_codemods.reports.counts import totals
from lossscale_codemods.reports.record_words import advice_of, proof_words
from lossscale_codemods.vocabulary.records import Outcome, Record, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from lossscale_codemods.reports.run_report import RunReport


def place(path: Path, record: Record) -> str:
    """Returns `file:line:column`, with the cell for notebooks."""
    cell = f":cell {record.cell}" if record.cell is not None else ""
    return f"{escaped(str(path))}{cell}:{record.line}:{record.column}"


def findings(report: RunReport) -> Iterator[str]:
    """Yields what a person has to look at, and what could not be done."""
    for file in report.files:
        if file.result.problem:
            yield f"{escaped(str(file.path))}: {file.result.status.value}: {file.result.problem}"
        if file.result.status is Status.REFUSED:
            continue
        for record in file.result.records:
            if record.is_finding:
                yield (
                    f"{place(file.path, record)}: {record.rule} {record.name}: {record.message}.\n"
                    f"    {advice_of(record)}"
                )
    for skipped in report.skipped:
        yield f"{escaped(str(skipped.path))}: skipped: {skipped.reason}."
    yield from report.problems
    if report.proof is not None:
        yield from map(escaped, proof_words(report.proof).splitlines())


def mentions(report: RunReport) -> Iterator[str]:
    """Yields the old names in comments and strings, which ask for nothing."""
    for file in report.files:
        for record in file.result.records:
            if record.outcome is Outcome.MENTIONED:
                yield f"{place(file.path, record)}: {record.rule} {record.name}: {record.message}."


def summary(report: RunReport, *, write: bool, to_output: bool = False) -> str:
    """Returns the last lines of a run: what was found, and what is left to do.

    Args:
        report: The run.
        write: Whether it writes.
        to_output: Whether it writes to standard output instead of files.
    """
    total = totals(report)
    if report.interrupted and not report.files:
        return "Interrupted before it was known what becomes of each file. Nothing was written."
    if not report.files:
        text = f"No old loss-scale name in {_count(total['files'], 'file')}."
    else:
        parts = [
            f"{total[outcome.value]} {outcome.value}"
            for outcome in (Outcome.REWRITTEN, Outcome.NEEDS_REVIEW, Outcome.SUPPRESSED)
        ]
        kept, following = total["kept for older versions"], total["follow from others"]
        notes = [f"{kept} of them kept for older versions"] * bool(kept)
        notes += [f"{following} of them settled with others"] * bool(following)
        if notes:
            parts[1] += f" ({', '.join(notes)})"
        text = (
            f"{_count(total['occurrences'], 'occurrence')} of old names in "
            f"{_count(total['files'], 'file')}: {', '.join(parts)}."
        )
        failed = [f"{total[k]} {k}" for k in ("unreadable", "refused") if total[k]]
        if failed:
            text += f" Files: {', '.join(failed)}."
        if total[Outcome.MENTIONED.value]:
            text += f" Mentioned in comments and strings: {total[Outcome.MENTIONED.value]}."
        text += _unsafe_fixes(total)
        if write:
            if to_output:
                text += " Wrote the result to standard output."
            else:
                text += f" Wrote {_count(total['files written'], 'file')}."
            if total["files written"] and total[Outcome.NEEDS_REVIEW.value] > kept:
                # Some of what breaks is right in other new code, so that it cannot be found again.
                text += " Keep the findings: a later run does not report all of them again."
        elif total["files changed"]:
            text += (
                f" {_count(total['files changed'], 'file')} would change; "
                "nothing was written (--write does)."
            )
    if report.interrupted:
        text = (
            "Interrupted; this is what was done until then, and not all files were looked at "
            f"or written. {text}"
        )
    return text


def _unsafe_fixes(total: Mapping[str, int]) -> str:
    text = ""
    if observed := total["observed fixes"]:
        text += (
            f" {observed} of the rewrites {'is' if observed == 1 else 'are'} observed, not proven."
        )
    if made := total["unsafe fixes made"]:
        text += f" {made} of the rewrites {'is' if made == 1 else 'are'} not proven: read the diff."
    if left := total["unsafe fixes available"]:
        fixes = "fix is" if left == 1 else "fixes are"
        text += f" {left:,} more {fixes} available with --unsafe-fixes."
    return text


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
