# SPDX-License-Identifier: Apache-2.0
"""Runs the whole codemod over every Python file below some folders; none is skipped by its bytes.

    python -m tests.reliability.sweep ROOT... [--jobs 2] [--leave-out NAME] [--plant-every N]

Most files hold no old name, and a run never parses them. Here every file meets the parser and the
resolver, twice: as it is, and with an old call planted behind its last line. As it is, nothing may
change unless an old name stands in it, and nothing may be found in a file that the byte scan passes
over. With the call, either just that call changes and every other byte is kept, or the file is
reported, with the reason. Nothing may crash, and every file that is on the disk must be in the
codemod's report of the folder.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import gc
import hashlib
import multiprocessing
import multiprocessing.pool
import os
import re
import sys
import threading
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from lossscale_codemods.project import discovery
from lossscale_codemods.project.byte_scan import can_hold_old_name
from lossscale_codemods.project.discovery import SUFFIXES
from lossscale_codemods.rules.base import all_rules
from lossscale_codemods.running import one_file
from lossscale_codemods.tables.options import Options, Selection
from lossscale_codemods.tables.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection

OLD_NAME = re.compile(rb"LossScale|mixed_precision|loss_scale\b")
"""A file without these cannot hold an old name, however it is spelled."""
BEFORE = (
    b"import tensorflow as planted\n"
    b"planted.keras.mixed_precision.experimental.set_policy('float32')\n"
)
AFTER = BEFORE.replace(b"experimental.set_policy", b"set_global_policy")
SECONDS = 300
"""What one file may take."""
BESIDE = frozenset(rule.id for rule in all_rules() if rule.group_markers)
"""The rules for names next to the loss-scale API."""
WITHOUT_BESIDE = Options(selection=Selection(ignore=tuple(BESIDE)))


@dataclasses.dataclass
class Tally:
    """What became of the files."""

    files: int = 0
    distinct: int = 0
    done: int = 0
    bytes: int = 0
    unreported: int = 0
    outcomes: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    failures: list[str] = dataclasses.field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")

    def lines(self) -> Iterator[str]:
        """Yields the report."""
        yield f"{self.files:,} files, {self.bytes:,} bytes"
        yield f"{self.distinct:,} different files, {self.done:,} of them done"
        for outcome, count in sorted(self.outcomes.items()):
            yield f"  {outcome}: {count:,}"
        yield f"  slowest: {self.slowest[0]:.1f} s, {self.slowest[1]}"
        yield f"{self.unreported} files missing from the codemod's own report"
        yield f"{len(self.failures)} failures"
        yield from self.failures[:50]


def main() -> int:
    """Runs from the command line. Returns 1 if anything failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--leave-out", nargs="*", default=[], help="names of folders")
    parser.add_argument("--plant-every", type=int, default=1, help="plant a call in one of so many")
    options = parser.parse_args()
    started = time.monotonic()
    tally = sweep(options.roots, options.jobs, options.leave_out, options.plant_every)
    print("\n".join(tally.lines()))
    print(f"{time.monotonic() - started:.0f} s")
    return int(bool(tally.failures or tally.unreported))


def sweep(
    roots: Sequence[Path], jobs: int = 1, leave_out: Sequence[str] = (), plant_every: int = 1
) -> Tally:
    """Runs the codemod over every file below the folders.

    Args:
        roots: The folders.
        jobs: How many processes.
        leave_out: Names of folders that are not looked into.
        plant_every: A call is planted in every so many files; in all by default.

    Returns:
        What became of the files.
    """
    tally = Tally()
    different: dict[bytes, Path] = {}
    for root in roots:
        on_disk = sorted(
            Path(folder, name)
            for folder, folders, names in os.walk(root)
            for name in _without(leave_out, folders, names)
            if name.endswith(SUFFIXES)
        )
        tally.files += len(on_disk)
        tally.unreported += _unreported(root, on_disk)
        for path in on_disk:
            if path.is_file():
                source = path.read_bytes()
                tally.bytes += len(source)
                different.setdefault(hashlib.sha256(source).digest(), path)
    paths = list(different.values())
    tally.distinct = len(paths)
    shards = [paths[number::jobs] for number in range(jobs)]
    lock = threading.Lock()

    def examine_all(shard: Sequence[Path]) -> None:
        for path, seconds, found, problems in _isolated(shard, plant_every):
            with lock:
                tally.done += 1
                tally.outcomes.update(found)
                tally.failures += [f"{path}: {problem}" for problem in problems]
                tally.slowest = max(tally.slowest, (seconds, str(path)))
                if tally.done % 500 == 0:
                    print("\n".join(tally.lines()), file=sys.stderr, flush=True)

    with multiprocessing.pool.ThreadPool(jobs) as threads:
        threads.map(examine_all, shards)
    return tally


