# SPDX-License-Identifier: Apache-2.0
"""A run's files, searched for words: which have to be parsed, and which may use names of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.discovery import Found, Skipped, discover
from lossscale_codemods.full_look import read, unreadable
from lossscale_codemods.importers import can_hand_on, project_files
from lossscale_codemods.prefilter import can_hold_old_name, markers_in
from lossscale_codemods.workers import Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from lossscale_codemods.options import Options
    from lossscale_codemods.records import Result


class Search:
    """A walk over all files, and the few of which something is remembered.

    Args:
        paths: Files and folders.
        no_ignore: Whether ignored and excluded files are looked at all the same.
        exclude: Names of folders to leave out.
    """

    def __init__(self, paths: Sequence[Path], *, no_ignore: bool, exclude: Sequence[str]) -> None:
        self._paths = paths
        self._no_ignore = no_ignore
        self._exclude = exclude
        self.looked_at = 0
        self.skipped: list[Skipped] = []
        self.unreadable: list[tuple[Found, Result]] = []
        self.to_parse: dict[str, Found] = {}
        """The files that have to be parsed, by their names."""
        self._marked: list[str] = []
        """Files that have a marker, or may hand on what they do not name."""

    def tasks(self, options: Options) -> Iterator[Task | None]:
        """Yields a task for each file that has to be parsed, and nothing for each other one."""
        for one in self._discovered():
            if isinstance(one, Skipped):
                self.skipped.append(one)
                continue
            self.looked_at += 1
            try:
                source = read(one.name)
            except OSError as error:
                self.unreadable.append((one, unreadable(error)))
                continue
            markers = markers_in(source)
            if markers or can_hand_on(source):
                self._marked.append(one.name)
            if can_hold_old_name(source, markers):
                self.to_parse[one.name] = one
                yield Task(one.name, len(source), options)
            else:
                yield None

    def users(self, names: set[str]) -> Iterator[str]:
        """Yields the files that may use any of these names of others."""
        if all(markers_in(name.encode()) for name in names):
            # Who uses such a name has the marker too.
            yield from self._marked
        else:
            yield from (one.name for one in self._discovered() if isinstance(one, Found))
        yield from project_files(self._paths)

    def _discovered(self) -> Iterator[Found | Skipped]:
        return discover(self._paths, no_ignore=self._no_ignore, exclude=self._exclude)
