# SPDX-License-Identifier: Apache-2.0
"""A run as JSON, in the form that `compat_lossscale/schemas/migrate.schema.json` describes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lossscale_codemods.reports.counts import exit_code, totals
from lossscale_codemods.reports.patches import diff

if TYPE_CHECKING:
    from lossscale_codemods.reports.run_report import Proof, RunReport
    from lossscale_codemods.vocabulary.records import Record


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
        "unsafe": record.unsafe,
        "observed": record.observed,
        "for_older_versions": record.for_older_versions,
        "follows": record.follows,
        "edits": [{"start": e.start, "end": e.end, "text": e.text} for e in record.edits],
    }
