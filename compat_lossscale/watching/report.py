# SPDX-License-Identifier: Apache-2.0
"""The report on the loss scale of a run: figures and advice, as values, text or a page."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from compat_lossscale.pages import page
from compat_lossscale.pages.page import HEIGHT, WIDTH, line_chart
from compat_lossscale.spec import LossScaleRule
from compat_lossscale.watching.logged_run import LoggedRun

_FEW_FIRST_SKIPS = 3
"""Up to so many skips at the beginning are how a dynamic loss scale finds its value."""
_MANY_TIMES_EXPECTED, _SHARE_OF_MANY, _MANY = 5, 0.01, 5
"""Skips are many if they are so many times those that growing causes, above this share of all steps
and above this number."""
_SHARE_AT_CAP = 0.1
_PLAIN = 10
"""Powers of 2 up to this one are written as numbers."""
_NOTHING_TO_DO = "Nothing to do."
_NOT_COUNTED = "not counted"


@dataclasses.dataclass(frozen=True)
class Advice:
    """Something to do.

    Attributes:
        what: What to do.
        why: The figures that it rests on.
    """

    what: str
    why: str


@dataclasses.dataclass(frozen=True)
class LossScaleReport:
    """What a loss scale did in a run, and what to do. `str()` of it is a text.

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
        run: The logged values.
        advice: What to do; empty if there is nothing to do.
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
    run: LoggedRun = dataclasses.field(repr=False)
    advice: tuple[Advice, ...] = ()

    @property
    def skipped_share(self) -> float | None:
        """The share of steps that were skipped; `None` if it is not known."""
        return None if self.skipped is None or not self.steps else self.skipped / self.steps

    def to_dict(self) -> dict[str, Any]:
        """Returns the figures and the advice, without the logged values, for `json.dump`."""
        value = dataclasses.asdict(self)
        del value["run"]
        value["advice"] = [dataclasses.asdict(one) for one in self.advice]
        return {**value, "skipped_share": self.skipped_share}

    def to_html(self, path: str | Path | None = None) -> str:
        """Returns the report as one HTML page that loads nothing.

        Args:
            path: A file to write it to, completely or not at all.

        Raises:
            OSError: It cannot be written. An existing file is unchanged.
        """
        html = _html_page(self)
        if path is not None:
            page.write(Path(path), html)
        return html

    def __str__(self) -> str:
        rows = list(_facts(self))
        width = max(len(name) for name, _ in rows) + 1
        lines = [f"{name + ':':<{width}} {words}" for name, words in rows]
        advice = [f"- {one.what}\n  {one.why}" for one in self.advice] or [_NOTHING_TO_DO]
        return "\n".join([*lines, "", *advice])


def figures_of(run: LoggedRun) -> LossScaleReport:
    """Returns the figures of a run."""
    scales, setting = run.scales, run.setting
    weights = run.steps or (1,) * len(scales)
    # Where it started is known of a logger only.
    start = setting.start.get("loss_scale")
    known = [*([] if start is None else [start]), *scales]
    moves = [now - before for before, now in itertools.pairwise(known)]

    def time_where(holds: Callable[[float], bool]) -> int:
        pairs = zip(weights, scales, strict=True)
        return sum(weight for weight, scale in pairs if setting.is_dynamic and holds(scale))

    return LossScaleReport(
        unit=run.unit,
        steps=None if run.steps is None else sum(run.steps),
        skipped=None if run.skips is None else sum(run.skips),
        longest_skip=_longest_skip(run),
        longest_skip_is_exact=run.logs_every_step,
        time=sum(weights),
        at_floor=time_where(lambda scale: scale <= setting.floor),
        at_cap=time_where(lambda scale: scale >= setting.cap),
        floor=setting.floor,
        cap=setting.cap,
        growths=sum(move > 0 for move in moves),
        backoffs=sum(move < 0 for move in moves),
        first_scale=scales[0],
        last_scale=scales[-1],
        lowest_scale=min(scales),
        highest_scale=max(scales),
        run=run,
    )


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


def times(number: int, noun: str) -> str:
    """A number of things that were done, such as `1 step was` and `2 steps were`."""
    return f"{number:,} {noun} was" if number == 1 else f"{number:,} {noun}s were"


