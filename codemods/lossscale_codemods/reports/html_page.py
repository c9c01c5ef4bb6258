# SPDX-License-Identifier: Apache-2.0
"""A run as one HTML page: totals, every finding with what to do, and the changes side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from compat_lossscale.pages import page
from compat_lossscale.pages.page import Line, Row, Span, as_html, hunks, lines_of
from lossscale_codemods.reports.run_report import FileReport, RunReport, observed_words, totals
from lossscale_codemods.reports.text import CHANGED, documentation, examples, section
from lossscale_codemods.rules.base import Rule, all_rules
from lossscale_codemods.source.notebook_cells import texts_of
from lossscale_codemods.tables.records import Outcome, Record, Status

_ADD_UP = (Outcome.REWRITTEN, Outcome.NEEDS_REVIEW, Outcome.SUPPRESSED)
_FAILED = (Status.UNREADABLE, Status.REFUSED)
_URGENCY = (Outcome.NEEDS_REVIEW, Outcome.REWRITTEN, Outcome.SUPPRESSED, Outcome.MENTIONED)
_UNSAFE = {Outcome.REWRITTEN: "unsafe fix", Outcome.NEEDS_REVIEW: "unsafe fix available"}
_OPEN_ROWS = 2_000
"""Rows of code after which further files start closed, so that a browser has less to lay out."""
_EXCERPT = 6
"""Lines of code that are shown of one finding at most."""


def as_html_page(report: RunReport, *, write: bool, target: str) -> str:
    """Returns the report as a page that loads nothing from anywhere."""
    total = totals(report)
    records = [record for file in report.files for record in file.result.records]
    rules = _rules(records)
    failed = Counter(file.result.status for file in report.files)
    failures = [(status.value, status.value, failed[status]) for status in _FAILED]
    return page.render(
        "migrate.html.jinja",
        lead=_lead(report, write=write, target=target),
        occurrences=total["occurrences"],
        outcomes=[_count(outcome, total[outcome.value]) for outcome in _ADD_UP],
        mentioned=total[Outcome.MENTIONED.value],
        kept=total["kept for older versions"],
        unsafe_fixes=[
            (words, total[words])
            for words in ("observed fixes", "unsafe fixes made", "unsafe fixes available")
            if total[words]
        ],
        statuses=[_count(outcome, total[outcome.value]) for outcome in Outcome] + failures,
        failures=[
            (status, f"{words} {'file' if number == 1 else 'files'}", number)
            for status, words, number in failures
            if number
        ],
        file_counts=_file_counts(total, write=write),
        rules=rules,
        choices=[(rule["id"], f"{rule['id']} {rule['title']}".replace("`", "")) for rule in rules],
        problems=report.problems,
        proof=report.proof,
        files=list(_files(sorted(report.files, key=_urgency))),
        skipped=[(_name(skipped.path), skipped.reason) for skipped in report.skipped],
    )


def _count(outcome: Outcome, number: int) -> tuple[str, str, int]:
    return outcome.value.replace(" ", "-"), outcome.value, number


def _lead(report: RunReport, *, write: bool, target: str) -> str:
    done = (
        "The changes below were written."
        if write
        else "Nothing was written: this is what `--write` would do."
    )
    if not any(file.result.changed for file in report.files):
        done = "No file had to be changed." if write else "Nothing would be changed."
    interrupted = "Interrupted; this is what was done until then. " if report.interrupted else ""
    return f"{interrupted}Old loss-scale names, migrated to {target}. {done}"


def _file_counts(total: Mapping[str, int], *, write: bool) -> list[tuple[str, int]]:
    files = "file" if total["files"] == 1 else "files"
    counts = [
        (f"{files} looked at", total["files"]),
        ("changed" if write else "would change", total["files changed"]),
        ("unreadable", total["unreadable"]),
        ("refused", total["refused"]),
    ]
    return [*counts, ("written", total["files written"])] if write else counts


def _rules(records: Iterable[Record]) -> list[dict[str, object]]:
    """Returns the rules that decided something, with how often each came to what."""
    decided = Counter((record.rule, record.outcome) for record in records)
    ids = {rule for rule, _ in decided}
    return [
        {
            "id": rule.id,
            "title": rule.title,
            "numbers": [decided[rule.id, outcome] for outcome in _ADD_UP],
            "paragraphs": documentation(rule).split("\n\n"),
            "example": _example(rule),
        }
        for rule in sorted(all_rules(), key=lambda rule: rule.id)
        if rule.id in ids
    ]


def _example(rule: Rule) -> list[list[Row]]:
    changes = [hunks(one.before, one.after) for one in examples(section(rule, CHANGED))]
    return changes[0] if changes else []


def _urgency(report: FileReport) -> int:
    """Returns what orders files: what a person has to look at comes first."""
    if report.result.status in _FAILED:
        return 0
    return min(
        (1 + _URGENCY.index(record.outcome) for record in report.result.records),
        default=len(_URGENCY),
    )


def _files(reports: Iterable[FileReport]) -> Iterable[dict[str, object]]:
    """Yields the files as they are shown."""
    rows = 0
    for report in reports:
        result = report.result
        counts = [_count(outcome, result.count(outcome)) for outcome in Outcome]
        documents = list(_documents(report)) if result.changed else []
        findings = list(_findings(report))
        is_open = rows < _OPEN_ROWS
        rows += sum(len(hunk) for _, hunks_ in documents for hunk in hunks_)
        rows += sum(1 + len(finding["excerpt"]) for finding in findings)
        yield {
            "path": _name(report.path),
            "status": result.status.value,
            "problem": result.problem if result.status in _FAILED else "",
            "counts": [count for count in counts if count[2]],
            "findings": findings,
            "documents": documents,
            "open": is_open,
        }


def _name(path: Path) -> str:
    """Returns a path as text; the bytes of a name that are no text become question marks."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _documents(report: FileReport) -> Iterable[tuple[str, list[list[Row]]]]:
    """Yields the changes in each text, a file or a cell of a notebook, with their title."""
    result = report.result
    new = texts_of(report.path, result.output)
    for number, source in texts_of(report.path, result.source).items():
        if source != new.get(number, source):
            title = "Changes" if number is None else f"Changes in cell {number}"
            yield title, hunks(source, new[number])


