# SPDX-License-Identifier: Apache-2.0
"""Runs the engine over files: reads, prefilters, spreads over workers where that pays, writes."""

from __future__ import annotations

import dataclasses
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.discovery import Found, Skipped, discover
from lossscale_codemods.importers import project_files, shared
from lossscale_codemods.names import can_hold_old_name
from lossscale_codemods.records import Result, Status
from lossscale_codemods.writing import WriteRefusedError, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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
    """A file that has to be parsed; whoever parses it reads it again."""

    found: Found
    size: int


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
    named = {str(path) for path in paths}

    @functools.cache
    def all_files() -> tuple[Path, ...]:
        found = discover(paths, no_ignore=no_ignore, exclude=exclude)
        return tuple(f.path for f in found if isinstance(f, Found))

    try:
        found = discover(paths, no_ignore=no_ignore, exclude=exclude)
        candidates = list(_candidates(found, report))
        if not candidates:
            return report
        made = options()
        for index, (candidate, result) in enumerate(_results(candidates, made, jobs), 1):
            final = result
            if result.removed:
                path = candidate.found.path
                others = project_files(path) if candidate.found.name in named else []
                final = _with_shared(path, result, made, [*all_files(), *others])
            if final.records or final.status is not Status.UNCHANGED:
                report.files.append(_finished(candidate, final, write))
            if progress is not None:
                progress(index, len(candidates))
    except KeyboardInterrupt:
        report.interrupted = True
    report.files.sort(key=lambda file: str(file.path))
    return report


def _candidates(found: Iterable[Found | Skipped], report: RunReport) -> Iterator[Candidate]:
    """Yields the files that have to be parsed. One file's source is held at a time."""
    for one in found:
        if isinstance(one, Skipped):
            report.skipped.append(one)
            continue
        report.looked_at += 1
        try:
            source = _read(one.name)
        except OSError as error:
            report.files.append(FileReport(one.path, _unreadable(error)))
            continue
        if can_hold_old_name(source):
            yield Candidate(one, len(source))


def _read(name: str) -> bytes:
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123  # a path object costs more
        return file.read()


def _unreadable(error: OSError) -> Result:
    problem = f"It cannot be read: {error.strerror or error}."
    return Result(b"", b"", Status.UNREADABLE, problem=problem)


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


def _migrate(candidate: Candidate, options: Options) -> Result:
    try:
        source = _read(candidate.found.name)
    except OSError as error:
        return _unreadable(error)
    return migrate_file(candidate.found.path, source, options)


def _with_shared(path: Path, result: Result, options: Options, others: Sequence[Path]) -> Result:
    """Migrates a file again, without taking out the variables that other files may import."""
    if path.suffix == ".ipynb":
        return result
    keep = shared(path, result.removed, others)
    if not keep:
        return result
    return migrate_file(path, result.source, dataclasses.replace(options, shared=keep))


def _finished(candidate: Candidate, result: Result, write: bool) -> FileReport:
    path = candidate.found.path
    if not write or not result.changed:
        return FileReport(path, result)
    try:
        write_atomically(path, result.source, result.output, Path(candidate.found.root))
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
    size = sum(c.size for c in candidates)
    if workers < 2 or (jobs is None and size < _BYTES_THAT_PAY):
        for candidate in candidates:
            yield candidate, _migrate(candidate, options)
        return
    from lossscale_codemods.workers import in_workers

    # The largest first, so that no worker is left with it at the end.
    ordered = sorted(candidates, key=lambda c: -c.size)
    for candidate, result in in_workers(_migrate, ordered, options, workers):
        yield candidate, _DIED if result is None else result


_DIED = Result(
    b"",
    b"",
    Status.UNREADABLE,
    problem="The worker that parsed it died, so nothing is known of it.",
)
