# SPDX-License-Identifier: Apache-2.0
"""The report on the loss scale of a run as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compat_lossscale.pages import page
from compat_lossscale.pages.line_chart import HEIGHT, WIDTH, line_chart
from compat_lossscale.watching import report_words
from compat_lossscale.watching.advice import Advice
from compat_lossscale.watching.run_figures import RunFigures, scale_words, times


def as_html_page(figures: RunFigures, advice: Sequence[Advice]) -> str:
    """Returns the figures and the advice as a page that loads nothing else."""
    run = figures.run
    by_step = run.unit == "step"
    return page.render(
        "loss_scale.html.jinja",
        lead=_lead(figures, advice),
        tiles=list(_tiles(figures, advice)),
        unit=run.unit,
        width=WIDTH,
        height=HEIGHT,
        chart=line_chart(
            run.places, run.scales, _marks(figures), stepped=by_step, label=scale_words
        ),
        chart_words=dict(report_words.facts(figures))["Value"],
        facts=list(report_words.facts(figures)),
        overflows=figures.overflows,
        advice=advice,
    )


def _lead(figures: RunFigures, advice: Sequence[Advice]) -> str:
    if not figures.run.setting.is_dynamic:
        return "A fixed loss scale: no step was skipped."
    words = "How a dynamic loss scale moved in a run."
    if figures.skipped is not None:
        words = f"In this run, {times(figures.skipped, 'step')} skipped."
    return f"{words} {'See what to do below.' if advice else report_words.NOTHING_TO_DO}"


def _tiles(figures: RunFigures, advice: Sequence[Advice]) -> Iterator[tuple[str, str, str]]:
    if figures.steps is not None:
        yield "whole", "steps", f"{figures.steps:,}"
    else:
        yield "whole", f"{figures.unit}s", f"{len(figures.run.scales):,}"
    yield "whole", "loss scale at the end", scale_words(figures.last_scale)
    if not figures.run.setting.is_dynamic:
        return
    kind = "lossy" if advice else "no-loss-scale"
    if figures.skipped is not None:
        yield kind, "steps skipped", f"{figures.skipped:,}"
        yield kind, "longest run of skips", report_words.longest(figures)
    floor, cap = (count / figures.time for count in (figures.at_floor, figures.at_cap))
    for name, share in (("floor", floor), ("cap", cap)):
        kind = "lossy" if share and advice else "no-loss-scale"
        yield kind, f"of the time at the {name}", f"{share:.0%}"


def _marks(figures: RunFigures) -> Iterator[tuple[int, str]]:
    run = figures.run
    first = {one.place: one for one in run.overflows}
    for index, skips in enumerate(run.skips or ()):
        if skips:
            place = run.places[index]
            words = f"{run.unit} {place:,.0f}: {times(skips, 'step')} skipped"
            one = first.get(place)
            yield index, words + (f", {one.variable} first ({one.share:.2%})" if one else "")
