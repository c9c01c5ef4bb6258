# SPDX-License-Identifier: Apache-2.0
"""A run as SARIF 2.1.0, for code scanning; with fixes for what can be rewritten.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lossscale_codemods.analysis.decoding import text_of
from lossscale_codemods.reports.counts import exit_code
from lossscale_codemods.reports.record_words import advice_of, message_of, proof_words
from lossscale_codemods.rules.registry import all_rules, documentation
from lossscale_codemods.vocabulary.records import Outcome, Record

if TYPE_CHECKING:
    from pathlib import Path

    from lossscale_codemods.reports.run_report import FileReport, RunReport
    from lossscale_codemods.rules.base import Rule

INFORMATION = "https://pypi.org/project/compat-lossscale/"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(report: RunReport, version: str) -> str:
    """Returns the report as SARIF 2.1.0, with fixes for what can be rewritten."""
    rules = [
        {
            "id": rule.id,
            "name": type(rule).__name__,
            "shortDescription": {"text": rule.title},
            "fullDescription": {"text": documentation(rule)},
            "help": {"text": _help(rule), "markdown": _help(rule)},
        }
        for rule in sorted(all_rules(), key=lambda rule: rule.id)
    ]
    results = []
    for file in report.files:
        for record in file.result.records:
            if record.outcome is not Outcome.MENTIONED:
                results.append(_sarif_result(file, record))
    problems = [(file.path, file.result.problem) for file in report.files if file.result.problem]
    problems += [(s.path, f"Not looked at: {s.reason}.") for s in report.skipped if s.failed]
    notifications: list[dict[str, Any]] = [
        {
            "level": "error",
            "message": {"text": problem},
            "locations": [{"physicalLocation": {"artifactLocation": _uri(path)}}],
        }
        for path, problem in problems
    ]
    notifications += [
        {"level": "error", "message": {"text": problem}} for problem in report.problems
    ]
    if report.proof is not None:
        level = "note" if report.proof.passed else "warning"
        notifications.append({"level": level, "message": {"text": proof_words(report.proof)}})
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


def _help(rule: Rule) -> str:
    return (
        f"{documentation(rule)}\n\n"
        f"Examples: `compat-lossscale migrate --explain {rule.id}`. To leave a place as it is: "
        f"`# compat-lossscale: ignore[{rule.id}]`."
    )


def _uri(path: Path) -> dict[str, str]:
    """Returns where a file is, as a URI: bytes of a name that are no characters included."""
    return {"uri": path.as_uri() if path.is_absolute() else quote(os.fsencode(path))}


def _sarif_result(file: FileReport, record: Record) -> dict[str, Any]:
    text = f"{record.name}: {message_of(record)}. {advice_of(record)}".strip()
    location: dict[str, Any] = {"artifactLocation": _uri(file.path)}
    if record.cell is None:
        location["region"] = {"startLine": record.line, "startColumn": record.column}
        if record.end_line:
            location["region"] |= {"endLine": record.end_line, "endColumn": record.end_column}
    else:  # Code scanning wants a line; those of the notebook's JSON say nothing to anyone.
        location["region"] = {"startLine": 1}
        text = f"Cell {record.cell}, line {record.line}: {text}"
    result: dict[str, Any] = {
        "ruleId": record.rule,
        "level": "warning" if record.is_finding else "note",
        "message": {"text": text},
        "locations": [{"physicalLocation": location}],
    }
    if record.outcome is Outcome.SUPPRESSED:
        result["suppressions"] = [{"kind": "inSource"}]
    properties = {
        "unsafe": record.unsafe,
        "observed": record.observed,
        "forOlderVersions": record.for_older_versions,
        "follows": record.follows,
    }
    if any(properties.values()):
        result["properties"] = {name: value for name, value in properties.items() if value}
    if record.edits:
        result["fixes"] = [
            {
                "description": {"text": message_of(record)},
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
    text = text_of(source).encode("utf-8")

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
