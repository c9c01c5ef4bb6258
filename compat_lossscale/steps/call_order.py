# SPDX-License-Identifier: Apache-2.0
"""In which order a step's methods were called, of an optimizer that steps by several calls."""

from __future__ import annotations

import collections
import threading
import weakref
from collections.abc import Callable
from typing import Any


class CallOrder:
    """Counts calls that no step has used yet, in each traced function and outside of functions.

    A function is traced once and runs often. So a call in a function belongs to the steps in that
    function, and may belong to steps elsewhere: where that is possible, nothing is missing.

    Args:
        function: Gives the function that is being traced; `None` outside of one.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._outside: collections.Counter[str] = collections.Counter()
        self._inside: weakref.WeakKeyDictionary[Any, collections.Counter[str]] = (
            weakref.WeakKeyDictionary()
        )
        self._unused: collections.Counter[str] = collections.Counter()
        self._lock = threading.Lock()  # The replicas of a strategy are threads.

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._function,)  # A copy begins with a step of its own.

    def note(self, call: str) -> None:
        """Counts a call that a step will use."""
        here = self._here()
        with self._lock:
            here[call] += 1
            self._unused[call] += 1

    def use(self, call: str) -> bool:
        """Uses one call for a step.

        Returns:
            Whether there may be one. Each replica makes its own before it uses one, in whatever
            order the replicas run.
        """
        here = self._here()
        with self._lock:
            if here[call]:
                here[call] -= 1
                self._unused[call] -= 1
                return True
            return self._unused[call] > 0

    def use_all(self, call: str) -> bool:
        """Uses all calls that were made here. Returns whether there are any."""
        here = self._here()
        with self._lock:
            count = here.pop(call, 0)
            self._unused[call] -= count
            return count > 0

    def _here(self) -> collections.Counter[str]:
        function = self._function()
        if function is None:
            return self._outside
        return self._inside.setdefault(function, collections.Counter())
