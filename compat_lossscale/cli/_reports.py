# SPDX-License-Identifier: Apache-2.0
"""What `migrate --html` and `verify --html` have in common."""

from __future__ import annotations

import stat
from pathlib import Path

import click

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
