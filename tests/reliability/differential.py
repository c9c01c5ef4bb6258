# SPDX-License-Identifier: Apache-2.0
"""Trains at random with this package's wrappers and with stock ones, and compares every bit.

    python -m tests.reliability.differential [--count 2000] [--seed 0] [--mode MODE] [--shrink 20]
    python -m tests.reliability.differential --replay JSON

A configuration says everything about a training: the inner optimizer with its options, a user's
subclass of it, the loss scale, dtypes and shapes, how the step is written and called, and the
faults of its gradients. Both sides run the same program, eager against eager, `tf.function` against
`tf.function`, and so on. After each step variables, slots, loss scale and counters must agree to
the bit. What fails is shrunk, and printed as JSON to replay and as a program.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import time

from tests.reliability import forked  # noqa: F401  # before numpy is imported

# isort: split
from tests.reliability.steps.configuration import MODES, Configuration
from tests.reliability.steps.drawing import Draw
from tests.reliability.steps.program import program
from tests.reliability.steps.running import is_failure, outcomes
from tests.reliability.steps.shrinking import kind, shrink

# Of each value of these it is counted how often it was tried, and with what outcome.
DIMENSIONS = (
    "mode",
    "structure",
    "family",
    "optimizer",
    "subclass",
    "way",
    "loss",
    "between",
    "compute_dtype",
    "dynamic",
    "event",
)


def main() -> int:
    """Runs from the command line. Returns 1 if anything failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shrink", type=int, default=20, help="failures to shrink at most")
    parser.add_argument("--replay", action="append", metavar="JSON", help="a configuration to run")
    parser.add_argument("--mode", choices=MODES, help="draw for this mode only")
    parser.add_argument("--counts", action="store_true", help="print the counts by dimension")
    options = parser.parse_args()
    draw = Draw(options.seed)
    configurations = [Configuration.from_json(text) for text in options.replay or ()]
    if not configurations:
        drawn = iter(draw.configuration, None)
        wanted = (one for one in drawn if options.mode in (None, one.mode))
        configurations = list(itertools.islice(wanted, options.count))
    started = time.monotonic()
    counts: collections.Counter[tuple[str, ...]] = collections.Counter()
    refusals: collections.Counter[str] = collections.Counter()
    failures = []
    for configuration, result in outcomes(configurations):
        outcome = "failed" if is_failure(result) else result.partition(":")[0]
        counts[(outcome,)] += 1
        for name in DIMENSIONS:
            counts[(name, str(getattr(configuration, name)), outcome)] += 1
        if outcome == "refused":
            refusals[result[:110]] += 1
        if options.replay or outcome in ("failed", "unsteady"):
            print(f"{result}\n    {configuration.to_json()}", flush=True)
        if outcome == "failed":
            failures.append((configuration, result))
    if options.counts:
        _print_counts(counts)
        for result, count in refusals.most_common():
            print(f"{count} {result}")
    for configuration, result in failures[: options.shrink]:
        _print_shrunk(*shrink(configuration, result))
    totals = ", ".join(f"{counts[(one,)]} {one}" for one in ("match", "refused", "unsteady"))
    print(
        f"{len(configurations)} configurations in {time.monotonic() - started:.0f} s: "
        f"{totals}, {len(failures)} failed"
    )
    return 1 if failures else 0


def _print_counts(counts: collections.Counter[tuple[str, ...]]) -> None:
    for name in DIMENSIONS:
        for value in sorted({key[1] for key in counts if key[0] == name}):
            shown = ", ".join(
                f"{count} {key[2]}" for key, count in sorted(counts.items())
                if key[:2] == (name, value)
            )  # fmt: skip
            print(f"{name} {value or 'none'}: {shown}")


def _print_shrunk(configuration: Configuration, result: str) -> None:
    print(f"\n{'=' * 80}\n{kind(result)}\n{result}\n{configuration.to_json()}\n")
    print(program(configuration), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
