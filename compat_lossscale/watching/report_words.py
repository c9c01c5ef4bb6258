# SPDX-License-Identifier: Apache-2.0
"""The figures of a run in words, for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compat_lossscale.watching.advice import Advice
from compat_lossscale.watching.run_figures import RunFigures, scale_words

NOTHING_TO_DO = "Nothing to do."
NOT_COUNTED = "not counted"


def facts(figures: RunFigures) -> Iterator[tuple[str, str]]:
    """Each figure's name and words."""
    run = figures.run
    yield "Loss scale", "dynamic" if run.setting.is_dynamic else "fixed"
    if figures.steps is None:
        yield "Logged", f"{len(run.scales):,} {run.unit}s"
    else:
        logged = "" if figures.longest_skip_is_exact else f", logged {len(run.scales):,} times"
        yield "Steps", f"{figures.steps:,}{logged}"
    first, last = scale_words(figures.first_scale), scale_words(figures.last_scale)
    lowest, highest = scale_words(figures.lowest_scale), scale_words(figures.highest_scale)
    yield "Value", f"{first} first, {last} last, {lowest} to {highest}"
    if not run.setting.is_dynamic:
        return
    yield "Moves", f"{figures.growths:,} up, {figures.backoffs:,} down"
    yield "Skipped steps", skipped(figures)
    yield "Longest run of skips", longest(figures)
    if figures.floor:
        yield f"At the floor, {scale_words(figures.floor)}", _time(figures, figures.at_floor)
    yield f"At the cap, {scale_words(figures.cap)}", _time(figures, figures.at_cap)


def skipped(figures: RunFigures) -> str:
    """The number of skipped steps, and their share."""
    if figures.skipped is None:
        return NOT_COUNTED
    share = figures.skipped_share
    return f"{figures.skipped:,}" + ("" if share is None else f", {share:.2%}")


def longest(figures: RunFigures) -> str:
    """The longest run of skips."""
    if figures.longest_skip is None:
        return NOT_COUNTED
    at_least = "" if figures.longest_skip_is_exact or not figures.skipped else "at least "
    return f"{at_least}{figures.longest_skip:,}"


def _time(figures: RunFigures, count: int) -> str:
    unit = "steps" if figures.steps is not None else f"{figures.unit}s"
    return f"{count:,} {unit}, {count / figures.time:.1%}"


def text(figures: RunFigures, advice: Sequence[Advice]) -> str:
    """Returns the report as text."""
    rows = list(facts(figures))
    width = max(len(name) for name, _ in rows) + 1
    lines = [f"{name + ':':<{width}} {words}" for name, words in rows]
    if figures.overflows:
        lines += ["", "Which gradient overflowed first:"]
        lines += [
            f"  {one.variable}: {one.times} times, first at {figures.unit} {one.place:.0f}, up to "
            f"{one.highest_share:.2%} of its elements"
            for one in figures.overflows
        ]
    lines += ["", *(f"- {one.what}\n  {one.why}" for one in advice)] if advice else []
    return "\n".join(lines if advice else [*lines, "", NOTHING_TO_DO])
