# SPDX-License-Identifier: Apache-2.0
"""The configuration of the project that `migrate` and `doctor` look at."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.runner.configuration import Configuration


def configuration_of(paths: Sequence[Path], file: Path | None = None) -> Configuration:
    """Reads the configuration for the first of some paths.

    Args:
        paths: The paths.
        file: A file to read instead of the one that is found.

    Raises:
        click.UsageError: The configuration has a mistake.
    """
    from lossscale_codemods.runner import configuration

    first = paths[0]
    try:
        if file is None:
            file = configuration.find(first if os.path.isdir(first) else first.parent)
        return configuration.read(file)
    except configuration.ConfigurationError as error:
        raise click.UsageError(str(error)) from error
