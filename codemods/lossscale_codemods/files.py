# SPDX-License-Identifier: Apache-2.0
"""Runs the codemod over files: finds and reads them, migrates in workers, and then writes.

Here, a file's bytes are only searched for words; workers parse the few that have them meanwhile,
and read them again, so that no sources pile up.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.discovery import Found, Skipped, discover
from lossscale_codemods.exports import Exports
from lossscale_codemods.full_look import look_at, read, unreadable
from lossscale_codemods.importers import project_files, used_by_others
from lossscale_codemods.interrupts import noting
from lossscale_codemods.prefilter import can_hold_old_name
from lossscale_codemods.records import Result, Status
from lossscale_codemods.undo import Undo, UndoError
from lossscale_codemods.workers import Task, migrate_all
from lossscale_codemods.writing import WriteRefusedError, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lossscale_codemods.options import Options


@dataclasses.dataclass(frozen=True)
class FileReport:
    """What became of one file.

    Attributes:
        path: The file, as it was named or found.
        result: What the engine made of it.
        written: Whether the change is on the disk.
    """

    path: Path
    result: Result
    written: bool = False


@dataclasses.dataclass
class RunReport:
    """What became of all files of a run."""

    files: list[FileReport] = dataclasses.field(default_factory=list)
    """Files in which there is an old name, or that could not be read."""
    skipped: list[Skipped] = dataclasses.field(default_factory=list)
    looked_at: int = 0
    interrupted: bool = False
    problems: list[str] = dataclasses.field(default_factory=list)
    """What went wrong besides, that belongs to no file."""


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
    progress: Callable[[int, int], None] | None = None,
) -> RunReport:
    """Migrates files and folders.

    Nothing is written before it is known of every file what becomes of it.

    Args:
        paths: What to look at.
        options: What to do.
        write: Whether to write what changed.
        jobs: How many workers at most; by default, one a processor.
        no_ignore: Whether ignored and excluded files are looked at all the same.
        exclude: Names of folders to leave out.
        undo: Where to write a patch that takes back what is written; nothing may be there yet.
        progress: Is told how many files are parsed, of how many that have to be so far.

    Returns:
        The report, by the files' names.
    """
    report = RunReport()
    decided: list[tuple[Found, Result]] = []
    jobs = jobs or default_jobs()
    try:
        found = discover(paths, no_ignore=no_ignore, exclude=exclude)
        marked: dict[str, Found] = {}
        tasks = _tasks(found, options, marked, report, decided)
        results: dict[str, Result] = {}
        for done, (task, result) in enumerate(migrate_all(tasks, jobs, look_at), 1):
            if result.records or result.status is not Status.UNCHANGED:
                results[task.name] = result
            if progress is not None:
                progress(done, len(marked))
        others = functools.partial(_others, paths, no_ignore=no_ignore, exclude=exclude)
        _keep_what_others_use(results, options, jobs, others)
        decided.extend((marked[name], result) for name, result in results.items())
    except KeyboardInterrupt:
        report.interrupted = True
    decided.sort(key=lambda one: one[0].name)
    if write and not report.interrupted:
        _write(report, decided, undo)
    else:
        report.files = [FileReport(found.path, result) for found, result in decided]
    return report


def _keep_what_others_use(
    results: dict[str, Result],
    options: Options,
    jobs: int,
    others: Callable[[], Iterable[str]],
) -> None:
    """Migrates files again that would change names which other files, as they will be, use.

    Args:
        results: What becomes of each file so far; changed in place.
        options: What to do.
        jobs: How many workers at most.
        others: Finds the names of all files that may use names of these.
    """
    users: dict[str, dict[str, str]] = {}
    while more := used_by_others(results, others):
        for name, found in more.items():
            users[name] = {**users.get(name, {}), **found}
        again = [
            Task(
                name,
                len(results[name].source),
                dataclasses.replace(options, exports=Exports(users=users[name])),
            )
            for name in more
        ]
        for task, result in migrate_all(again, jobs, look_at):
            results[task.name] = result


def _others(paths: Sequence[Path], *, no_ignore: bool, exclude: Sequence[str]) -> Iterator[str]:
    """Yields the names of the files that may use names of those that a run looks at."""
    for one in discover(paths, no_ignore=no_ignore, exclude=exclude):
        if isinstance(one, Found):
            yield one.name
    yield from project_files(paths)


def _write(report: RunReport, decided: Sequence[tuple[Found, Result]], undo: Path | None) -> None:
    """Writes what changed. Ctrl-C stops it between two files.

    Files that give up names come last: those that used these no longer do by then.
    """
    planned = [FileReport(found.path, result) for found, result in decided if result.changed]
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
        for found, result in sorted(decided, key=lambda one: one[0].name in used):
            if result.changed and problem:
                report.files.append(FileReport(found.path, result.refused(problem)))
            elif result.changed and not interrupt.noted:
                report.files.append(_written(found, _unless_used(found, result, left)))
                if not report.files[-1].written:
                    left.append(found.name)
            else:
                report.files.append(FileReport(found.path, result))
        report.files.sort(key=lambda file: str(file.path))
        report.interrupted = interrupt.noted
        if patch is not None and not problem:
            try:
                patch.finish(planned, [file for file in report.files if file.written])
            except UndoError as error:
                report.problems.append(str(error))


def _unless_used(found: Found, result: Result, left: Sequence[str]) -> Result:
    """Refuses a change that would take a name from a file that could not be written."""
    users = used_by_others({found.name: result}, lambda: left).get(found.name) if left else None
    if not users:
        return result
    name, user = min(users.items())
    return result.refused(f"{user} uses {name} of this file, and could not be written.")


def _written(found: Found, result: Result) -> FileReport:
    if not result.changed:
        return FileReport(found.path, result)
    try:
        write_atomically(found.path, result.source, result.output, Path(found.root))
    except WriteRefusedError as error:
        return FileReport(found.path, result.refused(str(error)))
    return FileReport(found.path, result, written=True)


def _tasks(
    found: Iterable[Found | Skipped],
    options: Options,
    marked: dict[str, Found],
    report: RunReport,
    decided: list[tuple[Found, Result]],
) -> Iterator[Task | None]:
    """Yields a task for each file that has to be parsed, and nothing for the others."""
    for one in found:
        if isinstance(one, Skipped):
            report.skipped.append(one)
            continue
        report.looked_at += 1
        try:
            source = read(one.name)
        except OSError as error:
            decided.append((one, unreadable(error)))
            continue
        if can_hold_old_name(source):
            marked[one.name] = one
            yield Task(one.name, len(source), options)
        else:
            yield None
