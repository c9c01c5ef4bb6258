# SPDX-License-Identifier: Apache-2.0
"""Runs the codemod over files: searches them, migrates in workers meanwhile, and then writes.

Workers read the few files again that they parse, so that no sources pile up.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.prescan.byte_scan import can_run_with_old
from lossscale_codemods.project.discovery import DiscoveredFile
from lossscale_codemods.project.helper_sharing import shared
from lossscale_codemods.project.importers import used_by_others
from lossscale_codemods.reports.run_report import FileReport, RunReport
from lossscale_codemods.runner.atomic_writing import WriteRefusedError, write_atomically
from lossscale_codemods.runner.file_task import migrate_task
from lossscale_codemods.runner.further_passes import FurtherPasses
from lossscale_codemods.runner.interrupts import noting
from lossscale_codemods.runner.search import Search
from lossscale_codemods.runner.suppressing import suppressed
from lossscale_codemods.runner.undo import Undo, UndoError
from lossscale_codemods.runner.worker_pool import migrate_all
from lossscale_codemods.vocabulary.names import HELPER
from lossscale_codemods.vocabulary.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lossscale_codemods.vocabulary.options import Options

_JOBS_A_PROCESSOR = 4
"""More workers than this would only take memory."""
_BYTES_THAT_PAY = 150_000
"""Source that waits, below which another worker takes longer to start than it saves."""


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
    search = Search(paths, no_ignore=no_ignore, exclude=exclude)
    options = dataclasses.replace(options, mentions={})
    report = RunReport()
    results: dict[str, Result] = {}
    migrate = functools.partial(
        migrate_all,
        jobs=min(jobs or default_jobs(), _JOBS_A_PROCESSOR * default_jobs()),
        work=migrate_task,
        pays=0 if jobs else _BYTES_THAT_PAY,
    )
    try:
        for done, (task, result) in enumerate(migrate(search.steps(options), note=search.note), 1):
            if _is_to_keep(result) or result.asked or result.uses_old_api:
                results[task.name] = result
            if progress is not None:
                progress(done, len(search.to_parse))
        further = FurtherPasses(options, migrate, search)
        further.answer(results)
        _migrate_connected(results, further, search)
        results = {name: result for name, result in results.items() if _is_to_keep(result)}
        _keep_what_others_use(results, further, search)
    except KeyboardInterrupt:
        report.interrupted = True
        results.clear()  # They were not held against what other files use.
    if suppress:
        results = {
            name: suppressed(Path(name), result, options) for name, result in results.items()
        }
    homes = _share_helpers(results)
    report.looked_at, report.skipped = search.looked_at, search.skipped
    parsed = [(search.to_parse[name], result) for name, result in results.items()]
    decided = [*search.unreadable, *parsed]
    decided.sort(key=lambda one: one[0].name)
    if write and not report.interrupted:
        _write(report, decided, homes, undo)
    else:
        report.files = [FileReport(file.path, result) for file, result in decided]
    return report


def _is_to_keep(result: Result) -> bool:
    return bool(result.records) or result.status is not Status.UNCHANGED


def _migrate_connected(results: dict[str, Result], further: FurtherPasses, search: Search) -> None:
    """Migrates files that have no old names, and run in one program with files that have some.

    If the optimizers of such a file change, those of other programs that import it do so too. Such
    a file can also turn out to have old names, if a worker died over its first look.

    Args:
        results: What becomes of each file so far; changed in place.
        further: Migrates them.
        search: Knows all files.
    """
    changing = [name for name, result in results.items() if result.uses_old_api]
    known = set(changing)
    while changing:
        sizes = {}
        for name, other in search.connected(changing, can_run_with_old).items():
            if name not in known:
                further.tell(name, runs_with=other)
                sizes[name] = Path(name).stat().st_size
        known.update(sizes)
        further.migrate(results, sizes)
        migrated = {name: results[name] for name in sizes}
        changing = [n for n, r in migrated.items() if r.changes_optimizers or r.uses_old_api]


def _keep_what_others_use(
    results: dict[str, Result], further: FurtherPasses, search: Search
) -> None:
    """Migrates files again that would change names which other files, as they will be, use.

    Args:
        results: What becomes of each file so far; changed in place.
        further: Migrates them.
        search: Knows which files may use names of these.
    """
    while more := used_by_others(results, search.users):
        for name, other_users in more.items():
            exports = further.options_for(name).exports
            users = {**exports.users, **other_users}
            further.tell(name, exports=dataclasses.replace(exports, users=users))
        further.migrate(results, {name: len(results[name].source) for name in more})


def _share_helpers(results: dict[str, Result]) -> dict[str, str]:
    """Has files import the helper from others where they can, and returns from which."""
    sharing = shared(results)
    results.update({name: one.result for name, one in sharing.items()})
    return {name: one.home for name, one in sharing.items()}


def _write(
    report: RunReport,
    decided: Sequence[tuple[DiscoveredFile, Result]],
    homes: Mapping[str, str],
    undo: Path | None,
) -> None:
    """Writes what changed. Ctrl-C stops it between two files.

    Files that give up names come last: those that used these no longer do at that point. Files that
    import the helper from another come after that one.
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
        used = used_by_others(today, lambda _: today)
        for file, result in sorted(decided, key=lambda o: (o[0].name in used, o[0].name in homes)):
            if result.changed and problem:
                report.files.append(FileReport(file.path, result.refused(problem)))
            elif result.changed and not interrupt.noted:
                checked = _unless_used(file, result, left)
                checked = _unless_missing(checked, homes.get(file.name), left)
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
    users = used_by_others({file.name: result}, lambda _: left).get(file.name) if left else None
    if not users:
        return result
    name, user = min(users.items())
    return result.refused(f"{user} uses {name} of this file, and could not be written.")


def _unless_missing(result: Result, home: str | None, left: Sequence[str]) -> Result:
    """Refuses a change that would import the helper from a file that could not be written."""
    if not result.changed or home not in left:
        return result
    return result.refused(f"It would import {HELPER} from {home}, which could not be written.")


def _written(file: DiscoveredFile, result: Result) -> FileReport:
    if not result.changed:
        return FileReport(file.path, result)
    try:
        write_atomically(file.path, result.source, result.output, Path(file.root))
    except WriteRefusedError as error:
        return FileReport(file.path, result.refused(str(error)))
    return FileReport(file.path, result, written=True)
