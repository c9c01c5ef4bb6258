# SPDX-License-Identifier: Apache-2.0
"""The training step under MirroredStrategy over two logical devices, in a process of its own.

A process that has two devices takes other paths in the steps without a strategy too.

python -m benchmarks.replicas NUMBER
"""

from __future__ import annotations

import json
import sys

import tensorflow as tf

from benchmarks import steps
from benchmarks.apart import AGAIN

if __name__ == "__main__":
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    case = steps.REPLICATED[int(sys.argv[1])]
    print(json.dumps(steps.rounds_of(case, check=AGAIN not in sys.argv) | steps.tracing(case)))
