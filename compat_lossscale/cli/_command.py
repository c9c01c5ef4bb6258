# SPDX-License-Identifier: Apache-2.0
"""What all commands have in common: the exit code of wrong usage, and hints."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.running.configuration import Configuration


WRONG_USAGE = 64
"""EX_USAGE of sysexits.h. The codes 0 to 3 tell what a command found."""
CRASHED = 70
"""EX_SOFTWARE of sysexits.h: a mistake of this program."""


@contextlib.contextmanager
def usage_apart() -> Iterator[None]:
    """Gives errors in the usage of a command an exit code that no result has."""
    try:
        yield
    except click.ClickException as error:
        error.exit_code = WRONG_USAGE  # type: ignore[misc]  # of this error alone
        raise


class Command(click.Command):
    """A command whose wrong usage has an exit code of its own."""

    hints: ClassVar[dict[str, str]] = {}
    """What to say of options that other tools have."""

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **extra: Any
    ) -> click.Context:
        """Parses the arguments."""
        with usage_apart():
            try:
                return super().make_context(info_name, args, *rest, **extra)
            except click.NoSuchOption as error:
                hint = self.hints.get(error.option_name)
                if hint is None:
                    raise
                message = f"There is no option {error.option_name}. {hint}"
                raise click.UsageError(message, error.ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        with usage_apart():
            return super().invoke(ctx)


def configuration_of(paths: Sequence[Path], file: Path | None = None) -> Configuration:
    """Reads the configuration for the first of some paths.

    Args:
        paths: The paths.
        file: A file to read instead of the one that is found.

    Raises:
        click.UsageError: The configuration has a mistake.
    """
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
    """Checks, before the work, that a report can be written and replaces nothing else.

    Raises:
        click.UsageError: It cannot be written. The message says why, and what to do.
    """
    if path.suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"The report {path} needs a name that ends in .html.")
    problem = f"there is no folder {path.parent}. Make it first."
    try:
        if stat.S_ISDIR(path.parent.stat().st_mode):
            return
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        problem = f"{error.strerror or error}."
    raise click.UsageError(f"The report {path} cannot be written: {problem}")


def write_report(path: Path, page: str) -> int:
    """Writes a report completely or not at all.

    Returns:
        The number to add to the exit code: 0, or 2 if the report could not be written.
    """
    from compat_lossscale.pages.page import write

    try:
        write(path, page)
    except OSError as error:
        click.echo(f"The report {path} cannot be written: {error.strerror or error}.", err=True)
        return 2
    return 0
