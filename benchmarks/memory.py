# SPDX-License-Identifier: Apache-2.0
"""How much memory a training step takes at most, each candidate in a process of its own.

python -m benchmarks.memory CANDIDATE FAMILY MODE VARIABLES SIZE
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

import tensorflow as tf

from benchmarks.apart import PROCESSES, result_of
from benchmarks.cases import Case, Training

CASES = (("legacy", 20, 1_000_000), ("new", 20, 1_000_000), ("legacy", 400, 100))
MODES = ("eager", "graph")
STEPS = 10


def peak_mb(candidate: str, family: str, mode: str, variables: int, size: int) -> float:
    """Starts processes that train, and returns the most memory that one of them took, in MB.

    It is the middle one of several: how many gradients of a graph there are at once is chance.
    """
    arguments = (candidate, family, mode, str(variables), str(size))
    peaks = [float(result_of("benchmarks.memory", *arguments)) for _ in range(PROCESSES)]
    return statistics.median(peaks)


def _train(candidate: str, family: str, mode: str, variables: int, size: int) -> float:
    # The first `tf.function` of a process takes megabytes, whoever calls it.
    tf.function(lambda numbers: [2 * number for number in numbers])([tf.ones(3)] * variables)
    training = Training(Case(family, variables, (size,)), candidate)
    step = training.graph() if mode == "graph" else training.eager()
    for _ in range(STEPS):
        step()
    # Not getrusage: its maximum counts the process that started this one.
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


if __name__ == "__main__":
    candidate, family, mode, variables, size = sys.argv[1:]
    print(_train(candidate, family, mode, int(variables), int(size)))
