# SPDX-License-Identifier: Apache-2.0
"""What `migrate --prove` does with the result of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lossscale_codemods.reports.run_report import Proof, RunReport


def proof_of(run: RunReport, program: str, *, target: str, steps: int | None) -> Proof:
    """Runs a program before and after the migration, in copies of the working directory.

    Args:
        run: What the migration would change.
        program: What would follow `compat-lossscale run`.
        target: What the program is migrated to.
        steps: After how many steps it ends; `None` to let it end by itself.
    """
    from lossscale_codemods.reports.run_report import Proof
    from lossscale_codemods.vocabulary.records import Outcome

    from compat_lossscale.recording import proving, reports

    outputs = {file.path: file.result.output for file in run.files if file.result.changed}
    click.echo(f"Running {program!r} before and after, in copies of this folder.", err=True)
    try:
        comparison = proving.prove(
            Path.cwd(), outputs, program, keras3=target == "keras3", steps=steps
        )
    except proving.ProofError as error:
        return Proof(program, "cannot be told", f"Cannot be told: {error}.")
    findings = [
        (file.path.as_posix(), record.line, f"{record.rule} {record.name}: {record.message}")
        for file in run.files
        for record in file.result.records
        if record.outcome is Outcome.NEEDS_REVIEW
    ]
    lines = list(reports.as_text(comparison, findings))[2:]
    first = comparison.first
    file, _, line = first.after_at.rpartition(":") if first is not None else ("", "", "")
    return Proof(
        program,
        comparison.verdict.name.lower().replace("_", " "),
        "\n".join(lines),
        (file, int(line)) if file else None,
    )
