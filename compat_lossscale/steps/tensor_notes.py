# SPDX-License-Identifier: Apache-2.0
"""Notes on tensors, which tell one tensor from another by identity."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

Note = TypeVar("Note")


class TensorNotes(Generic[Note]):
    """Notes on tensors of any framework, each for as long as its tensor lives.

    Tensors are not compared by value, and nothing is added to a graph.

    Args:
        name: The attribute that keeps the note, on tensors that take attributes. That costs a
            tenth of what a weak reference costs, which keeps the notes on other tensors.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._others: dict[int, tuple[weakref.ref[Any], Note]] = {}

    def write(self, tensors: Iterable[Any], note: Note) -> None:
        """Notes something on tensors. What takes neither attributes nor references is left out."""
        name = self._name
        for tensor in tensors:
            try:
                tensor.__dict__[name] = note
            except AttributeError:
                self._refer(tensor, note)

    def _refer(self, tensor: Any, note: Note) -> None:
        key = id(tensor)
        try:
            # It is called as `pop(key, reference)`, before the identity is used again.
            reference = weakref.ref(tensor, functools.partial(self._others.pop, key))
        except TypeError:
            return
        self._others[key] = reference, note

    def of(self, tensor: Any) -> Note | None:
        """Returns what was last noted on a tensor."""
        try:
            note: Note | None = tensor.__dict__.get(self._name)
        except AttributeError:
            entry = self._others.get(id(tensor))
            return entry[1] if entry is not None and entry[0]() is tensor else None
        return note
