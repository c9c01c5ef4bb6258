# SPDX-License-Identifier: Apache-2.0
"""The command line: argument parsing and printing only. Each command is loaded when it is run."""

from __future__ import annotations

import contextlib
import difflib
import errno
import importlib
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compat_lossscale._version import __version__
from compat_lossscale.errors import CompatLossScaleError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.running.configuration import Configuration

_COMMANDS = {
    "doctor": "Show what works, what to install, and which files use old names.",
    "run": "Run an unmodified legacy program on today's TensorFlow.",
    "record": "Record how a program trains, in its old environment or here.",
    "compare": "Compare two recordings: does the program still train as it did?",
    "migrate": "Rewrite old loss-scale APIs in a codebase to the current API.",
    "verify": "Show, convert and compare stored loss scales of every generation.",
}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

WRONG_USAGE = 64
"""EX_USAGE of sysexits.h. The codes 0 to 3 tell what a command found."""
CRASHED = 70
"""EX_SOFTWARE of sysexits.h: a mistake of this program."""


@contextlib.contextmanager
def _usage_apart() -> Iterator[None]:
    """Gives errors in the usage of a command an exit code that no result has."""
    try:
        yield
    except click.ClickException as error:
        error.exit_code = WRONG_USAGE  # type: ignore[misc]  # of this error alone
        raise


class Command(click.Command):
    """A command whose wrong usage has an exit code of its own."""

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **extra: Any
    ) -> click.Context:
        """Parses the arguments."""
        with _usage_apart():
            return super().make_context(info_name, args, *rest, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        with _usage_apart():
            return super().invoke(ctx)


def configuration_of(paths: Sequence[Path], file: Path | None = None) -> Configuration:
    """Reads the configuration for the first of some paths."""
    from lossscale_codemods.running import configuration

    first = paths[0]
    try:
        if file is None:
            file = configuration.find(first if os.path.isdir(first) else first.parent)
        return configuration.read(file)
    except configuration.ConfigurationError as error:
        raise click.UsageError(str(error)) from error


html_option = click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write a report to FILE, one HTML page.",
)


def check_report_path(path: Path) -> None:
    """Checks, before the work, that a report can be written and replaces nothing else."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"The report {path} needs a name that ends in .html.")
    if not os.path.isdir(path.parent):
        raise click.UsageError(
            f"The report {path} cannot be written: there is no folder {path.parent}. Make it first."
        )


def write_report(path: Path, page: str) -> int:
    """Writes a report. Returns 2, to be added to the exit code, if it cannot be written whole."""
    from compat_lossscale.pages.page import write

    try:
        write(path, page)
    except OSError as error:
        click.echo(f"The report {path} cannot be written: {error.strerror or error}.", err=True)
        return 2
    return 0


class _LazyGroup(Command, click.Group):
    """A group that imports a command's module only when that command is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"{__package__}.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _COMMANDS and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0].lower(), _COMMANDS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            if not close and args[0].endswith(".py"):
                hint = f" To run a program: compat-lossscale run {args[0]}"
            known = ", ".join(_COMMANDS)
            ctx.fail(f"There is no command {args[0]!r}.{hint} The commands are: {known}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="compat-lossscale")
def command_line() -> None:
    """Run, migrate and verify every generation of TensorFlow's loss-scale optimizer."""


def call() -> Any:
    """Runs the command line.

    For an error of this package, and for output that cannot be written, it prints one line on
    stderr, and the exit code is 2. It is 64 for wrong usage, 130 for Ctrl-C, and 70 for a mistake
    of this program, which no result of a command has.
    """
    try:
        return command_line.main(prog_name="compat-lossscale", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)
    except CompatLossScaleError as error:
        print(f"compat-lossscale: {error}", file=sys.stderr)
        sys.exit(2)
    except Exception as error:
        is_full = isinstance(error, OSError) and error.errno in _NO_ROOM and error.filename is None
        if not is_full:
            traceback.print_exc()
            print("compat-lossscale: this is a mistake in the program. Report it.", file=sys.stderr)
            sys.exit(CRASHED)
        # Otherwise, Python would try to write the rest when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        message = f"the standard output cannot be written: {getattr(error, 'strerror', error)}"
        print(f"compat-lossscale: {message}", file=sys.stderr)
        sys.exit(2)


def main() -> None:
    """Runs the command line, and then the program of `run`, if it has to run in this process."""
    result = call()
    if not callable(result):
        sys.exit(result)
    result()
