# SPDX-License-Identifier: Apache-2.0
"""A run as annotations of GitHub Actions.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from compat_lossscale._printable import escaped
from lossscale_codemods.reports.record_words import advice_of, message_of, proof_words
from lossscale_codemods.vocabulary.records import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from lossscale_codemods.reports.run_report import RunReport


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
