# SPDX-License-Identifier: Apache-2.0
"""What became of the legacy programs: in words, in a table, and drawn."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table
from running import Finished, last_error, without_path
from training_log import Log, ScaleChange, count_changes, format_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXAMPLES = Path(__file__).resolve().parent
MIN_ACCURACY = 0.9


@dataclass(frozen=True)
class Program:
    """A legacy program and the TensorFlow it was written for."""

    name: str
    era: str
    shows: str
    tf1: bool = False

    @property
    def path(self) -> Path:
        """Where the program is."""
        return EXAMPLES / self.name

    @property
    def run_options(self) -> tuple[str, ...]:
        """What `compat-lossscale run` has to be told about the program."""
        return ("--tf1",) if self.tf1 else ()


@dataclass(frozen=True)
class Report:
    """Both runs of one program."""

    program: Program
    plain: Finished
    compat: Finished
    log: Log
    output: Sequence[str] = ()
    """What the program printed under compat-lossscale."""

    def broken_promises(self) -> list[str]:
        """What did not go as the demo promises, in words."""
        broken = []
        if self.plain.exit_code == 0:
            broken.append(f"{self.program.name} runs on plain TensorFlow")
        if self.compat.exit_code != 0:
            error = last_error(self.compat.stderr)
            broken.append(f"{self.program.name} fails under compat-lossscale: {error}")
        elif self.log.accuracy is None or self.log.accuracy < MIN_ACCURACY:
            broken.append(f"{self.program.name} reaches an accuracy of {self.log.accuracy} only")
        return broken


def table_row(report: Report) -> tuple[str, ...]:
    """A program's row in the table of results."""
    scales = [change.scale for change in report.log.path]
    up, down = count_changes(scales)
    changes = f"in {report.log.steps} steps doubled {up} times, halved {down}"
    plain = without_path(last_error(report.plain.stderr)) if report.plain.exit_code else "runs"
    accuracy = report.log.accuracy
    return (
        f"{report.program.name}\n[dim]TensorFlow {report.program.era}[/dim]",
        escape(plain),
        "failed" if accuracy is None or report.compat.exit_code else f"{accuracy:.1%}",
        f"{format_path(scales)}\n[dim]{changes}[/dim]",
    )


def results_table(reports: Sequence[Report], tensorflow: str) -> Table:
    """All results, one row a program."""
    table = Table(title=f"Unmodified legacy programs on TensorFlow {tensorflow}", show_lines=True)
    table.add_column("Program", no_wrap=True)
    table.add_column(f"Plain TensorFlow {tensorflow}", style="red", ratio=2)
    table.add_column("compat-lossscale:\naccuracy", style="green", justify="right")
    table.add_column("compat-lossscale:\nloss scale", ratio=3)
    for report in reports:
        table.add_row(*table_row(report))
    return table


def draw(reports: Sequence[Report], file: Path) -> None:
    """Draws each program's loss scale over its steps."""
    import matplotlib as mpl  # noqa: PLC0415  # the tests do without

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415  # an extra

    with plt.rc_context({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = plt.subplots(
            1, len(reports), figsize=(4.4 * len(reports), 3.9), sharey=True, squeeze=False
        )
        for axis, report in zip(axes[0], reports, strict=True):
            _draw_path(axis, report)
        axes[0][0].set_ylabel("loss scale")
        handles, labels = axes[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncols=3, frameon=False)
        figure.tight_layout(rect=(0, 0.07, 1, 1), w_pad=2)
        figure.savefig(file, dpi=150, facecolor="white")
        plt.close(figure)


def _draw_path(axis: Axes, report: Report) -> None:
    path = report.log.path
    end = max([report.log.steps, 1, *(change.step for change in path)])
    drawn = [*path, *(ScaleChange(end, change.scale) for change in path[-1:])]
    axis.plot(*_points(drawn), color="#1f4e79", lw=1.6, drawstyle="steps-post", label="loss scale")
    pairs = list(itertools.pairwise(path))
    ups = [after for before, after in pairs if after.scale > before.scale]
    downs = [after for before, after in pairs if after.scale < before.scale]
    axis.plot(*_points(ups), "^", color="#2e8b57", ms=6, label="doubled: enough finite steps")
    axis.plot(*_points(downs), "v", color="#c0392b", ms=6,
              label="halved: float16 gradients overflowed, step skipped")  # fmt: skip
    axis.set_yscale("log", base=2)
    axis.yaxis.set_tick_params(labelleft=True)
    axis.set_xlim(-0.03 * end, 1.03 * end)
    axis.set_xlabel("step")
    axis.grid(axis="y", color="#dddddd", lw=0.7)
    axis.set_title(_panel_title(report), fontsize=10, loc="left")


def _points(changes: Sequence[ScaleChange]) -> tuple[list[int], list[float]]:
    return [change.step for change in changes], [change.scale for change in changes]


def _panel_title(report: Report) -> str:
    program = report.program
    accuracy = "failed" if report.log.accuracy is None else f"accuracy {report.log.accuracy:.1%}"
    return f"{program.name}: {accuracy}\nTensorFlow {program.era}: {program.shows}"
