# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale compare`: whether two recordings are the same, and where they part first."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from compat_lossscale.cli import Command, check_report_path, html_option, write_report

if TYPE_CHECKING:
    from lossscale_codemods import Record

    from compat_lossscale.recording.comparison import RecordingComparison
    from compat_lossscale.recording.reports import Finding

_A_FILE = click.Path(exists=True, readable=False)


@click.command(cls=Command)
@click.argument("before", type=_A_FILE)
@click.argument("after", type=_A_FILE)
@click.option(
    "--rtol",
    type=click.FloatRange(min=0),
    metavar="X",
    help="The relative difference of a variable that counts as the same [by how far it has gone].",
)
@click.option(
    "--nudged",
    type=_A_FILE,
    metavar="FILE",
    help="A recording as BEFORE, with --start-from BEFORE --nudge: how much rounding does.",
)
@click.option("--no-output", is_flag=True, help="Do not compare what the programs printed.")
@click.option("--json", "as_json_", is_flag=True, help="Print one JSON value instead of text.")
@html_option
def compare(
    before: str,
    after: str,
    rtol: float | None,
    nudged: str | None,
    no_output: bool,
    as_json_: bool,
    html: Path | None,
) -> None:
    """Compare two recordings: does the program still train as it did?

    Nothing is executed: the recordings are read, and at a difference the files of the program that
    they name, as far as these are in the current folder.

    The exit code is 0 if they are the same, 1 if they differ, 2 if that cannot be told, and 64 for
    wrong usage.
    """
    if rtol is not None and nudged is not None:
        raise click.UsageError("--rtol and --nudged are two ways to say how much may differ.")
    if html is not None:
        check_report_path(html)
    from compat_lossscale.recording import reports
    from compat_lossscale.recording.comparison import compare as compare_recordings
    from compat_lossscale.recording.reading import read

    rounding = read(nudged) if nudged is not None else None
    result = compare_recordings(
        read(before), read(after), rtol=rtol, output=not no_output, nudged=rounding
    )
    findings = _findings(result)
    code = int(result.verdict)
    if html is not None:
        code |= write_report(html, reports.as_html_page(result, findings))
    if as_json_:
        data = {**reports.as_json(result, findings), "exit_code": code}
        click.echo(json.dumps(data, indent=2, allow_nan=False))
    else:
        for line in reports.as_text(result, findings):
            click.echo(line)
    sys.exit(code)


def _findings(result: RecordingComparison) -> list[Finding]:
    """Returns what `migrate` finds in the files where the recordings part."""
    first = result.first
    if first is None:
        return []
    files = {place.rpartition(":")[0] for place in (*first.before_stack, *first.after_stack)}
    return [
        (file, record.line, f"{record.rule} {record.name}: {record.message}")
        for file in sorted(files)
        for record in _records_of(Path(file))
    ]


def _records_of(path: Path) -> list[Record]:
    if path.is_absolute() or ".." in path.parts or path.suffix != ".py" or not path.is_file():
        return []
    from lossscale_codemods import Outcome, migrate_source

    records = migrate_source(path.read_bytes()).records
    return [record for record in records if record.outcome is Outcome.NEEDS_REVIEW]
