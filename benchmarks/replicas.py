# SPDX-License-Identifier: Apache-2.0
"""The training step under MirroredStrategy over two logical devices, in a process of its own.

A process that has two devices takes other paths in the steps without a strategy too.

python -m benchmarks.replicas
"""

from __future__ import annotations

import json
from typing import Any

import tensorflow as tf

from benchmarks import steps

_ROUNDS = 40


def _rows() -> list[dict[str, Any]]:
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)

    return [steps.row_of(case, _ROUNDS) | steps.tracing(case) for case in steps.REPLICATED]


if __name__ == "__main__":
    print(json.dumps(_rows()))
