# SPDX-License-Identifier: Apache-2.0
"""A run for programs: as JSON, as SARIF, and as annotations of GitHub."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from compat_lossscale.pages import escaped
from lossscale_codemods.reports.run_report import (
    FileReport,
    Proof,
    RunReport,
    advice_of,
    diff,
    exit_code,
    message_of,
    proof_words,
    totals,
)
from lossscale_codemods.reports.text import documentation
from lossscale_codemods.rules.base import Rule, all_rules
from lossscale_codemods.source.syntax_tree import tree_of
from lossscale_codemods.tables.records import Outcome, Record


def as_json(report: RunReport) -> str:
    """Returns the report as JSON."""
    content = {
        "version": 1,
        "totals": totals(report),
        "exit_code": exit_code(report),
        "interrupted": report.interrupted,
        "problems": report.problems,
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
        "proof": None if report.proof is None else _proof(report.proof),
    }
    # In ASCII alone, so that no terminal or pipe has to know the characters.
    return json.dumps(content, indent=2)


def _proof(proof: Proof) -> dict[str, Any]:
    file, line = proof.place or (None, None)
    return {
        "program": proof.program,
        "verdict": proof.verdict,
        "words": proof.words,
        "file": file,
        "line": line,
    }


def _record(record: Record) -> dict[str, Any]:
    shown = dataclasses.asdict(record)
    del shown["stops"]
    return {**shown, "outcome": record.outcome.value}


def as_github(report: RunReport) -> str:
    """Returns annotations for GitHub Actions."""
    lines = []
    for file in report.files:
        path = _path(file.path)
        if file.result.problem:
            lines.append(f"::error file={path}::{_escaped(file.result.problem)}")
        for record in file.result.records:
            if record.is_finding:
                level, text = "warning", f"{record.message}. {advice_of(record)}"
            elif record.outcome is Outcome.REWRITTEN and not file.written:
                level, text = "notice", f"can be rewritten: {message_of(record)}."
            else:
                continue
            where = f"file={path}"
            if record.cell is None:
                where += f",line={record.line},col={record.column}"
            else:  # GitHub knows the lines of a notebook's JSON, not those of its cells.
                text = f"cell {record.cell}, line {record.line}: {text}"
            title = _escaped(f"{record.rule} {record.name}", attribute=True)
            lines.append(f"::{level} {where},title={title}::{_escaped(text)}")
    lines += [
        f"::error file={_path(skipped.path)}::not looked at: {_escaped(skipped.reason)}."
        for skipped in report.skipped
        if skipped.failed
    ]
    lines += [f"::error::{_escaped(problem)}" for problem in report.problems]
    if report.proof is not None:
        level = "notice" if report.proof.passed else "warning"
        where = ""
        if report.proof.place is not None:
            name, line = report.proof.place
            where = f" file={_escaped(name, attribute=True)},line={line}"
        lines.append(f"::{level}{where}::{_escaped(proof_words(report.proof))}")
    return "\n".join(lines)


def _path(path: Path) -> str:
    return _escaped(os.fsencode(path).decode("utf-8", "replace"), attribute=True)


def _escaped(text: str, *, attribute: bool = False) -> str:
    text = escaped(text, keep="\r\n").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if attribute else text


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
    driver = {"name": "compat-lossscale", "version": version, "informationUri": INFORMATION}
    invocation = {
        "executionSuccessful": exit_code(report) < 2,
        "toolExecutionNotifications": notifications,
    }
    run = {
        "tool": {"driver": {**driver, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "invocations": [invocation],
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
    tree = tree_of(source)
    (start_line, start_column), (end_line, end_column) = map(tree.position, (start, end))
    return {
        "startLine": start_line,
        "startColumn": start_column,
        "endLine": end_line,
        "endColumn": end_column,
    }
