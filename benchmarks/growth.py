# SPDX-License-Identifier: Apache-2.0
"""How the cost of a training step grows with the number of variables and with their size.

python -m benchmarks.growth
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from benchmarks.cases import CANDIDATES, Case, Training
from benchmarks.measure import Spread, in_turns

VARIABLES = (10, 30, 100, 300, 1000, 2000)
"""Numbers of variables, of 100 elements each."""
BYTES = tuple(1024 * 4**n for n in range(11))
"""Sizes of all variables together, 1 KB to 1 GB, spread over 20 variables."""
_ROUNDS = 20


def run(*, smoke: bool = False) -> dict[str, Any]:
    """Measures the step in a graph, with the legacy SGD.

    Returns:
        The seconds of each candidate by number of variables and by bytes, and the bandwidth of
        copying memory, in bytes read and written a second by all processors.
    """
    variables, sizes, rounds = (VARIABLES, BYTES, _ROUNDS)
    if smoke:
        variables, sizes, rounds = (10, 20), (1024, 4096), 2
    return {
        "variables": [{"variables": n, **_seconds(n, 100, rounds)} for n in variables],
        "bytes": [{"bytes": n, **_seconds(20, max(1, n // 80), rounds)} for n in sizes],
        "copy_bytes_per_second": copy_bandwidth(2**20 if smoke else 2**28),
    }


def copy_bandwidth(size: int) -> float:
    """Bytes read and written a second when all processors together copy `size` bytes."""
    processors = len(os.sched_getaffinity(0))
    targets = np.array_split(np.ones(size, np.uint8), processors)
    sources = np.array_split(np.ones(size, np.uint8), processors)
    with ThreadPoolExecutor(processors) as threads:
        rounds = in_turns(
            {"copy": lambda: list(threads.map(np.copyto, targets, sources))}, rounds=9
        )
    return 2 * size / Spread.of(rounds["copy"]).median


def _seconds(variables: int, size: int, rounds: int) -> dict[str, float]:
    case = Case("legacy", variables, (size,))
    functions = {name: Training(case, name).graph().get_concrete_function() for name in CANDIDATES}
    taken = in_turns(functions, rounds=rounds)
    functions.clear()
    gc.collect()
    return {name: Spread.of(figures).median for name, figures in taken.items()}


def floor(elements_bytes: float, bandwidth: float) -> Iterator[float]:
    """Seconds that the memory alone takes: for unscaling, and for asking as well.

    Args:
        elements_bytes: Bytes of all gradients.
        bandwidth: Bytes read and written a second.
    """
    # Unscaling reads and writes each gradient, asking whether it is finite reads it.
    yield 2 * elements_bytes / bandwidth
    yield 3 * elements_bytes / bandwidth


if __name__ == "__main__":
    print(json.dumps(run()))