def _without(leave_out: Sequence[str], folders: list[str], names: list[str]) -> list[str]:
    folders[:] = [folder for folder in folders if folder not in leave_out]
    return names


def _unreported(root: Path, on_disk: Sequence[Path]) -> int:
    """Counts the files that a run of the codemod neither looks at nor names."""
    found = list(discovery.discover([root], no_ignore=True))
    named = {os.path.realpath(one.path) for one in found}
    wanted = {os.path.realpath(path) for path in on_disk}
    return len(wanted - named)


def _isolated(
    paths: Sequence[Path], plant_every: int
) -> Iterator[tuple[Path, float, list[str], list[str]]]:
    """Yields what becomes of each file, in a process that may die without ending the sweep."""
    todo = list(paths)
    while todo:
        ours, theirs = multiprocessing.Pipe()
        worker = multiprocessing.get_context("fork").Process(
            target=_work, args=(todo, theirs, plant_every)
        )
        worker.start()
        theirs.close()
        done = 0
        why = "it took too long"
        try:
            while done < len(todo) and ours.poll(SECONDS):
                yield (todo[done], *ours.recv())
                done += 1
        except EOFError:
            worker.join()
            why = f"the process died ({worker.exitcode})"
        worker.kill()
        worker.join()
        if done < len(todo):
            yield todo[done], 0.0, ["crashed"], [why]
            done += 1
        del todo[:done]


def _work(paths: Sequence[Path], results: Connection, plant_every: int) -> None:
    everything = mock.Mock(return_value=True)
    with mock.patch.object(one_file, "can_hold_old_name", everything):
        gc.disable()  # A syntax tree lives for one file, and is large.
        gc.freeze()  # What is there before need not be looked through for each file.
        for path in paths:
            started = time.monotonic()
            found, problems = examine(path, plant=zlib.crc32(path.name.encode()) % plant_every == 0)
            results.send((time.monotonic() - started, found, problems))
            gc.collect()


def examine(path: Path, *, plant: bool = True) -> tuple[list[str], list[str]]:
    """Migrates one file, bare and with an old call behind it. Returns outcomes and failures."""
    source = path.read_bytes()
    options = Options()
    bare = one_file.migrate_file(path, source, options)
    found, problems = [f"as it is: {_outcome(bare)}"], list(_wrong(bare, source))
    if bare.changed and not OLD_NAME.search(source):
        problems.append("changed although no old name stands in it")
    seen = can_hold_old_name(source)
    if (
        not seen
        and bare.status is not Status.UNREADABLE
        and (bare.output != source or bare.records)
    ):
        problems.append("the byte scan passes over it")
    if path.suffix == ".ipynb" or not plant:
        return found, problems
    newline = b"\r\n" if b"\r\n" in source else b"\n"
    start = source if not source or source.endswith((b"\n", b"\r")) else source + newline
    before, after = (start + part.replace(b"\n", newline) for part in (BEFORE, AFTER))
    planted = one_file.migrate_file(path, before, options)
    found.append(f"with a call: {_outcome(planted)}")
    problems += _wrong(planted, before)
    if planted.changed and {record.rule for record in planted.records} & BESIDE:
        # With the call, it is a program of the old API, whose other names change as well.
        found.append("with a call: changed beside it")
        planted = one_file.migrate_file(path, before, WITHOUT_BESIDE)
        problems += _wrong(planted, before)
    if bare.status is Status.UNCHANGED and not bare.records:
        if planted.changed and planted.output != after:
            problems.append("changed something else than the planted call")
        if planted.status is Status.UNCHANGED:
            problems.append("passed over the planted call in silence")
    return found, problems


def _wrong(result: Result, given: bytes) -> Iterator[str]:
    if "mistake in the codemod" in result.problem:
        yield result.problem
    if not result.changed and result.output != given:
        yield "other bytes, although nothing is said to have changed"
    if result.status in (Status.UNREADABLE, Status.REFUSED) and not result.problem:
        yield f"{result.status.value} without a reason"


def _outcome(result: Result) -> str:
    reason = re.sub(r"\d+|'[^']*'|\(.*", "…", result.problem).split(". ")[0].split(": ")[0]
    return f"{result.status.value}, {reason}" if reason else result.status.value


if __name__ == "__main__":
    sys.exit(main())
