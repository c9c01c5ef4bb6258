# SPDX-License-Identifier: Apache-2.0
"""What all commands have in common: the exit code of wrong usage, and hints."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, ClassVar

import click

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
