# SPDX-License-Identifier: Apache-2.0
"""One change record behind everything that is shown: diffs, summary, JSON, SARIF, annotations.

It also owns the exit code: 0 if nothing is left to do, 1 if changes or findings are, 2 if a file
could not be read or written, 3 if both.
"""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any

from lossscale_codemods.records import Outcome, Record, Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lossscale_codemods.files import FileReport, RunReport

_COLOURS = {b"+": "\x1b[32m", b"-": "\x1b[31m", b"@": "\x1b[36m"}
_RESET = "\x1b[0m"
INFORMATION = "https://pypi.org/project/compat-lossscale/"
_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def exit_code(report: RunReport) -> int:
    """Returns 0, or the sum of 1 for changes and findings and 2 for files that failed."""
    to_do = any(
        (file.result.changed and not file.written) or file.result.count(Outcome.NEEDS_REVIEW)
        for file in report.files
    )
    failed = any(
        file.result.status in (Status.UNREADABLE, Status.REFUSED) for file in report.files
    ) or any("there is no such file" in skipped.reason for skipped in report.skipped)
    return int(to_do) + 2 * int(failed)


def totals(report: RunReport) -> dict[str, int]:
    """Returns how many files and occurrences came to what."""
    found = {
        "files": report.looked_at,
        "files changed": sum(f.result.changed for f in report.files),
        "files written": sum(f.written for f in report.files),
        "unreadable": sum(f.result.status is Status.UNREADABLE for f in report.files),
        "refused": sum(f.result.status is Status.REFUSED for f in report.files),
    }
    for outcome in Outcome:
        found[outcome.value] = sum(f.result.count(outcome) for f in report.files)
    found["occurrences"] = sum(
        found[o.value] for o in (Outcome.REWRITTEN, Outcome.NEEDS_REVIEW, Outcome.SUPPRESSED)
    )
    return found


