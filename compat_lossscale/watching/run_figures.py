# SPDX-License-Identifier: Apache-2.0
"""What a loss scale did in a run, in figures."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import defaultdict

from compat_lossscale.watching.logged_run import LoggedRun

_PLAIN = 10
"""Powers of 2 up to this one are written as numbers."""


@dataclasses.dataclass(frozen=True)
class VariableOverflows:
    """A variable whose gradient overflowed first in skipped steps.

    Attributes:
        variable: Its name.
        times: In how many of the steps that were looked at.
        highest_share: The highest share of elements that were not finite.
        place: The first of these steps or epochs.
    """

    variable: str
    times: int
    highest_share: float
    place: float


@dataclasses.dataclass(frozen=True)
class RunFigures:
    """What a loss scale did in a run.

    Attributes:
        unit: `step`, or `epoch` if only the end of each epoch was logged.
        steps: The steps of the run; `None` if they are not known.
        skipped: The skipped steps; `None` if they were not counted.
        longest_skip: The most skipped steps in a row; `None` if they were not counted.
        longest_skip_is_exact: Whether every step was logged. Otherwise there may be more.
        time: What the next two are part of: the logged steps, or the logged rows if the steps are
            not known.
        at_floor: After how many of them the loss scale was at its floor.
        at_cap: After how many of them it was at its cap.
        floor: The lowest value that it can have.
        cap: The highest value that it can have.
        growths: How often it was higher than in the row before.
        backoffs: How often it was lower.
        first_scale: The first logged value.
        last_scale: The last logged value.
        lowest_scale: The lowest logged value.
        highest_scale: The highest logged value.
        overflows: Which gradients overflowed first, the most frequent one first; empty if that was
            not asked for.
        run: The logged values.
    """

    unit: str
    steps: int | None
    skipped: int | None
    longest_skip: int | None
    longest_skip_is_exact: bool
    time: int
    at_floor: int
    at_cap: int
    floor: float
    cap: float
    growths: int
    backoffs: int
    first_scale: float
    last_scale: float
    lowest_scale: float
    highest_scale: float
    overflows: tuple[VariableOverflows, ...]
    run: LoggedRun = dataclasses.field(repr=False)

    @property
    def skipped_share(self) -> float | None:
        """The share of steps that were skipped; `None` if it is not known."""
        return None if self.skipped is None or not self.steps else self.skipped / self.steps


def figures_of(run: LoggedRun) -> RunFigures:
    """Returns the figures of a run."""
    scales, setting = run.scales, run.setting
    weights = run.steps or (1,) * len(scales)
    # Where it started is known of a logger only.
    start = setting.start.get("loss_scale")
    known = [*([] if start is None else [start]), *scales]
    moves = [now - before for before, now in itertools.pairwise(known)]
    dynamic = setting.is_dynamic

    def time_at(*, floor: bool) -> int:
        if not dynamic:
            return 0
        return sum(
            weight
            for weight, scale in zip(weights, scales, strict=True)
            if (scale <= setting.floor if floor else is_at_cap(scale, run))
        )

    return RunFigures(
        unit=run.unit,
        steps=None if run.steps is None else sum(run.steps),
        skipped=None if run.skips is None else sum(run.skips),
        longest_skip=_longest_skip(run),
        longest_skip_is_exact=run.logs_every_step,
        time=sum(weights),
        at_floor=time_at(floor=True),
        at_cap=time_at(floor=False),
        floor=setting.floor,
        cap=setting.cap,
        growths=sum(move > 0 for move in moves),
        backoffs=sum(move < 0 for move in moves),
        first_scale=scales[0],
        last_scale=scales[-1],
        lowest_scale=min(scales),
        highest_scale=max(scales),
        overflows=_by_variable(run),
        run=run,
    )


def is_at_cap(scale: float, run: LoggedRun) -> bool:
    """Whether a loss scale cannot grow: by a rule's cap, or as it would be infinite."""
    return scale >= run.setting.cap


def _longest_skip(run: LoggedRun) -> int | None:
    """The longest run of skips that is sure; of rows with several steps, the least it can be."""
    if run.skips is None:
        return None
    longest = current = 0
    for steps, skips in zip(run.steps or (0,) * len(run.skips), run.skips, strict=True):
        good = steps - skips
        if good <= 0 and steps:
            current += skips
        else:
            current = 0
        # Skips among good steps are at best spread evenly.
        longest = max(longest, current, -(-skips // (good + 1)) if steps else min(skips, 1))
    return longest


def _by_variable(run: LoggedRun) -> tuple[VariableOverflows, ...]:
    overflows = defaultdict(list)
    for one in run.overflows:
        overflows[one.variable].append(one)
    rows = [
        VariableOverflows(name, len(each), max(one.share for one in each), each[0].place)
        for name, each in overflows.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.times))


def times(number: int, noun: str) -> str:
    """A number of things that were done, such as `1 step was` and `2 steps were`."""
    return f"{number:,} {noun} was" if number == 1 else f"{number:,} {noun}s were"


def scale_words(scale: float) -> str:
    """A loss scale in words: `2^23` for a large power of 2, and its digits otherwise."""
    exponent = math.log2(scale) if scale > 0 else 0.5
    if exponent == int(exponent) and not -_PLAIN <= exponent <= _PLAIN:
        return f"2^{exponent:.0f}"
    return f"{scale:,g}" if scale < 1e6 else f"{scale:.3g}"
