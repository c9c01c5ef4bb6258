# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale record`: records a program as `python` runs it."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from compat_lossscale.cli._recording_options import (
    RECORDER,
    LikePython,
    recorder_arguments,
    recording_options,
)


@click.command(cls=LikePython, options_metavar="[OPTIONS]")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The recording, such as after.lsr.",
)
@click.option(
    "--standalone",
    is_flag=True,
    help="Print the recorder, one file for environments without this package.",
)
@recording_options
@click.argument("script", required=False)
@click.argument("args", nargs=-1)
def record(
    output: str | None, standalone: bool, script: str | None, args: tuple[str, ...], **options: Any
) -> None:
    """Run SCRIPT as `python` does, and record how it trains.

    SCRIPT is what would follow `python`: a path, -m MODULE or -c CODE. For a program with old
    names, use `run --record`; in an environment without this package, the file that
    `record --standalone` prints. `compare` compares two recordings.

    The exit code is that of the program.
    """
    if standalone:
        click.echo(RECORDER.read_text(encoding="utf-8"), nl=False)
        return
    if output is None or script is None:
        raise click.UsageError("Name a recording and a program: record -o after.lsr train.py")
    arguments = recorder_arguments(output, [script, *args], options)
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *arguments], dict(os.environ))
