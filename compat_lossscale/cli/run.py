# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale run`: behaves as `python` does, with the old names installed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from compat_lossscale.cli._recording_options import (
    LikePython,
    recorder_arguments,
    recording_options,
)
from compat_lossscale.cli.run_options import SWITCHES, Switch


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


@click.command(cls=LikePython, options_metavar="[OPTIONS]")
@_with_switches
@click.option("--record", "recording", type=click.Path(dir_okay=False), metavar="FILE",
              help="Record how the program trains, for `compat-lossscale compare`.")  # fmt: skip
@recording_options
@click.argument("script")
@click.argument("args", nargs=-1)
def run(
    script: str, args: tuple[str, ...], recording: str | None, **options: Any
) -> Callable[[], None]:
    """Run SCRIPT, an unmodified legacy program, on today's TensorFlow and tf-keras.

    SCRIPT is what would follow `python`: a path, - for standard input, -m MODULE or -c CODE, with
    Python's own options before it. The arguments after it go to the program. The exit code is that
    of the program.
    """
    from compat_lossscale.legacy.program import start  # the other commands do not need it

    switches = {switch.name: options.pop(switch.name) for switch in SWITCHES}
    program = [script, *args]
    if recording is not None:
        return start(recorder_arguments(recording, program, options), switches)
    for name, value in options.items():
        if value:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --record FILE.")
    return start(program, switches)
