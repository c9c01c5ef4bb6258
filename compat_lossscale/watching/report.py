# SPDX-License-Identifier: Apache-2.0
"""The report on the loss scale of a run: figures and advice, as values, text or a page."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from compat_lossscale.pages import page
from compat_lossscale.spec import LossScaleRule
from compat_lossscale.watching import report_page, report_words
from compat_lossscale.watching.advice import Advice, advice_for
from compat_lossscale.watching.logged_run import LoggedRun
from compat_lossscale.watching.run_figures import RunFigures, figures_of


@dataclasses.dataclass(frozen=True)
class LossScaleReport(RunFigures):
    """What a loss scale did in a run, and what to do. `str()` of it is a text.

    Attributes:
        advice: What to do; empty if there is nothing to do.
    """

    advice: tuple[Advice, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the figures and the advice, without the logged values, for `json.dump`."""
        names = [field.name for field in dataclasses.fields(self)]
        figures = {name: getattr(self, name) for name in names if name != "run"}
        for name in ("overflows", "advice"):
            figures[name] = [dataclasses.asdict(one) for one in figures[name]]
        return {**figures, "skipped_share": self.skipped_share}

    def to_html(self, path: str | Path | None = None) -> str:
        """Returns the report as one HTML page that loads nothing.

        Args:
            path: A file to write it to, completely or not at all.

        Raises:
            OSError: It cannot be written. An existing file is unchanged.
        """
        html = report_page.as_html_page(self, self.advice)
        if path is not None:
            page.write(Path(path), html)
        return html

    def __str__(self) -> str:
        return report_words.text(self, self.advice)


def loss_scale_report(
    source: Any, path: str | Path | None = None, *, rule: LossScaleRule | None = None
) -> LossScaleReport:
    """Reports what the loss scale did in a run: skipped steps, time at the floor, advice.

    Args:
        source: A `LossScaleLogger`, which knows most with `every=1` and `gradients=True`; the
            `History` that `Model.fit` returns; the dictionary of either; or a CSV file of
            `CSVLogger`. For all but a logger, the optimizer is taken to be new when the run begins.
        path: An HTML file to write the report to.
        rule: The rule by which the loss scale moves. A logger knows it; for others the default is
            TensorFlow's.

    Returns:
        The figures and the advice. `str()` of it is a text.

    Raises:
        ValueError: There is no loss scale in the source, or a value that is no number.
        OSError: A file cannot be read or written. An existing file is unchanged.
    """
    run = LoggedRun.of(source, rule)
    figures = figures_of(run)
    values = {field.name: getattr(figures, field.name) for field in dataclasses.fields(figures)}
    report = LossScaleReport(**values, advice=tuple(advice_for(figures)))
    if path is not None:
        report.to_html(path)
    return report
