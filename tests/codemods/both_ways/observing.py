# SPDX-License-Identifier: Apache-2.0
"""What a program is seen to do: what it prints and from where, how it ends, what it leaves."""

from __future__ import annotations

import os
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
_MOST = 200
Places = list[tuple[str, int]]
"""Files of the program, relative to its folder, and lines in them; the innermost call first."""


class Observer:
    """Stands in for `sys.stdout` and `sys.excepthook` while a program runs.

    Attributes:
        printed: Each line that was printed, and where.
        error: What ended the program, if an exception did: its class, its text, and where.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._line = ""
        self._original_files: dict[str, str | None] = {}
        self.printed: list[tuple[str, Places]] = []
        self.error: tuple[str, str, Places] | None = None

    encoding = "utf-8"

    def write(self, text: str) -> int:
        """Takes what is printed."""
        *whole, rest = (self._line + text).split("\n")
        if whole:
            places = self._places(sys._getframe(1))
            # What a progress bar writes over tells of the time.
            shown = [line for line in whole if "\r" not in line and "\b" not in line]
            self.printed += [(self._cleaned(line), places) for line in shown]
        self._line = rest
        return len(text)

    def flush(self) -> None:
        """Has nothing to do."""

    def isatty(self) -> bool:
        """Is no terminal."""
        return False

    def excepthook(
        self, kind: type[BaseException], error: BaseException, trace: types.TracebackType | None
    ) -> None:
        """Takes the exception that nobody caught."""
        places: Places = []
        while trace is not None:
            name = self._file(trace.tb_frame.f_code.co_filename)
            if name is not None:
                places.insert(0, (name, trace.tb_lineno))
            trace = trace.tb_next
        self.error = (kind.__name__, self._cleaned(str(error))[:500], places)

    def _places(self, frame: types.FrameType | None) -> Places:
        places = []
        while frame is not None:
            name = self._file(frame.f_code.co_filename)
            if name is not None:
                places.append((name, frame.f_lineno))
            frame = frame.f_back
        return places

    def _file(self, name: str) -> str | None:
        if name not in self._original_files:
            inside = name.startswith(self._folder + os.sep)
            self._original_files[name] = os.path.relpath(name, self._folder) if inside else None
        return self._original_files[name]

    def _cleaned(self, text: str) -> str:
        return _ADDRESS.sub("0x", text).replace(self._folder, "")


def left_behind() -> dict[str, Any]:
    """Returns what a program that ended left: its variables, the global policy, the graph rewrite.

    Returns:
        What can be compared, by the variable's name, as data that JSON can carry.
    """
    import tensorflow as tf

    main = sys.modules["__main__"].__dict__
    values = {name: value for name, value in main.items() if not name.startswith("__")}
    seen: dict[str, Any] = {}
    with tf.init_scope():
        for name, value in values.items():
            described = _described(value)
            if described is not None:
                seen[name] = described
        seen["(global policy)"] = _tried(lambda: tf.keras.mixed_precision.global_policy().name)
        options = tf.config.optimizer.get_experimental_options()
        seen["(graph rewrite)"] = bool(options.get("auto_mixed_precision"))
    return seen


def _described(value: Any, depth: int = 3) -> Any:
    import numpy as np

    if isinstance(value, (bool, str)):
        return None  # Flags tell of the API at hand, and matter where they are asked.
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (np.ndarray, np.generic)) and value.size < _MOST:
        return repr(value.tolist())
    if isinstance(value, (list, tuple, dict)):
        return _described_container(value, depth) if depth and len(value) < _MOST else None
    if isinstance(value, (type, types.ModuleType, types.FunctionType)):
        return None
    return _tried(lambda: _described_object(value))


def _described_container(value: Any, depth: int) -> Any:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    if isinstance(value, dict) and "class_name" in value:
        return None  # A configuration: what it makes is looked at, not its form.
    # A class by its name: each family has classes of its own.
    return [
        [key.__name__ if isinstance(key, type) else str(key), _described(item, depth - 1)]
        for key, item in pairs
    ]


def _described_object(value: Any) -> Any:
    import numpy as np
    import tensorflow as tf

    if isinstance(value, tf.Variable):
        return repr(value.numpy().tolist())
    if isinstance(value, tf.keras.Model):
        weights = [weight.numpy().tolist() for weight in value.weights]
        return {"weights": repr(weights), "optimizer": _described(value.optimizer)}
    if isinstance(value, tf.keras.mixed_precision.LossScaleOptimizer):
        return {
            **{name: _number(value, name) for name in _STATE},
            "inner": _described(value.inner_optimizer),
        }
    optimizers = (tf.keras.optimizers.Optimizer, tf.keras.optimizers.legacy.Optimizer)
    if isinstance(value, optimizers):
        # Of the configuration, each family has keys of its own.
        decayed = getattr(value, "_decayed_lr", None)  # The rate of this moment, of a schedule too.
        rate = value.learning_rate if decayed is None else decayed(tf.float32)
        return [type(value).__name__, repr(float(np.float32(rate))), int(value.iterations)]
    return None


_STATE = ("dynamic", "initial_scale", "dynamic_growth_steps", "loss_scale")


def _number(value: Any, name: str) -> Any:
    def read() -> str:
        found = getattr(value, name)
        return repr(found if found is None or isinstance(found, bool) else float(found))

    return _tried(read)


def _tried(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except Exception:
        return None