def scale_words(scale: float) -> str:
    """A loss scale in words: `2^23` for a large power of 2, and its digits otherwise."""
    exponent = math.log2(scale) if scale > 0 else 0.5
    if exponent == int(exponent) and not -_PLAIN <= exponent <= _PLAIN:
        return f"2^{exponent:.0f}"
    return f"{scale:,g}" if scale < 1e6 else f"{scale:.3g}"


def advice_for(figures: LossScaleReport) -> list[Advice]:
    """Returns what to do, the most urgent first; nothing for a healthy run."""
    advice = [*_of_the_loss(figures)]
    if figures.run.setting.is_dynamic:
        advice += [
            *_of_the_floor(figures),
            *_of_the_beginning(figures),
            *_of_many_skips(figures),
            *_of_the_cap(figures),
        ]
    return advice


def _of_the_loss(figures: LossScaleReport) -> Iterator[Advice]:
    run = figures.run
    bad = [loss for loss in run.losses if not math.isfinite(loss)]
    if not bad or math.isfinite(run.losses[-1]):
        return
    why = (
        f"The loss was not finite in {len(bad)} of {len(run.losses)} rows of the log, the last "
        "one included."
    )
    what = "Lower the learning rate, or look for a NaN or an infinity in the inputs and the loss."
    if not run.setting.is_dynamic:
        what = (
            "Use a dynamic loss scale: a fixed one skips no step, so one overflow puts a NaN into "
            "the variables. If the loss stays like this, lower the learning rate."
        )
    yield Advice(what, why)


def _of_the_floor(figures: LossScaleReport) -> Iterator[Advice]:
    run = figures.run
    # Without a floor, a loss scale below 1 overflows for another reason too.
    floor = run.setting.floor or 1.0
    skipped = sum(_skips_at(figures, floor))
    if not skipped:
        return
    yield Advice(
        "Lower the learning rate, clip the gradients by their norm, or look for a NaN or an "
        "infinity in the inputs and the loss. The loss scale is not the reason.",
        f"{times(skipped, 'step')} skipped with the loss scale at {scale_words(floor)} before and "
        f"after{', where it cannot shrink' if run.setting.floor else ''}.",
    )


def _skips_at(figures: LossScaleReport, floor: float) -> Iterator[int]:
    """Skips of each row that began and ended at the floor or below it."""
    run = figures.run
    before = [run.setting.start.get("loss_scale", math.inf), *run.scales]
    for was, now, skips in zip(before, run.scales, run.skips or (), strict=False):
        if was <= floor and now <= floor:
            yield skips


def _of_the_beginning(figures: LossScaleReport) -> Iterator[Advice]:
    first = _skips_at_the_beginning(figures)
    if first > _FEW_FIRST_SKIPS and first < len(figures.run.scales):
        scale = figures.run.scales[first - 1]
        yield Advice(
            f"Begin lower: `initial_scale={_number(scale)}`.",
            f"The first {first} steps of the run were skipped, until the loss scale was "
            f"{scale_words(scale)}.",
        )


def _skips_at_the_beginning(figures: LossScaleReport) -> int:
    if not figures.longest_skip_is_exact:
        return 0
    return sum(1 for _ in itertools.takewhile(bool, figures.run.skips or ()))


def _of_many_skips(figures: LossScaleReport) -> Iterator[Advice]:
    if not figures.skipped or not figures.steps:
        return
    setting = figures.run.setting
    growth_steps = setting.rule.growth_steps
    others = sum(_skips_at(figures, setting.floor or 1.0)) + _skips_at_the_beginning(figures)
    skipped = figures.skipped - others
    share = skipped / figures.steps
    many = max(_SHARE_OF_MANY, _MANY_TIMES_EXPECTED / growth_steps)
    if skipped < _MANY or share <= many:
        return
    yield Advice(
        "Lower the learning rate, or clip the gradients by their norm.",
        f"{times(skipped, 'step')} skipped{' besides these' if others else ''}, {share:.1%} of "
        f"{figures.steps:,}. A loss scale that grows after {growth_steps:,} good steps has to skip "
        f"about one step in {growth_steps:,}.",
    )


