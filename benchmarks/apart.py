# SPDX-License-Identifier: Apache-2.0
"""Measuring in processes of their own, with their own devices or their own memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.measure import Rounds

REPOSITORY = Path(__file__).parent.parent
AGAIN = "again"
PROCESSES = 3
"""In each of which a case is measured: what a step takes depends on where in memory things lie."""


def result_of(module: str, *arguments: str) -> Any:
    """Runs a module, and returns what it printed as JSON.

    Args:
        module: Its name, such as `"benchmarks.steps"`.
        *arguments: What it is given.

    Raises:
        subprocess.CalledProcessError: It ended with an error.
    """
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def pooled(module: str, *arguments: str) -> dict[str, Rounds]:
    """Runs a module in several processes, one after the other, and puts their rounds together.

    Args:
        module: Its name. It prints, as JSON, the rounds of each mode.
        *arguments: What it is given; `AGAIN` besides after the first time, when its results have
            been checked.

    Returns:
        The rounds of all processes, for each mode.
    """
    again = [(), *[(AGAIN,)] * (PROCESSES - 1)]
    runs = [result_of(module, *arguments, *more) for more in again]
    return {
        mode: {name: [t for run in runs for t in run[mode][name]] for name in rounds}
        for mode, rounds in runs[0].items()
    }
