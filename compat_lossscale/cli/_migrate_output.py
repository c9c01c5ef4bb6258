# SPDX-License-Identifier: Apache-2.0
"""What `migrate` prints of a run, with its progress and colours, and the proof that it asks for."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from compat_lossscale._printable import escaped
from compat_lossscale._version import __version__

if TYPE_CHECKING:
    from lossscale_codemods.reports.run_report import Proof, RunReport
    from lossscale_codemods.vocabulary.names import Target


_LONG_RUN = 1.0
"""Seconds after which the line is shown."""


class Progress:
    """A line on standard error with the progress of a long run, if that is a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self.shown = not quiet and sys.stderr.isatty()
        self.started = time.monotonic()
        self.drawn = False

    def __enter__(self) -> Progress:
        return self

    def __call__(self, done: int, total: int) -> None:
        if self.shown and time.monotonic() - self.started > _LONG_RUN:
            width = 30 * done // total
            bar = "#" * width + "-" * (30 - width)
            click.echo(f"\r[{bar}] {done}/{total} files", nl=False, err=True)
            self.drawn = True

    def __exit__(self, *_: object) -> None:
        if self.drawn:
            click.echo("\r" + " " * 60 + "\r", nl=False, err=True)


color_option = click.option(
    "--color",
    "colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Whether to colour diffs [auto: on terminals; NO_COLOR and FORCE_COLOR count].",
)


def is_coloured(choice: str) -> bool:
    """Returns whether to colour standard output: https://no-color.org and https://force-color.org.

    Args:
        choice: What the option says: auto, always or never.
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def print_run(
    run: RunReport,
    *,
    form: str | None,
    target: Target | None,
    quiet: bool,
    check: bool,
    write: bool,
    coloured: bool,
) -> None:
    """Prints diffs, mentions, findings and the summary, or a report in another form.

    Args:
        run: The run.
        form: json, sarif, github or statistics; nothing for text.
        target: What programs are migrated to, if it is to be said how to run the result.
        quiet: Whether to print findings and problems only.
        check: Whether to name the files that would change instead of showing how.
        write: Whether changes were to be written.
        coloured: Whether to colour diffs.
    """
    from lossscale_codemods.reports import text

    if form not in (None, "statistics"):
        if report := _machine_form(run, form):
            click.echo(report)
        return
    if form == "statistics":
        lines = list(text.statistics(run))
    else:
        if not (quiet or check or write):
            _print_diffs(run, coloured=coloured)
        lines = [] if quiet or not check else list(_files_that_would_change(run))
        lines += [] if quiet else text.mentions(run)
        lines += text.findings(run)
    for line in lines:
        click.echo(line)
    if not quiet:
        # A hook runs again and again, and on code that others run.
        ends = None if check or "PRE_COMMIT" in os.environ else target
        click.echo(text.summary(run, write=write, target=ends))


def _files_that_would_change(run: RunReport) -> list[str]:
    return [f"{escaped(str(file.path))}: would change" for file in run.files if file.result.changed]


def _print_diffs(run: RunReport, *, coloured: bool) -> None:
    """Prints diffs: for people on terminals and in hooks, as patches into pipes and files."""
    from lossscale_codemods.reports import patches

    for_people = coloured or sys.stdout.isatty() or "PRE_COMMIT" in os.environ
    for file in run.files:
        if not file.result.changed:
            continue
        if for_people:
            click.echo(f"{patches.for_people(file, coloured=coloured)}\n", color=coloured)
        else:
            # Bytes: a patch of a file in another encoding than the terminal's is one, too.
            click.echo(patches.diff(file))


def _machine_form(run: RunReport, form: str | None) -> str:
    from lossscale_codemods.reports import github, json_form, sarif

    if form == "json":
        return json_form.as_json(run)
    if form == "sarif":
        return sarif.as_sarif(run, __version__)
    return github.as_github(run)


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
