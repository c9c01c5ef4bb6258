# SPDX-License-Identifier: Apache-2.0
"""What came by at places of a program in a recorded run: a table from places to kinds."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class ObservedKind:
    """The one kind of object that came by at a place.

    Attributes:
        kind: Its module and class, such as `tensorflow.python.training.momentum.MomentumOptimizer`,
            or the loss scale that a policy was given.
        times: How often.
    """

    kind: str
    times: int


class ObservedKinds:
    """The table.

    Args:
        rows: For each place, what was done there, and each kind: the file, the line, what, the
            kind, and how often it was seen.
    """

    def __init__(self, rows: Iterable[tuple[str, int, str, str, int]]) -> None:
        self._kinds: dict[tuple[str, int, str], Counter[str]] = defaultdict(Counter)
        for file, line, what, kind, times in rows:
            self._kinds[file, line, what][kind] += times

    @classmethod
    def of(cls, lines: Iterable[Mapping[str, Any]]) -> ObservedKinds:
        """Returns the table of the lines in a recording."""
        rows = [row for line in lines for row in line["places"]]
        return cls((str(f), int(n), str(what), str(kind), int(t)) for f, n, what, kind, t in rows)

    def lines(self, what: str, words: tuple[str, ...]) -> dict[str, dict[int, int]]:
        """Returns the places where only objects of a kind came by.

        Args:
            what: As for `at`.
            words: What the names of their classes have in them.

        Returns:
            By file and line, how often.
        """
        found: dict[str, dict[int, int]] = defaultdict(dict)
        for (file, line, done), kinds in self._kinds.items():
            if done == what and all(word in kind for kind in kinds for word in words):
                found[file][line] = sum(kinds.values())
        return dict(found)

    def at(self, file: str, line: int, what: str) -> ObservedKind | None:
        """Returns what came by at a place.

        Args:
            file: The file, relative to the folder of the program, with slashes.
            line: The line.
            what: `loss_scale` for an attribute of that name, `made` for a constructor, `compile`.

        Returns:
            `None` if the run did not reach the place, or if kinds mixed there.
        """
        kinds: Mapping[str, int] = self._kinds.get((file, line, what), {})
        if len(kinds) != 1:
            return None
        ((kind, times),) = kinds.items()
        return ObservedKind(kind, times)
