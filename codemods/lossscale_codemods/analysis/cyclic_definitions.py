# SPDX-License-Identifier: Apache-2.0
"""Answers about expressions whose names may be assigned from each other: `a, b = b, a` in a loop.

An expression that depends on itself adds nothing to its own answer. What is found on the way round
is only a part, so it is not kept: whoever asks for that later gets all of it, in whatever order
the questions come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
T = TypeVar("T")


class Answers(Generic[K, T]):
    """Finds the answer for each expression, and keeps those that are whole.

    Args:
        find: Finds one; it asks here for those that it depends on.
    """

    def __init__(self, find: Callable[[K], frozenset[T]]) -> None:
        self._find = find
        self._whole: dict[K, frozenset[T]] = {}
        self._open: dict[K, int] = {}
        """The expressions that are being looked at, each with its depth."""
        self._parts: dict[K, tuple[frozenset[T], int]] = {}
        """Answers that lack what an open expression gives, with the depth of the outermost."""
        self._outermost = 0
        """The least depth of an open expression that was come back to."""

    @property
    def is_idle(self) -> bool:
        """Whether no expression is being looked at."""
        return not self._open

    def of(self, node: K) -> frozenset[T]:
        """Returns the answer for an expression."""
        if node in self._whole:
            return self._whole[node]
        if node in self._open:
            self._outermost = min(self._outermost, self._open[node])
            return frozenset()
        if node in self._parts:
            part, outermost = self._parts[node]
            self._outermost = min(self._outermost, outermost)
            return part
        depth = self._open[node] = len(self._open)
        before, self._outermost = self._outermost, depth
        try:
            answer = self._find(node)
        finally:
            del self._open[node]
        if self._outermost < depth:
            self._parts[node] = answer, self._outermost
        else:
            self._whole[node] = answer
            while self._parts and next(reversed(self._parts.values()))[1] >= depth:
                self._parts.popitem()
        self._outermost = min(before, self._outermost)
        return answer