def diff(file: FileReport) -> bytes:
    """Returns the change to a file as a unified diff that `git apply` and `patch` take."""
    if not file.result.changed:
        return b""
    name = file.path.as_posix().lstrip("/").encode("utf-8", "surrogateescape")
    before, after = _lines(file.result.source), _lines(file.result.output)
    out = []
    for line in difflib.diff_bytes(
        difflib.unified_diff, before, after, b"a/" + name, b"b/" + name, lineterm=b"\n"
    ):
        out.append(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n")
    return b"".join(out)


def _lines(source: bytes) -> list[bytes]:
    parts = source.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def coloured(patch: bytes) -> str:
    """Returns a diff with terminal colours."""
    out = []
    for line in patch.decode("utf-8", "replace").splitlines():
        start = line[:1].encode()
        if line.startswith(("+++", "---")):
            out.append(f"\x1b[1m{line}{_RESET}")
        elif start in _COLOURS:
            out.append(f"{_COLOURS[start]}{line}{_RESET}")
        else:
            out.append(line)
    return "\n".join(out) + "\n" if out else ""


def place(path: Path, record: Record) -> str:
    """Returns `file:line:column`, with the cell for notebooks."""
    cell = f":cell {record.cell}" if record.cell is not None else ""
    return f"{path}{cell}:{record.line}:{record.column}"


def findings(report: RunReport) -> Iterator[str]:
    """Yields what a person has to look at, and what could not be done."""
    for file in report.files:
        if file.result.problem:
            yield f"{file.path}: {file.result.status.value}: {file.result.problem}"
        if file.result.status is Status.REFUSED:
            continue
        for record in file.result.records:
            if record.outcome is Outcome.NEEDS_REVIEW:
                yield (
                    f"{place(file.path, record)}: {record.rule} {record.name}: {record.message}.\n"
                    f"    {record.advice}"
                )
    for skipped in report.skipped:
        yield f"{skipped.path}: skipped: {skipped.reason}."


def mentions(report: RunReport) -> Iterator[str]:
    """Yields the old names in comments and strings, which ask for nothing."""
    for file in report.files:
        for record in file.result.records:
            if record.outcome is Outcome.MENTIONED:
                yield f"{place(file.path, record)}: {record.rule} {record.name}: {record.message}."


def summary(report: RunReport, *, write: bool) -> str:
    """Returns the last lines of a run: what was found, and what is left to do."""
    found = totals(report)
    if not report.files:
        text = f"No old loss-scale name in {_count(found['files'], 'file')}."
    else:
        parts = [
            f"{found[outcome.value]} {outcome.value}"
            for outcome in (Outcome.REWRITTEN, Outcome.NEEDS_REVIEW, Outcome.SUPPRESSED)
        ]
        text = (
            f"{_count(found['occurrences'], 'occurrence')} of old names in "
            f"{_count(found['files'], 'file')}: {', '.join(parts)}."
        )
        failed = [f"{found[k]} {k}" for k in ("unreadable", "refused") if found[k]]
        if failed:
            text += f" Files: {', '.join(failed)}."
        if found[Outcome.MENTIONED.value]:
            text += f" Mentioned in comments and strings: {found[Outcome.MENTIONED.value]}."
        if write:
            text += f" Wrote {_count(found['files written'], 'file')}."
        elif found["files changed"]:
            text += (
                f" {_count(found['files changed'], 'file')} would change; "
                "nothing was written (--write does)."
            )
    if report.interrupted:
        text = "Interrupted; this is what was done until then. " + text
    return text


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def as_json(report: RunReport) -> str:
    """Returns the report as JSON."""
    content = {
        "version": 1,
        "totals": totals(report),
        "exit_code": exit_code(report),
        "files": [
            {
                "path": file.path.as_posix(),
                "status": file.result.status.value,
                "written": file.written,
                "problem": file.result.problem,
                "diff": diff(file).decode("utf-8", "replace"),
                "records": [_record(record) for record in file.result.records],
            }
            for file in report.files
        ],
        "skipped": [{"path": s.path.as_posix(), "reason": s.reason} for s in report.skipped],
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def _record(record: Record) -> dict[str, Any]:
    return {
        "rule": record.rule,
        "outcome": record.outcome.value,
        "cell": record.cell,
        "line": record.line,
        "column": record.column,
        "end_line": record.end_line,
        "end_column": record.end_column,
        "name": record.name,
        "message": record.message,
        "advice": record.advice,
        "edits": [{"start": e.start, "end": e.end, "text": e.text} for e in record.edits],
    }


def as_sarif(report: RunReport, version: str) -> str:
    """Returns the report as SARIF 2.1.0, with fixes for what can be rewritten."""
    from lossscale_codemods.rules import all_rules, documentation

    rules = [
        {
            "id": rule.id,
            "name": type(rule).__name__,
            "shortDescription": {"text": rule.title},
            "fullDescription": {"text": documentation(rule)},
        }
        for rule in sorted(all_rules(), key=lambda rule: rule.id)
    ]
    results = []
    for file in report.files:
        for record in file.result.records:
            if record.outcome is not Outcome.MENTIONED:
                results.append(_sarif_result(file, record))
    notifications = [
        {
            "level": "error",
            "message": {"text": file.result.problem},
            "locations": [{"physicalLocation": {"artifactLocation": _uri(file.path)}}],
        }
        for file in report.files
        if file.result.problem
    ]
    run = {
        "tool": {
            "driver": {
                "name": "compat-lossscale",
                "version": version,
                "informationUri": INFORMATION,
                "rules": rules,
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": results,
        "invocations": [
            {
                "executionSuccessful": exit_code(report) < 2,
                "toolExecutionNotifications": notifications,
            }
        ],
    }
    return json.dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _uri(path: Path) -> dict[str, str]:
    return {"uri": path.as_posix()}


def _sarif_result(file: FileReport, record: Record) -> dict[str, Any]:
    review = record.outcome is Outcome.NEEDS_REVIEW
    text = f"{record.name}: {record.message}. {record.advice}".strip()
    location: dict[str, Any] = {"artifactLocation": _uri(file.path)}
    if record.cell is None:
        location["region"] = {
            "startLine": record.line,
            "startColumn": record.column,
            "endLine": record.end_line,
            "endColumn": record.end_column,
        }
    result: dict[str, Any] = {
        "ruleId": record.rule,
        "level": "warning" if review else "note",
        "kind": "review" if review else "fail",
        "message": {"text": text},
        "locations": [{"physicalLocation": location}],
    }
    if review:
        result["level"] = "none"  # SARIF wants no level for anything but failures.
    if record.outcome is Outcome.SUPPRESSED:
        result["suppressions"] = [{"kind": "inSource"}]
    if record.edits:
        result["fixes"] = [
            {
                "description": {"text": record.message},
                "artifactChanges": [
                    {
                        "artifactLocation": _uri(file.path),
                        "replacements": [
                            {
                                "deletedRegion": _region(file.result.source, e.start, e.end),
                                "insertedContent": {"text": e.text},
                            }
                            for e in record.edits
                        ],
                    }
                ],
            }
        ]
    return result


def _region(source: bytes, start: int, end: int) -> dict[str, int]:
    """Returns a SARIF region for offsets into the UTF-8 text, without its byte order mark."""
    body = source.removeprefix(b"\xef\xbb\xbf")
    try:
        text = body.decode("utf-8").encode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("latin-1").encode("utf-8")

    def position(offset: int) -> tuple[int, int]:
        line_start = text.rfind(b"\n", 0, offset) + 1
        column = len(text[line_start:offset].decode("utf-8", "replace")) + 1
        return text.count(b"\n", 0, offset) + 1, column

    (start_line, start_column), (end_line, end_column) = position(start), position(end)
    return {
        "startLine": start_line,
        "startColumn": start_column,
        "endLine": end_line,
        "endColumn": end_column,
    }


def as_github(report: RunReport) -> str:
    """Returns annotations for GitHub Actions."""
    lines = []
    for file in report.files:
        path = _escaped(file.path.as_posix(), attribute=True)
        if file.result.problem:
            lines.append(f"::error file={path}::{_escaped(file.result.problem)}")
        for record in file.result.records:
            if record.outcome is Outcome.NEEDS_REVIEW:
                level, text = "warning", f"{record.message}. {record.advice}"
            elif record.outcome is Outcome.REWRITTEN and not file.written:
                level, text = "notice", f"can be rewritten: {record.message}."
            else:
                continue
            where = f"file={path},line={record.line},col={record.column}"
            title = _escaped(f"{record.rule} {record.name}", attribute=True)
            lines.append(f"::{level} {where},title={title}::{_escaped(text)}")
    return "\n".join(lines)


def _escaped(text: str, *, attribute: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if attribute else text
