# SPDX-License-Identifier: Apache-2.0
"""Runs the engine over files: reads, prefilters, spreads over workers where that pays, writes."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

from lossscale_codemods.discovery import Found, Skipped, discover
from lossscale_codemods.importers import project_files, shared
from lossscale_codemods.names import can_hold_old_name
from lossscale_codemods.records import Result, Status
from lossscale_codemods.writing import WriteRefusedError, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from lossscale_codemods.engine import Options

_BYTES_THAT_PAY = 150_000
"""Source to parse below which starting workers takes longer than they save."""


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


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A file that has to be parsed."""

    found: Found
    source: bytes


def default_jobs() -> int:
    """Returns how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(
    paths: Sequence[Path],
    options: Callable[[], Options],
    *,
    write: bool = False,
    jobs: int | None = None,
    no_ignore: bool = False,
    exclude: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> RunReport:
    """Migrates files and folders.

    Args:
        paths: What to look at.
        options: Makes the options; not called if no file has to be parsed.
        write: Whether to write what changed.
        jobs: How many workers at most; by default, one a processor.
        no_ignore: Whether ignored and excluded files are looked at all the same.
        exclude: Names of folders to leave out.
        progress: Is told how many of how many files are done.

    Returns:
        The report, in the order in which the files were found.
    """
    report = RunReport()
    candidates: list[Candidate] = []
    seen: list[Path] = []
    for found in discover(paths, no_ignore=no_ignore, exclude=exclude):
        if isinstance(found, Skipped):
            report.skipped.append(found)
            continue
        report.looked_at += 1
        seen.append(found.path)
        try:
            source = found.path.read_bytes()
        except OSError as error:
            problem = f"It cannot be read: {error.strerror or error}."
            result = Result(b"", b"", Status.UNREADABLE, problem=problem)
            report.files.append(FileReport(found.path, result))
            continue
        if can_hold_old_name(source):
            candidates.append(Candidate(found, source))
    if not candidates:
        return report
    made = options()
    try:
        for index, (candidate, result) in enumerate(_results(candidates, made, jobs), 1):
            final = result
            if result.removed:
                named = candidate.found.path in paths
                others = project_files(candidate.found.path) if named else []
                final = _with_shared(candidate, result, made, [*seen, *others])
            if final.records or final.status is not Status.UNCHANGED:
                report.files.append(_finished(candidate, final, write))
            if progress is not None:
                progress(index, len(candidates))
    except KeyboardInterrupt:
        report.interrupted = True
    report.files.sort(key=lambda file: str(file.path))
    return report


def migrate_file(path: Path, source: bytes, options: Options) -> Result:
    """Migrates what was read from a file; a mistake of ours becomes a report, not a traceback."""
    from lossscale_codemods.engine import migrate
    from lossscale_codemods.notebook import migrate_notebook
    from lossscale_codemods.relative import relative_imports

    relative = relative_imports(path)
    try:
        if path.suffix == ".ipynb":
            return migrate_notebook(source, options, relative)
        return migrate(source, options, relative)
    except Exception as error:  # One bad file must not stop the others.
        problem = (
            f"This is a mistake in the codemod ({type(error).__name__}: {error}). The file is as "
            "it was; please report it."
        )
        return Result(source, source, Status.REFUSED, problem=problem)


def _with_shared(
    candidate: Candidate, result: Result, options: Options, seen: Sequence[Path]
) -> Result:
    """Migrates a file again, without taking out the variables that other files may import."""
    path = candidate.found.path
    if path.suffix == ".ipynb":
        return result
    keep = shared(path, result.removed, seen)
    if not keep:
        return result
    return migrate_file(path, candidate.source, dataclasses.replace(options, shared=keep))


def _finished(candidate: Candidate, result: Result, write: bool) -> FileReport:
    path = candidate.found.path
    if not write or not result.changed:
        return FileReport(path, result)
    try:
        write_atomically(path, result.source, result.output, candidate.found.root)
    except WriteRefusedError as error:
        refused = dataclasses.replace(
            result, status=Status.REFUSED, output=result.source, problem=str(error)
        )
        return FileReport(path, refused)
    return FileReport(path, result, written=True)


def _results(
    candidates: Sequence[Candidate], options: Options, jobs: int | None
) -> Iterator[tuple[Candidate, Result]]:
    workers = min(jobs or default_jobs(), len(candidates))
    size = sum(len(c.source) for c in candidates)
    if workers < 2 or (jobs is None and size < _BYTES_THAT_PAY):
        for candidate in candidates:
            yield candidate, migrate_file(candidate.found.path, candidate.source, options)
        return
    done: set[int] = set()
    # The largest first, so that no worker is left with it at the end.
    order = sorted(range(len(candidates)), key=lambda i: -len(candidates[i].source))
    try:
        with concurrent.futures.ProcessPoolExecutor(workers) as pool:
            futures = {
                pool.submit(
                    migrate_file, candidates[i].found.path, candidates[i].source, options
                ): i
                for i in order
            }
            try:
                for future in concurrent.futures.as_completed(futures):
                    index = futures[future]
                    result = future.result()
                    done.add(index)
                    yield candidates[index], result
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    except BrokenProcessPool:
        for index in range(len(candidates)):
            if index not in done:
                yield candidates[index], _alone(candidates[index], options)


def _alone(candidate: Candidate, options: Options) -> Result:
    """Migrates one file in a worker of its own, because some file makes workers die."""
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(
                migrate_file, candidate.found.path, candidate.source, options
            ).result()
        except BrokenProcessPool:
            problem = "The worker that parsed it died, so nothing is known of it."
            return Result(candidate.source, candidate.source, Status.UNREADABLE, problem=problem)
