# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale run`: behaves as `python` would, with the old names in place."""

from __future__ import annotations

import sys

import click


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    options_metavar="[OPTIONS]",
)
@click.option(
    "--legacy-optimizers/--new-optimizers",
    default=True,
    help="Which classes tf.keras.optimizers.SGD and its fellows are: those of TensorFlow 2.0 to "
    "2.10 (the default), or those of 2.11 and later.",
)
@click.option(
    "--tf1",
    is_flag=True,
    help="Let `import tensorflow as tf` mean TensorFlow 1, as programs for 1.14 and 1.15 expect.",
)
@click.option("-m", "module", is_flag=True, help="SCRIPT is the name of a module.")
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def run(
    legacy_optimizers: bool, tf1: bool, module: bool, script: str, args: tuple[str, ...]
) -> None:
    """Run SCRIPT, an unmodified legacy program, on today's TensorFlow and tf-keras.

    SCRIPT may be - for standard input. Everything after it is the program's own. The exit code is
    the program's.
    """
    from compat_lossscale import program  # the other commands do without

    if not module:
        program.check_readable(script)
    program.prepare(legacy_optimizers=legacy_optimizers, tf1=tf1)
    sys.exit(program.run(script, args, is_module=module))
