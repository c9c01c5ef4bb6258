# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale run`: behaves as `python` does, with the old names installed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from compat_lossscale.cli.run_options import SWITCHES, Switch


class _LikePython(click.Command):
    """A command that passes everything after its own options to Python."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = (argument.startswith("--") or argument == "-h" for argument in args)
        count = next((index for index, is_own in enumerate(own) if not is_own), len(args))
        if "--" not in args[:count]:
            args[count:count] = ["--"]
        return super().parse_args(ctx, args)


def _option(switch: Switch) -> Any:
    if not switch.on:
        flag = functools.partial(click.option, switch.off, flag_value=False)
    else:
        flag = functools.partial(click.option, f"{switch.on}/{switch.off}".removesuffix("/"))
    return flag(switch.name, is_flag=True, default=switch.default, help=switch.help)


def _with_switches(command: Callable[..., Any]) -> Callable[..., Any]:
    for switch in reversed(SWITCHES):
        command = _option(switch)(command)
    return command


@click.command(cls=_LikePython, options_metavar="[OPTIONS]")
@_with_switches
@click.argument("script")
@click.argument("args", nargs=-1)
def run(script: str, args: tuple[str, ...], **options: bool) -> Callable[[], None]:
    """Run SCRIPT, an unmodified legacy program, on today's TensorFlow and tf-keras.

    SCRIPT is what would follow `python`: a path, - for standard input, -m MODULE or -c CODE, with
    Python's own options before it. The arguments after it go to the program. The exit code is that
    of the program.
    """
    from compat_lossscale.legacy.program import start  # the other commands do not need it

    return start([script, *args], options)
