# SPDX-License-Identifier: Apache-2.0
"""Whether output is coloured: --color, NO_COLOR, FORCE_COLOR, or whether it goes to a terminal.

https://no-color.org and https://force-color.org
"""

from __future__ import annotations

import os
import sys

import click

color_option = click.option(
    "--color",
    "colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Whether to colour diffs [auto: on terminals; NO_COLOR and FORCE_COLOR count].",
)


def is_coloured(choice: str) -> bool:
    """Returns whether to colour standard output.

    Args:
        choice: What the option says: auto, always or never.
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
