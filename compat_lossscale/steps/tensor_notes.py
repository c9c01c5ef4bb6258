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

    Tensors are not compared by value, and nothing is added to them or to a graph.
    """

    def __init__(self) -> None:
        self._notes: dict[int, tuple[weakref.ref[Any], Note]] = {}

    def __len__(self) -> int:
        return len(self._notes)

    def write(self, tensors: Iterable[Any], note: Note) -> None:
        """Notes something on tensors. What cannot be referred to weakly is left out."""
        notes = self._notes
        for tensor in tensors:
            key = id(tensor)
            try:
                # It is called as `notes.pop(key, reference)`, before the identity is used again.
                reference = weakref.ref(tensor, functools.partial(notes.pop, key))
            except TypeError:
                continue
            notes[key] = reference, note

    def of(self, tensor: Any) -> Note | None:
        """Returns what was last noted on a tensor."""
        entry = self._notes.get(id(tensor))
        return entry[1] if entry is not None and entry[0]() is tensor else None
