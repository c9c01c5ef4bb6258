# SPDX-License-Identifier: Apache-2.0
"""What a run came to, in numbers: the totals and the exit code.

The exit code is 0 if nothing is left to do, 1 if changes or findings are, 2 if a file could not be
read or written, 3 if both; 130 if the run was interrupted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.vocabulary.records import Outcome, Status

if TYPE_CHECKING:
    from lossscale_codemods.reports.run_report import RunReport


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
    total = {
        "files": report.looked_at,
        "files changed": sum(f.result.changed for f in report.files),
        "files written": sum(f.written for f in report.files),
        "unreadable": sum(f.result.status is Status.UNREADABLE for f in report.files),
        "refused": sum(f.result.status is Status.REFUSED for f in report.files),
    }
    for outcome in Outcome:
        total[outcome.value] = sum(f.result.count(outcome) for f in report.files)
    total["occurrences"] = sum(
        total[o.value] for o in (Outcome.REWRITTEN, Outcome.NEEDS_REVIEW, Outcome.SUPPRESSED)
    )
    total["kept for older versions"] = sum(
        record.for_older_versions for file in report.files for record in file.result.records
    )
    total["follow from others"] = sum(
        record.follows for file in report.files for record in file.result.records
    )
    total["unsafe fixes made"] = sum(
        record.unsafe and record.outcome is Outcome.REWRITTEN
        for file in report.files
        for record in file.result.records
    )
    total["observed fixes"] = sum(
        record.observed > 0 and record.outcome is Outcome.REWRITTEN
        for file in report.files
        for record in file.result.records
    )
    total["unsafe fixes available"] = sum(file.result.unsafe_fixes for file in report.files)
    return total
