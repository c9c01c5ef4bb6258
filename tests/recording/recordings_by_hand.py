# SPDX-License-Identifier: Apache-2.0
"""Recordings that are written by hand, line by line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.recording.loading import recorder

NUMBERS = recorder().Numbers(np)
HEADER = {
    "t": "lossscale-recording", "version": 1, "program": "train.py", "seed": 0, "steps": 0,
    "every": 1, "platform": "Linux x86_64",
}  # fmt: skip
VERSIONS = {"python": "3.11.7", "tensorflow": "2.21.0", "tf_keras": "2.21.0", "numpy": "2.0.0"}


def seen(array: Any) -> list[Any]:
    """What the recorder writes of an array."""
    found: list[Any] = NUMBERS.of(np.asarray(array, np.float32))
    return found


def optimizer(first: Any, **changes: Any) -> dict[str, Any]:
    """An optimizer with one variable."""
    return {
        "t": "optimizer", "o": 0, "class": "LossScaleOptimizer", "module": "m", "inner": "SGD",
        "wrapped": True, "scaled": True, "made": 1, "at": "train.py:3", "policy": "float32",
        "config": {"learning_rate": 0.1}, "names": ["dense/kernel"],
        "shapes": [list(np.shape(first))], "digests": [seen(first)], "scale": 1024.0, "good": 0,
        **changes,
    }  # fmt: skip


def step(number: int, value: Any, **changes: Any) -> dict[str, Any]:
    """A step that left one variable."""
    return {
        "t": "step", "o": 0, "n": number, "how": "function", "at": "train.py:9",
        "steps": number + 1, "scale": 1024.0, "good": number + 1, "applied": 1, "data": None,
        "draws": [0, ""], "v": [seen(value)], "s": {}, **changes,
    }  # fmt: skip


def end(**changes: Any) -> dict[str, Any]:
    """The end of a program that ended well."""
    return {
        "t": "end", "exit": 0, "error": None, "steps": 0, "limited": False, "cut": False,
        "policy": None, "unused": [], "versions": VERSIONS, "problems": {}, **changes,
    }  # fmt: skip


def printed(line: str, after: int = 0) -> dict[str, Any]:
    """A printed line."""
    return {"t": "print", "at": "train.py:11", "line": line, "n": after}


def write(path: Path, *lines: Any, header: dict[str, Any] | None = None) -> str:
    """Writes a recording, and returns its path."""
    content = "".join(json.dumps(line) + "\n" for line in (header or HEADER, *lines))
    path.write_bytes(gzip.compress(content.encode()))
    return str(path)