def _findings(report: FileReport) -> Iterable[dict[str, Any]]:
    """Yields the records as they are shown."""
    texts = texts_of(report.path, report.result.source)
    lines: dict[int | None, list[str]] = {}
    for record in sorted(report.result.records, key=lambda r: _URGENCY.index(r.outcome)):
        status, words, _ = _count(record.outcome, 0)
        excerpt: list[Line] = []
        # The changes show the others.
        if record.outcome in (Outcome.NEEDS_REVIEW, Outcome.SUPPRESSED):
            if record.cell not in lines:
                lines[record.cell] = lines_of(texts.get(record.cell, ""))
            excerpt = list(_excerpt(lines[record.cell], record))
        cell = f"cell {record.cell}, " if record.cell is not None else ""
        yield {
            "status": status,
            "words": words,
            "rule": record.rule,
            "name": record.name,
            "place": f"{cell}line {record.line}, column {record.column}",
            "message": record.message.removesuffix("."),
            "advice": record.advice,
            "excerpt": excerpt,
            "unsafe": _UNSAFE[record.outcome] if record.unsafe else observed_words(record),
        }


def _excerpt(lines: list[str], record: Record) -> Iterable[Line]:
    last = min(record.end_line or record.line, record.line + _EXCERPT - 1, len(lines))
    for number in range(record.line, last + 1):
        line = lines[number - 1]
        start = record.column - 1 if number == record.line else 0
        end = record.end_column - 1 if number == record.end_line else len(line)
        marked: list[Span] = [(start, end)] if start < end else []
        yield Line(number, as_html(line, marked))
