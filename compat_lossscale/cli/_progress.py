# SPDX-License-Identifier: Apache-2.0
"""The progress of a long run of `migrate`, on a line that disappears at the end."""

from __future__ import annotations

import sys
import time

import click

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
