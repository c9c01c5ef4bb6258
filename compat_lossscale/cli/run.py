# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale run`: behaves as `python` does, with the old names installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from compat_lossscale.cli.record import LikePython, recorder_arguments, recording_options

_SWITCHES = ("legacy_optimizers", "keras3", "tf1", "neighbours")
"""The options that `startup.install_when_imported` takes."""


@click.command(cls=LikePython, options_metavar="[OPTIONS]")
@click.option(
    "--legacy-optimizers/--new-optimizers",
    default=True,
    help="Which classes tf.keras.optimizers.SGD and the other optimizers are: those of "
    "TensorFlow 2.0 to 2.10 (the default), or those of 2.11 and later.",
)
@click.option(
    "--keras3",
    is_flag=True,
    help="Keep tf.keras as Keras 3, and restore the old names there. Without it, tf.keras "
    "is tf-keras. Keras 3 has one family of optimizers, so --new-optimizers has no "
    "effect.",
)
@click.option(
    "--tf1",
    is_flag=True,
    help="Let `import tensorflow as tf` mean TensorFlow 1, as programs for 1.14 and 1.15 expect.",
)
@click.option(
    "--only-loss-scale",
    "neighbours",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Restore only the names of loss scaling, not the other removed names of "
    "TensorFlow, NumPy and Python that old programs use.",
)
@click.option(
    "--record",
    "recording",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Record how the program trains, for `compat-lossscale compare`.",
)
@recording_options
@click.argument("script")
@click.argument("args", nargs=-1)  # fmt: skip
def run(
    script: str, args: tuple[str, ...], recording: str | None, **options: Any
) -> Callable[[], None]:
    """Run SCRIPT, an unmodified legacy program, on today's TensorFlow and tf-keras.

    SCRIPT is what would follow `python`: a path, - for standard input, -m MODULE or -c CODE, with
    Python's own options before it. The arguments after it go to the program. The exit code is that
    of the program.
    """
    from compat_lossscale.legacy.program import start  # the other commands do not need it

    switches = {name: options.pop(name) for name in _SWITCHES}
    program = [script, *args]
    if recording is not None:
        return start(recorder_arguments(recording, program, options), switches)
    for name, value in options.items():
        if value:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --record FILE.")
    return start(program, switches)
