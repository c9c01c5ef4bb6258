# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale record`: records a program as `python` runs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from compat_lossscale.cli import Command
from compat_lossscale.legacy.program import split
from compat_lossscale.recording import recorder

RECORDER = Path(recorder.__file__)


def recording_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of the recorder to a command."""
    for flag, settings in reversed(recorder.OPTIONS):
        kind: click.ParamType[Any] = click.Path(dir_okay=False)
        if "type" in settings:
            kind = click.IntRange(min=0 if flag == "--seed" else 1)
        takes: dict[str, Any] = {"type": kind} if "metavar" in settings else {"is_flag": True}
        words = f"{settings['help'][:1].upper()}{settings['help'][1:]}."
        command = click.option(flag, metavar=settings.get("metavar"), help=words, **takes)(command)
    return command


class LikePython(Command):
    """A command that passes everything after its own options to Python."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Separates the command's own options, which come first, from the program."""
        takes_value = {
            name
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        count = 0
        while count < len(args):
            argument = args[count]
            if argument in takes_value:
                count += 2
            elif argument.startswith("--") or argument == "-h":
                count += 1
            else:
                break
        if "--" not in args[:count]:
            args[count:count] = ["--"]
        return super().parse_args(ctx, args)


def recorder_arguments(output: str, program: Sequence[str], options: dict[str, Any]) -> list[str]:
    """Returns what follows `python` to record a program, and makes hashes reproducible."""
    given, _, rest = split(program)
    arguments = [*given, str(RECORDER), "-o", output]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            arguments.append(option)
        elif value is not None and value is not False:
            arguments += [option, str(value)]
    os.environ.setdefault("PYTHONHASHSEED", str(options.get("seed") or 0))
    return [*arguments, *rest]


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
