# SPDX-License-Identifier: Apache-2.0
"""Measuring in a process of its own, with its own devices or its own memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parent.parent


def result_of(module: str, *arguments: str) -> Any:
    """Runs a module, and returns what it printed as JSON.

    Args:
        module: Its name, such as `"benchmarks.replicas"`.
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
