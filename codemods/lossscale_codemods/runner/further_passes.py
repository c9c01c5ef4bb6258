# SPDX-License-Identifier: Apache-2.0
"""Migrates files again when more is known of the files that they are used with."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from lossscale_codemods.runner.worker_pool import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lossscale_codemods.runner.search import Search
    from lossscale_codemods.vocabulary.options import Options
    from lossscale_codemods.vocabulary.records import Result

_MOST_ROUNDS = 8
"""How often a file can turn out to depend on more."""


class FurtherPasses:
    """What is known of each file by now, and the passes that follow from it.

    Args:
        options: What the run does.
        migrate: Does it to files.
        search: Knows all files.
    """

    def __init__(
        self,
        options: Options,
        migrate: Callable[[Iterable[Task]], Iterable[tuple[Task, Result]]],
        search: Search,
    ) -> None:
        self._options = options
        self._migrate = migrate
        self._search = search
        self._told: dict[str, Options] = {}
        self._mentions: dict[str, list[str]] = {}

    def options_for(self, name: str) -> Options:
        """Returns what is to be done with a file, with all that is known of it."""
        return self._told.get(name, self._options)

    def tell(self, name: str, **known: Any) -> None:
        """Notes what is known of a file: attributes of `Options`."""
        self._told[name] = dataclasses.replace(self.options_for(name), **known)

    def migrate(self, results: dict[str, Result], sizes: dict[str, int]) -> None:
        """Migrates files again, until none has a question left.

        Args:
            results: What becomes of each file so far; changed in place.
            sizes: The files, with their sizes in bytes.
        """
        waiting = dict(sizes)
        while waiting:
            tasks = [
                Task(name, size, self.options_for(name), fully=True)
                for name, size in waiting.items()
            ]
            for task, result in self._migrate(tasks):
                results[task.name] = result
            waiting = self._answered({name: results[name] for name in waiting})

    def answer(self, results: dict[str, Result]) -> None:
        """Migrates those files again that have questions.

        Args:
            results: What becomes of each file so far; changed in place.
        """
        self.migrate(results, self._answered(results))

    def _answered(self, results: dict[str, Result]) -> dict[str, int]:
        """Answers files' questions, and returns these files with their sizes."""
        asking = {name: result for name, result in results.items() if result.asked}
        new = {word for result in asking.values() for word in result.asked} - set(self._mentions)
        if new:
            self._mentions.update(self._search.mentions(new))
        for name, result in asking.items():
            known = dict(self.options_for(name).mentions or {})
            known.update({word: self._mentions[word] for word in result.asked})
            rounds = self.options_for(name).rounds + 1
            self.tell(name, mentions=known, rounds=rounds, may_ask=rounds < _MOST_ROUNDS)
        return {name: len(result.source) for name, result in asking.items()}
