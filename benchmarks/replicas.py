# SPDX-License-Identifier: Apache-2.0
"""The training step under MirroredStrategy over two logical devices, in a process of its own.

A process that has two devices takes other paths in the steps without a strategy too.

python -m benchmarks.replicas
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import tensorflow as tf

from benchmarks import steps

_ROUNDS = 40


def rows_of_a_process() -> list[dict[str, Any]]:
    """Starts the process, and returns its rows."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.replicas"],
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def _rows() -> list[dict[str, Any]]:
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)

    return [steps.row_of(case, _ROUNDS) for case in steps.REPLICATED]


if __name__ == "__main__":
    print(json.dumps(_rows()))
