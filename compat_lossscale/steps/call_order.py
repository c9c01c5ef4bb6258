# SPDX-License-Identifier: Apache-2.0
"""In which order a step's methods were called, of an optimizer that steps by several calls."""

from __future__ import annotations

import collections
import weakref
from collections.abc import Callable, MutableSequence
from typing import Any

_REMEMBERED = 1000
"""So many calls outside of functions wait for a step, at most."""
_Calls = collections.defaultdict[str, MutableSequence[bool]]


class CallOrder:
    """Counts calls that no step has used yet, in each traced function and outside of functions.

    A function is traced once and runs often. So a call in a function belongs to the steps in that
    function, and may belong to steps elsewhere: where that is possible, nothing is missing.

    Args:
        function: Gives the function that is being traced; `None` outside of one.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        # To append and to pop takes effect at once: an optimizer may be used by several threads.
        self._outside: _Calls = collections.defaultdict(
            lambda: collections.deque(maxlen=_REMEMBERED)
        )
        self._inside: weakref.WeakKeyDictionary[Any, _Calls] = weakref.WeakKeyDictionary()
        self._unused_inside: collections.Counter[str] = collections.Counter()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._function,)  # A copy begins with a step of its own.

    def note(self, call: str) -> None:
        """Notes a call that a step will use."""
        function = self._function()
        if function is None:
            self._outside[call].append(True)
        else:
            self._calls_in(function)[call].append(True)
            self._unused_inside[call] += 1

    def use(self, call: str) -> bool:
        """Uses one call for a step.

        Returns:
            Whether there may be one. Each replica makes its own before it uses one, in whatever
            order the replicas run.
        """
        function = self._function()
        calls = self._outside if function is None else self._calls_in(function)
        try:
            calls[call].pop()
        except IndexError:
            return self._unused_inside[call] > 0 or bool(self._outside[call])
        if function is not None:
            self._unused_inside[call] -= 1
        return True

    def use_all(self, call: str) -> bool:
        """Uses all calls that were made here. Returns whether there are any."""
        function = self._function()
        calls = (self._outside if function is None else self._calls_in(function))[call]
        count = len(calls)
        if count:
            calls.clear()
            if function is not None:
                self._unused_inside[call] -= count
        return count > 0

    def _calls_in(self, function: Any) -> _Calls:
        calls = self._inside.get(function)
        if calls is None:
            calls = self._inside[function] = collections.defaultdict(list)
        return calls
