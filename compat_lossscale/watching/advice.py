# SPDX-License-Identifier: Apache-2.0
"""Advice on a run: rules over its figures. Each piece states the figures that it rests on."""

from __future__ import annotations

import dataclasses
import itertools
import math
import statistics
from collections.abc import Iterator

from compat_lossscale.steps.overflow import layer_of
from compat_lossscale.watching.run_figures import RunFigures, scale_words, times

_FEW_FIRST_SKIPS = 3
"""Up to so many skips at the beginning are how a dynamic loss scale finds its value."""
_LONG_SKIP = 4
"""From so many skips in a row on, the loss scale has lost a factor of 16 or more."""
_FAR_BELOW = 8
"""How far below its usual value a loss scale has to fall for a floor to be of use."""
_MANY_TIMES_EXPECTED, _SHARE_OF_MANY, _MANY = 5, 0.01, 5
"""Skips are many if they are so many times those that growing causes, above this share of all steps
and above this number."""
_SHARE_AT_CAP = 0.1
_OFTEN, _SHARE_OF_OFTEN = 3, 0.5
"""How often one gradient has to be the first, and in which share of the overflows."""
_DEFAULT_GROWTH_STEPS = 2000


@dataclasses.dataclass(frozen=True)
class Advice:
    """Something to do.

    Attributes:
        what: What to do.
        why: The figures that it rests on.
    """

    what: str
    why: str


def advice_for(figures: RunFigures) -> list[Advice]:
    """Returns what to do, the most urgent first; nothing for a healthy run."""
    advice = [*_of_the_loss(figures)]
    if figures.run.setting.is_dynamic:
        moving = [
            *_of_the_floor(figures),
            *_of_the_beginning(figures),
            *_of_long_skips(figures),
            *_of_many_skips(figures),
        ]
        # Each overflow of a healthy run begins somewhere too.
        advice += [*moving, *(_of_one_gradient(figures) if moving or advice else ())]
        advice += _of_the_cap(figures)
    return advice


def _of_the_loss(figures: RunFigures) -> Iterator[Advice]:
    run = figures.run
    bad = [loss for loss in run.losses if not math.isfinite(loss)]
    if not bad or math.isfinite(run.losses[-1]):
        return
    why = (
        f"The loss was not finite in {len(bad)} of {len(run.losses)} rows of the log, the last "
        "one included."
    )
    if run.setting.is_dynamic:
        yield Advice(
            "Lower the learning rate, or look for a NaN or an infinity in the inputs and the loss.",
            why,
        )
    else:
        yield Advice(
            "Use a dynamic loss scale: a fixed one skips no step, so one overflow puts a NaN into "
            "the variables. If the loss stays like this, lower the learning rate.",
            why,
        )


def _of_the_floor(figures: RunFigures) -> Iterator[Advice]:
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


def _skips_at(figures: RunFigures, floor: float) -> Iterator[int]:
    """Skips of each row that began and ended at the floor or below it."""
    run = figures.run
    before = [run.setting.start.get("loss_scale", math.inf), *run.scales]
    for was, now, skips in zip(before, run.scales, run.skips or (), strict=False):
        if was <= floor and now <= floor:
            yield skips


def _of_the_beginning(figures: RunFigures) -> Iterator[Advice]:
    first = _skips_at_the_beginning(figures)
    if first > _FEW_FIRST_SKIPS and first < len(figures.run.scales):
        scale = figures.run.scales[first - 1]
        yield Advice(
            f"Begin lower: `initial_scale={_number(scale)}`.",
            f"The first {first} steps of the run were skipped, until the loss scale was "
            f"{scale_words(scale)}.",
        )


def _skips_at_the_beginning(figures: RunFigures) -> int:
    if not figures.longest_skip_is_exact:
        return 0
    return sum(1 for _ in itertools.takewhile(bool, figures.run.skips or ()))


def _of_long_skips(figures: RunFigures) -> Iterator[Advice]:
    run = figures.run
    if run.skips is None or not figures.longest_skip_is_exact:
        return
    usual = statistics.median(run.scales)
    begin, end = _longest(run.skips, _skips_at_the_beginning(figures))
    if end - begin < _LONG_SKIP or run.scales[end - 1] > usual / _FAR_BELOW:
        return
    floor = 2.0 ** math.floor(math.log2(usual / _FAR_BELOW))
    later = next((i for i in range(end, len(run.scales)) if run.scales[i] >= usual), None)
    after = (
        "It did not come back to that in this run."
        if later is None
        else f"It took {later - end + 1:,} steps to come back to that."
    )
    yield Advice(
        f"Raise the floor: `LossScaleRule(min_scale={_number(floor)})`, if these steps were bad "
        "for a reason of their own, such as bad inputs.",
        f"{end - begin} steps in a row were skipped from {run.unit} {run.places[begin]:,.0f} on, "
        f"and the loss scale fell to {scale_words(run.scales[end - 1])}. Half of the time it was "
        f"at least {scale_words(usual)}. {after}",
    )


def _longest(skips: tuple[int, ...], beginning: int) -> tuple[int, int]:
    """Where the longest run of skips after the beginning begins and ends."""
    longest = begin = 0
    bounds = (0, 0)
    for index in range(beginning, len(skips)):
        if not skips[index]:
            begin = index + 1
        elif index + 1 - max(begin, beginning) > longest:
            begin = max(begin, beginning)
            longest = index + 1 - begin
            bounds = (begin, index + 1)
    return bounds


def _of_many_skips(figures: RunFigures) -> Iterator[Advice]:
    if not figures.skipped or not figures.steps:
        return
    setting = figures.run.setting
    growth_steps = setting.growth_steps or _DEFAULT_GROWTH_STEPS
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


def _of_one_gradient(figures: RunFigures) -> Iterator[Advice]:
    overflows = figures.run.overflows
    if not figures.overflows:
        return
    top = figures.overflows[0]
    if top.times < _OFTEN or top.times < _SHARE_OF_OFTEN * len(overflows):
        return
    layer = layer_of(top.variable)
    last = sum(one.is_of_last_layer for one in overflows if one.variable == top.variable)
    also = ", and the loss from its float32 output" if last > top.times / 2 else ""
    yield Advice(
        f'Compute the layer `{layer}` in float32, with `dtype="float32"`{also}.',
        f"The gradient of `{top.variable}` overflowed first in {top.times} of {len(overflows)} "
        f"overflows that were looked at, up to {top.highest_share:.1%} of its elements"
        f"{'. It is of the last layer, so the overflow may be in the loss' if also else ''}.",
    )


def _of_the_cap(figures: RunFigures) -> Iterator[Advice]:
    share = figures.at_cap / figures.time
    if figures.run.setting.cap_is_stated or share < _SHARE_AT_CAP:
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
