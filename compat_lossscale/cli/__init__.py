# SPDX-License-Identifier: Apache-2.0
"""The command line: argument parsing and printing only."""

from __future__ import annotations

import sys

from compat_lossscale.errors import CompatLossScaleError


def main() -> None:
    """Runs the command line.

    If only the options of `run` have to be read, this does without click, which takes longer to
    import than Python takes to start.
    """
    from compat_lossscale.cli import run_options

    plain = run_options.read(sys.argv[1:])
    if plain is None:
        from compat_lossscale.cli import group

        result = group.call()
    else:
        from compat_lossscale.legacy.program import start

        try:
            result = start(*plain)
        except CompatLossScaleError as error:
            print(f"compat-lossscale: {error}", file=sys.stderr)
            sys.exit(2)
    if not callable(result):
        sys.exit(result)
    result()  # the program, if it has to run in this process
