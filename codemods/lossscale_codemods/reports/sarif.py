# SPDX-License-Identifier: Apache-2.0
"""A run as SARIF 2.1.0, for code scanning; with fixes for what can be rewritten.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lossscale_codemods.records import Outcome, Record
from lossscale_codemods.reports.counts import exit_code

if TYPE_CHECKING:
    from pathlib import Path

    from lossscale_codemods.files import FileReport, RunReport

INFORMATION = "https://pypi.org/project/compat-lossscale/"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


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
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


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
