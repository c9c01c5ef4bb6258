# SPDX-License-Identifier: Apache-2.0
"""A run's files, searched for words: which have to be parsed, and which may use names of these."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

from lossscale_codemods.prescan.byte_scan import markers_in
from lossscale_codemods.project.connected_files import ImportGraph
from lossscale_codemods.project.discovery import DiscoveredFile, Skipped, discover
from lossscale_codemods.project.importers import project_files
from lossscale_codemods.project.project_files import mentions_in
from lossscale_codemods.runner.batches import Batch, Searched
from lossscale_codemods.runner.worker_pool import Task
from lossscale_codemods.vocabulary.suppression import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from lossscale_codemods.vocabulary.options import Options
    from lossscale_codemods.vocabulary.records import Result

_FILES = 64
"""Files of a batch: to hand one over takes a hundredth of searching it."""


class Search:
    """A walk over all files, and the few of which something is remembered.

    Args:
        paths: Files and folders.
        no_ignore: Whether ignored and excluded files are looked at all the same.
        exclude: Patterns of files and folders to leave out, as `discover` takes them.
    """

    def __init__(self, paths: Sequence[Path], *, no_ignore: bool, exclude: Sequence[str]) -> None:
        self._paths = paths
        self._no_ignore = no_ignore
        self._exclude = exclude
        self.looked_at = 0
        self._selection = Selection()
        self.skipped: list[Skipped] = []
        self.unreadable: list[tuple[DiscoveredFile, Result]] = []
        self.to_parse: dict[str, DiscoveredFile] = {}
        """The files that have to be parsed, by their names."""
        self._under_way: dict[int, list[DiscoveredFile]] = {}
        self._without_task: list[tuple[str, int]] = []
        """Files that have to be parsed, with their sizes, for which there was no task yet."""
        self._marked: dict[int, list[str]] = {}
        """Files that have a marker, or may hand on what they do not name, by their batches."""
        self._files_by_name: dict[str, DiscoveredFile] = {}
        self._graph: ImportGraph | None = None
        """Which of the files found import which, once that is asked."""

    def steps(self, options: Options) -> Iterator[Batch | Task | None]:
        """Yields all batches, and a task for each file of these that has to be parsed.

        It yields `None` where it cannot go on until something is noted.
        """
        self._selection = options.selection
        for batch in self._batches(options):
            yield batch
            yield from self._tasks(options)
        while self._under_way:
            yield None
            yield from self._tasks(options)

    def note(self, batch: Batch, searched: Searched) -> None:
        """Notes what was found in a batch; batches may come back in any order."""
        files = self._under_way.pop(batch.number)
        self.looked_at += len(files)
        self.unreadable.extend((files[position], why) for position, why in searched.unreadable)
        for position, size in searched.to_parse:
            name = files[position].name
            self.to_parse[name] = files[position]
            self._without_task.append((name, size))
        if searched.marked:
            self._marked[batch.number] = [files[position].name for position in searched.marked]

    def users(self, names: set[str]) -> Iterator[str]:
        """Yields the files that may use any of these names of others."""
        if all(markers_in(os.fsencode(name), self._selection) for name in names):
            # Who uses such a name has the marker too.
            for _, marked in sorted(self._marked.items()):
                yield from marked
        else:
            yield from (one.name for one in self._discovered() if isinstance(one, DiscoveredFile))
        yield from project_files(self._paths)

    def connected(self, names: Iterable[str], is_wanted: Callable[[bytes], bool]) -> dict[str, str]:
        """Returns the wanted files that run in one program with others, each with one of these.

        Args:
            names: The names of the others.
            is_wanted: Tells by the bytes of a file whether it is.
        """
        if self.looked_at < 2:
            return {}
        if self._graph is None:
            self._files_by_name = {
                one.name: one for one in self._discovered() if isinstance(one, DiscoveredFile)
            }
            self._graph = ImportGraph(
                [*self._files_by_name, *project_files(self._paths)], is_wanted
            )
        known = self._files_by_name
        connected = {n: old for n, old in self._graph.connected(names).items() if n in known}
        self.to_parse.update({name: known[name] for name in connected})
        return connected

    def mentions(self, words: set[str]) -> dict[str, list[str]]:
        """Returns for each word the files of the project that have it in them."""
        named = (one.name for one in self._discovered() if isinstance(one, DiscoveredFile))
        return mentions_in(itertools.chain(named, project_files(self._paths)), words)

    def _batches(self, options: Options) -> Iterator[Batch]:
        files = self._files()
        for number in itertools.count():
            batch_files = list(itertools.islice(files, _FILES))
            if not batch_files:
                return
            self._under_way[number] = batch_files
            yield Batch(number, [one.name for one in batch_files], options.selection)

    def _files(self) -> Iterator[DiscoveredFile]:
        for one in self._discovered():
            if isinstance(one, DiscoveredFile):
                yield one
            else:
                self.skipped.append(one)

    def _tasks(self, options: Options) -> Iterator[Task]:
        while self._without_task:  # More can be noted meanwhile.
            yield Task(*self._without_task.pop(), options)

    def _discovered(self) -> Iterator[DiscoveredFile | Skipped]:
        return discover(self._paths, no_ignore=self._no_ignore, exclude=self._exclude)
