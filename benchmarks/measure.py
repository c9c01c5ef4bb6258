# SPDX-License-Identifier: Apache-2.0
"""Measuring things that are compared: in turns, within one run, with medians and spread.

On a shared machine a second's figures differ from the next one's. What is compared is therefore
run in turns, a few milliseconds each, and a ratio is taken within each round.
"""

from __future__ import annotations

import dataclasses
import gc
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class Spread:
    """A figure of many rounds.

    Attributes:
        median: The middle round's figure.
        low: A quarter of the rounds are below it.
        high: A quarter of the rounds are above it.
    """

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, figures: Sequence[float]) -> Spread:
        """The spread of the rounds' figures."""
        if len(figures) == 1:
            return cls(figures[0], figures[0], figures[0])
        low, median, high = statistics.quantiles(figures, n=4, method="inclusive")
        return cls(median, low, high)


Rounds = Mapping[str, Sequence[float]]
"""By candidate, the seconds that one call took in each round."""


def in_turns(
    candidates: Mapping[str, Callable[[], object]],
    *,
    rounds: int = 40,
    seconds: float = 0.02,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Times candidates in turns.

    Each is called once before, so that what is made on first use is not counted.

    Args:
        candidates: What to call, by name.
        rounds: How many rounds. In every second one the order is turned round.
        seconds: How long one candidate's turn lasts, about.
        clock: Gives seconds.

    Returns:
        For each candidate, the seconds that one call took in each round.
    """
    repeats = {name: _repeats(call, seconds) for name, call in candidates.items()}
    taken: dict[str, list[float]] = {name: [] for name in candidates}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for number in range(rounds):
            order = list(candidates) if number % 2 else list(reversed(candidates))
            for name in order:
                call, times = candidates[name], range(repeats[name])
                start = clock()
                for _ in times:
                    call()
                taken[name].append((clock() - start) / repeats[name])
            gc.collect(0)
    finally:
        if collecting:
            gc.enable()
    return taken


def overhead(rounds: Rounds, of: str, over: str) -> Spread:
    """What one candidate takes more than another, in seconds."""
    return Spread.of([a - b for a, b in zip(rounds[of], rounds[over], strict=True)])


def overhead_ratio(rounds: Rounds, of: str, to: str, over: str) -> Spread:
    """One candidate's overhead as a share of another one's.

    Args:
        rounds: The times.
        of: The candidate in question.
        to: The one it is compared to.
        over: What both do in any case.

    Returns:
        `(of - over) / (to - over)`. The median is that of the medians' ratio; the spread is the
        quartiles of the rounds' own ratios.
    """
    every = zip(rounds[of], rounds[to], rounds[over], strict=True)
    ratios = [(a - base) / (b - base) for a, b, base in every if b > base]
    mine, other = overhead(rounds, of, over).median, overhead(rounds, to, over).median
    median = mine / other if other else math.nan
    spread = Spread.of(ratios or [median])
    return Spread(median, spread.low, spread.high)


def ratio(rounds: Rounds, of: str, to: str) -> Spread:
    """One candidate's time as a share of another one's."""
    return Spread.of([a / b for a, b in zip(rounds[of], rounds[to], strict=True)])


def _repeats(call: Callable[[], object], seconds: float) -> int:
    call()
    start = time.perf_counter()
    call()
    return max(1, round(seconds / max(time.perf_counter() - start, 1e-9)))
