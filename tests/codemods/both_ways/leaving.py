# SPDX-License-Identifier: Apache-2.0
"""Has a program that ended print what it left in its variables, for the recording of its run."""

from __future__ import annotations

import sys
import types
from typing import Any, Final

MARK: Final = "in the end: "
_MOST = 200
_LEAST_ADDRESS = 2**32


def print_what_is_left() -> None:
    """Prints the numbers and arrays in the global variables of the program, one a line.

    Optimizers, policies and the graph rewrite are in recordings anyway.
    """
    main = sys.modules["__main__"].__dict__
    for name in sorted(name for name in main if not name.startswith("__")):
        described = _described(main[name])
        if described is not None:
            print(f"{MARK}{name} = {described}")


def variable_of(line: str) -> str:
    """Returns the variable that a line tells of; nothing if the program itself printed it."""
    return line.removeprefix(MARK).partition(" = ")[0] if line.startswith(MARK) else ""


def _described(value: Any, depth: int = 3) -> str | None:
    import numpy as np
    import tensorflow as tf

    if isinstance(value, (bool, str, type, types.ModuleType, types.FunctionType)):
        return None  # Flags tell of the API at hand, and matter where they are asked.
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return repr(value.tolist()) if value.size < _MOST else None
    if isinstance(value, (list, tuple, dict)):
        return _described_container(value, depth) if depth and len(value) < _MOST else None
    try:
        with tf.init_scope():
            if isinstance(value, tf.Variable):
                return repr(value.numpy().tolist())
            if isinstance(value, tf.keras.Model):
                return repr([weight.numpy().tolist() for weight in value.weights])
    except Exception:  # of a session that has been closed, or a deleted variable
        return None
    return None


def _described_container(value: Any, depth: int) -> str | None:
    if isinstance(value, dict) and "class_name" in value:
        return None  # A configuration: what it makes is looked at, not its form.
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    found = [f"{_described_key(key)}: {_described(item, depth - 1)}" for key, item in pairs]
    return f"[{', '.join(found)}]"


def _described_key(key: Any) -> str:
    if isinstance(key, type):
        return key.__name__  # Each family has classes of its own.
    if isinstance(key, int) and key > _LEAST_ADDRESS:
        return "id"  # The address of an object, another one in each run.
    return str(key)
