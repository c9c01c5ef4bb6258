# SPDX-License-Identifier: Apache-2.0
"""Runs the codemod over files: searches them, migrates in workers, and then writes.

Workers read the few files again that they parse, so that no sources pile up.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lossscale_codemods.project.byte_scan import can_hold_old_name, can_run_with_old
from lossscale_codemods.project.discovery import DiscoveredFile, Skipped, discover
from lossscale_codemods.project.importers import ImportGraph, project_files, used_by_others
from lossscale_codemods.reports.run_report import FileReport, RunReport
from lossscale_codemods.running.one_file import migrate_task, suppressed, unreadable
from lossscale_codemods.running.processes import Task, Workers, noting
from lossscale_codemods.running.writing import Undo, UndoError, WriteRefusedError, write_atomically
from lossscale_codemods.source.reading import read
from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.records import Result, Status

_JOBS_A_PROCESSOR = 4
"""More workers than this would only take memory."""


def default_jobs() -> int:
    """Returns how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(
    paths: Sequence[Path],
    options: Options,
    *,
    write: bool = False,
    jobs: int | None = None,
    no_ignore: bool = False,
    exclude: Sequence[str] = (),
    undo: Path | None = None,
    suppress: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> RunReport:
    """Migrates files and folders.

    Nothing is written before it is known of every file what becomes of it.

    Args:
        paths: What to look at.
        options: What to do.
        write: Whether to write what changed.
        jobs: How many workers at most; by default, one a processor, and never more than four.
        no_ignore: Whether ignored and excluded files are looked at all the same.
        exclude: Patterns of files and folders to leave out, as `discover` takes them.
        suppress: Whether comments that suppress what is found are written instead of changes.
        undo: Where to write a patch that takes back what is written; nothing may be there yet.
        progress: Is told how many files are parsed, of how many that have to be so far.

    Returns:
        The report, by the files' names.
    """
    found = Found(paths, options, no_ignore=no_ignore, exclude=exclude)
    jobs_at_most = min(jobs or default_jobs(), _JOBS_A_PROCESSOR * default_jobs())
    report = RunReport()
    results: dict[str, Result] = {}
    try:
        found.search()
        with Workers(jobs_at_most, migrate_task) as workers:
            passes = Passes(found, workers, progress)
            passes.migrate(found.to_parse)
            passes.migrate_connected()
            passes.keep_what_others_use()
        results = {name: one for name, one in passes.results.items() if _is_to_keep(one)}
    except KeyboardInterrupt:
        report.interrupted = True
    if suppress:
        results = {
            name: suppressed(Path(name), result, options) for name, result in results.items()
        }
    report.looked_at, report.skipped = found.looked_at, found.skipped
    if not report.interrupted:
        report.skipped += found.not_named(results)
    decided = [*found.unreadable, *((found.files[name], one) for name, one in results.items())]
    decided.sort(key=lambda one: one[0].name)
    if write and not report.interrupted:
        _write(report, decided, undo)
    else:
        report.files = [FileReport(file.path, result) for file, result in decided]
    return report


def _is_to_keep(result: Result) -> bool:
    return bool(result.records) or result.status is not Status.UNCHANGED


class Found:
    """The files of a run, searched for words in their bytes; nothing is parsed."""

    def __init__(
        self, paths: Sequence[Path], options: Options, *, no_ignore: bool, exclude: Sequence[str]
    ) -> None:
        self.options = options
        self._paths = paths
        self._discovered = discover(paths, no_ignore=no_ignore, exclude=exclude)
        self.looked_at = 0
        self.files: dict[str, DiscoveredFile] = {}
        self.skipped: list[Skipped] = []
        self.unreadable: list[tuple[DiscoveredFile, Result]] = []
        self.sizes: dict[str, int] = {}
        self.to_parse: list[str] = []
        """The files that can hold an old name."""

    def search(self) -> None:
        """Reads all files."""
        for file in self._discovered:
            if isinstance(file, Skipped):
                self.skipped.append(file)
                continue
            self.looked_at += 1
            self.files[file.name] = file
            try:
                source = read(file.name)
            except OSError as error:
                self.unreadable.append((file, unreadable(error)))
                continue
            self.sizes[file.name] = len(source)
            if can_hold_old_name(source, self.options):
                self.to_parse.append(file.name)

    @functools.cached_property
    def project(self) -> list[str]:
        """The names of the files of their projects, and of these, by which they are known.

        What is installed is of no program: one package does not run because another one does.
        """
        names = [*project_files(self._paths), *self.files]
        return [one for one in names if "/site-packages/" not in os.path.abspath(one)]  # noqa: PTH100  # keeps links

    def connected(self, names: Sequence[str]) -> dict[str, str]:
        """Returns files that run in one program with others, each with one of these."""
        if self.looked_at < 2:
            return {}
        connected = self._graph.connected(names, self._can_change)
        return {name: other for name, other in connected.items() if name in self.files}

    def not_named(self, names: Iterable[str]) -> Iterator[Skipped]:
        """Yields the first file that may have to change with others, and was not named."""
        folders = {path.absolute() for path in self._paths if os.path.isdir(path)}
        connected = self._graph.connected([*names], self._can_change)
        left = [one for one in connected if folders.isdisjoint(Path(one).absolute().parents)]
        if left := sorted(set(left) - self.files.keys()):
            more = f"; {len(left) - 1} more likewise" if left[1:] else ""
            reason = f"it runs with {connected[left[0]]}, may have to change too, and was not named"
            yield Skipped(Path(left[0]), f"{reason}{more}")

    def _can_change(self, source: bytes) -> bool:
        target = self.options.target
        return can_run_with_old(source, target) or can_hold_old_name(source, self.options)

    @functools.cached_property
    def _graph(self) -> ImportGraph:
        return ImportGraph(self.project)

    def together(self, name: str) -> frozenset[str]:
        """Returns the files of the project that run in one program with one."""
        return self._graph.together(name)


class Passes:
    """Migrates files, and again when more is known of the files that they are used with."""

    def __init__(
        self, found: Found, workers: Workers, progress: Callable[[int, int], None] | None
    ) -> None:
        self.results: dict[str, Result] = {}
        self._found = found
        self._workers = workers
        self._progress = progress
        self._told: dict[str, Options] = {}

    def migrate(self, names: Iterable[str]) -> None:
        """Migrates files."""
        sizes = self._found.sizes
        tasks = [Task(name, sizes.get(name, 0), self._options_for(name)) for name in names]
        for done, (task, result) in enumerate(self._workers.migrate(tasks), 1):
            if _is_to_keep(result) or result.uses_old_api:
                self.results[task.name] = result
            else:
                self.results.pop(task.name, None)
            if self._progress is not None:
                self._progress(done, len(tasks))

    def migrate_connected(self) -> None:
        """Migrates files that have no old names, and run in one program with files that have some.

        If the optimizers of such a file change, those of other programs that import it do so too.
        Such a file can also turn out to have old names, if a worker died over its first look.
        """
        changing = [name for name, result in self.results.items() if result.uses_old_api]
        known = set(changing)
        while changing:
            connected = self._found.connected(changing)
            new = [name for name in connected if name not in known]
            for name in new:
                self._tell(name, runs_with=connected[name])
            known.update(new)
            self.migrate(new)
            migrated = [(name, self.results[name]) for name in new if name in self.results]
            changing = [n for n, one in migrated if one.changes_optimizers or one.uses_old_api]

    def keep_what_others_use(self) -> None:
        """Migrates files again that would change names which other files, as they will be, use."""
        while more := used_by_others(self.results, lambda: self._found.project):
            for name, users in more.items():
                exports = self._options_for(name).exports
                told = {**exports.users, **users}
                self._tell(name, exports=dataclasses.replace(exports, users=told))
                if told.keys() > exports.users.keys():
                    self.migrate([name])
                else:  # It was told before, and changes them nevertheless.
                    problem = "{1} uses {0} of this file.".format(*min(users.items()))
                    self.results[name] = self.results[name].refused(problem)

    def _options_for(self, name: str) -> Options:
        """Returns what is to be done with a file, with all that is known of it."""
        if name not in self._told:
            together = self._found.together(name)
            self._told[name] = dataclasses.replace(self._found.options, together=together)
        return self._told[name]

    def _tell(self, name: str, **known: Any) -> None:
        """Notes what is known of a file: attributes of `Options`."""
        self._told[name] = dataclasses.replace(self._options_for(name), **known)


def _write(
    report: RunReport, decided: Sequence[tuple[DiscoveredFile, Result]], undo: Path | None
) -> None:
    """Writes what changed. Ctrl-C stops it between two files.

    Files that give up names come last: those that used these no longer do at that point.
    """
    planned = [FileReport(file.path, result) for file, result in decided if result.changed]
    patch = Undo(undo) if undo is not None and planned else None
    with noting() as interrupt:
        problem = ""
        try:
            if patch is not None:
                patch.begin(planned)
        except UndoError as error:
            problem = f"{error} So nothing was written."
        left: list[str] = []
        today = {f.name: dataclasses.replace(r, output=r.source) for f, r in decided if r.changed}
        used = used_by_others(today, lambda: today)
        for file, result in sorted(decided, key=lambda one: one[0].name in used):
            if result.changed and problem:
                report.files.append(FileReport(file.path, result.refused(problem)))
            elif result.changed and not interrupt.noted:
                checked = _unless_used(file, result, left)
                report.files.append(_written(file, checked))
                if not report.files[-1].written:
                    left.append(file.name)
            else:
                report.files.append(FileReport(file.path, result))
        report.files.sort(key=lambda file: str(file.path))
        report.interrupted = interrupt.noted
        if patch is not None and not problem:
            try:
                patch.finish(planned, [file for file in report.files if file.written])
            except UndoError as error:
                report.problems.append(str(error))


def _unless_used(file: DiscoveredFile, result: Result, left: Sequence[str]) -> Result:
    """Refuses a change that would take a name from a file that could not be written."""
    users = used_by_others({file.name: result}, lambda: left).get(file.name) if left else None
    if not users:
        return result
    name, user = min(users.items())
    return result.refused(f"{user} uses {name} of this file, and could not be written.")


def _written(file: DiscoveredFile, result: Result) -> FileReport:
    if not result.changed:
        return FileReport(file.path, result)
    try:
        write_atomically(file.path, result.source, result.output, Path(file.root))
    except WriteRefusedError as error:
        return FileReport(file.path, result.refused(str(error)))
    return FileReport(file.path, result, written=True)
