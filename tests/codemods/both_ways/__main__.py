# SPDX-License-Identifier: Apache-2.0
"""Runs programs both ways, and says what came of it.

python -m tests.codemods.both_ways [PATTERN...] [--target keras3] [--all] [--record] [--verbose]
                                   [--diff] [--jobs N]
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import queue
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from lossscale_codemods.tables.names import Target

from tests.codemods.both_ways import table
from tests.codemods.both_ways.explaining import Kind, Verdict, verdict
from tests.codemods.both_ways.migrating import migrate
from tests.codemods.both_ways.programs import all_programs, selected
from tests.codemods.both_ways.results import Results, not_yet
from tests.codemods.both_ways.running import BothSides

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.codemods.both_ways.migrating import Migrated


def main() -> int:
    """Runs the command; returns 1 if a program is wrong that is not known to be."""
    arguments = _arguments()
    target = Target(arguments.target)
    results, known = Results(target), not_yet(target)
    counts: Counter[str] = Counter()
    wrong = 0
    with contextlib.ExitStack() as stack:
        if arguments.record:
            stack.callback(_record, results)
        for migrated, found in _verdicts(arguments, results, stack):
            program = migrated.program
            results.keep(migrated, found)
            is_wrong = found.kind is Kind.WRONG or (
                found.kind is Kind.NOT_A_PROGRAM and not program.may_be_part
            )
            wrong += is_wrong and program.id not in known
            counts[found.kind.value] += 1
            if is_wrong or program.id in known or arguments.verbose:
                mark = " (known)" if program.id in known else ""
                print(f"{program.id}: {found.kind.value}{mark}: {found.why}", flush=True)
                if arguments.diff:
                    _show(migrated)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.codemods.both_ways")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="such as 'guards/*'")
    targets = [target.value for target in Target]
    parser.add_argument("--target", choices=targets, default=Target.TF_KERAS.value)
    parser.add_argument("--all", action="store_true", help="run what did not change as well")
    parser.add_argument("--record", action="store_true", help="keep the verdicts, and the table")
    parser.add_argument("--verbose", action="store_true", help="say of each program what was found")
    parser.add_argument("--diff", action="store_true", help="show what is wrong as a diff")
    parser.add_argument("--jobs", type=int, default=1, help="how many programs to run at a time")
    return parser.parse_args()


def _verdicts(
    arguments: argparse.Namespace, results: Results, stack: contextlib.ExitStack
) -> Iterator[tuple[Migrated, Verdict]]:
    """Yields each program, migrated, and what was found of it."""
    free: queue.SimpleQueue[BothSides] = queue.SimpleQueue()
    for _ in range(arguments.jobs):
        free.put(stack.enter_context(BothSides(results.target)))

    def judge(migrated: Migrated) -> Verdict:
        found = None if arguments.all else results.recorded(migrated)
        if found is not None:
            return found
        sides = free.get()
        try:
            return verdict(migrated, *sides.run(migrated))
        finally:
            free.put(sides)

    pool = stack.enter_context(ThreadPoolExecutor(arguments.jobs))
    waiting = []
    for program in selected(arguments.patterns, results.target):
        migrated = migrate(program, results.target)
        waiting.append((migrated, pool.submit(judge, migrated)))
        while waiting and waiting[0][1].done():
            first, future = waiting.pop(0)
            yield first, future.result()
    for migrated, future in waiting:
        yield migrated, future.result()


def _record(results: Results) -> None:
    results.write({program.id for program in all_programs(results.target)})
    table.write(Results(results.target))


def _show(migrated: Migrated) -> None:
    for path, before in migrated.program.files.items():
        lines = before.splitlines(), migrated.files[path].splitlines()
        print("\n".join(difflib.unified_diff(*lines, path, path, lineterm="")))
    for finding in migrated.findings:
        print(f"finding: {finding}")


if __name__ == "__main__":
    sys.exit(main())