def _of_the_cap(figures: LossScaleReport) -> Iterator[Advice]:
    share = figures.at_cap / figures.time
    if figures.run.setting.rule.max_scale is not None or share < _SHARE_AT_CAP:
        return
    yield Advice(
        "Look whether the gradients are all zero, and whether anything computes in float16. If "
        "nothing does, you need no loss scale.",
        f"The loss scale was at {scale_words(figures.cap)}, where it would be infinite if it grew "
        f"again, in {share:.0%} of the time: no gradient overflowed there.",
    )


def _number(scale: float) -> str:
    """A loss scale as Python source: `2.0**15` for a power of 2."""
    exponent = math.log2(scale) if scale > 0 else 0.5
    return f"2.0**{exponent:.0f}" if exponent == round(exponent) else f"{scale:g}"


def _facts(figures: LossScaleReport) -> Iterator[tuple[str, str]]:
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
    skipped = longest = _NOT_COUNTED
    if figures.skipped is not None:
        share = figures.skipped_share
        at_least = "" if figures.longest_skip_is_exact or not figures.skipped else "at least "
        skipped = f"{figures.skipped:,}" + ("" if share is None else f", {share:.2%}")
        longest = f"{at_least}{figures.longest_skip:,}"
    yield "Skipped steps", skipped
    yield "Longest run of skips", longest
    if figures.floor:
        yield f"At the floor, {scale_words(figures.floor)}", _time_words(figures, figures.at_floor)
    yield f"At the cap, {scale_words(figures.cap)}", _time_words(figures, figures.at_cap)


def _time_words(figures: LossScaleReport, count: int) -> str:
    unit = "steps" if figures.steps is not None else f"{figures.unit}s"
    return f"{count:,} {unit}, {count / figures.time:.1%}"


def _html_page(figures: LossScaleReport) -> str:
    """Returns the figures and the advice as a page that loads nothing else."""
    run = figures.run
    by_step = run.unit == "step"
    facts = dict(_facts(figures))
    return page.render(
        "loss_scale.html.jinja",
        lead=_lead(figures),
        unit=run.unit,
        width=WIDTH,
        height=HEIGHT,
        chart=line_chart(
            run.places, run.scales, _marks(figures), stepped=by_step, label=scale_words
        ),
        chart_words=facts["Value"],
        facts=list(facts.items()),
        advice=figures.advice,
    )


def _lead(figures: LossScaleReport) -> str:
    if not figures.run.setting.is_dynamic:
        return "A fixed loss scale: no step was skipped."
    words = "How a dynamic loss scale moved in a run."
    if figures.skipped is not None:
        words = f"In this run, {times(figures.skipped, 'step')} skipped."
    return f"{words} {'See what to do below.' if figures.advice else _NOTHING_TO_DO}"


def _marks(figures: LossScaleReport) -> Iterator[tuple[int, str]]:
    run = figures.run
    for index, skips in enumerate(run.skips or ()):
        if skips:
            yield index, f"{run.unit} {run.places[index]:,.0f}: {times(skips, 'step')} skipped"


def loss_scale_report(
    source: Any, path: str | Path | None = None, *, rule: LossScaleRule | None = None
) -> LossScaleReport:
    """Reports what the loss scale did in a run: skipped steps, time at the floor, advice.

    Args:
        source: A `LossScaleLogger`, which knows most with `every=1`; the `History` that
            `Model.fit` returns; or the dictionary of either, such as what pandas reads of a
            `CSVLogger`'s file: `pandas.read_csv("log.csv").to_dict("list")`. For all but a logger,
            the optimizer is taken to be new when the run begins.
        path: An HTML file to write the report to.
        rule: The rule by which the loss scale moves. A logger knows it; for others the default is
            TensorFlow's.

    Returns:
        The figures and the advice. `str()` of it is a text.

    Raises:
        ValueError: There is no loss scale in the source, or a value that is no number.
        OSError: The file cannot be written. An existing file is unchanged.
    """
    figures = figures_of(LoggedRun.of(source, rule))
    report = dataclasses.replace(figures, advice=tuple(advice_for(figures)))
    if path is not None:
        report.to_html(path)
    return report
