# SPDX-License-Identifier: Apache-2.0
"""The demo: three legacy programs fail on today's TensorFlow, then train under compat-lossscale.

Each program beside this file was written for an old TensorFlow and is run as it is, twice: with
`python`, and with `compat-lossscale run`. What the second run logs gives the loss scale's path,
which is printed in a table and drawn into `output/loss_scale.png`.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

import migration
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXAMPLES = Path(__file__).resolve().parent
MIN_ACCURACY = 0.9

_FIELD = re.compile(r"(?<!\S)(step|loss|loss_scale) ([-+.\w]+)")
_EPOCH = re.compile(r"epoch (\d+) ")
_FINAL = re.compile(r"final test accuracy ([\d.]+) \((\d+) steps, ([\d.]+) s\)")
_INSTALLED_PATH = re.compile(r" \((?:/|[A-Za-z]:\\)[^()]*\)$")


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


PROGRAMS = (
    Program("digits_custom_loop.py", "2.3", "GradientTape loop, Adam"),
    Program("digits_fit.py", "2.3", "policy with a loss scale, fit, SGD"),
    Program("digits_tf1_session.py", "1.15", "session, MomentumOptimizer", tf1=True),
)


@dataclass(frozen=True)
class ScaleChange:
    """The loss scale from `step` on."""

    step: int
    scale: float


@dataclass
class Log:
    """What a training program printed, as far as the demo is interested."""

    path: list[ScaleChange] = field(default_factory=list)
    accuracy: float | None = None
    steps: int = 0
    seconds: float = 0.0

    def read(self, line: str) -> None:
        """Takes note of one more line."""
        final = _FINAL.match(line)
        if final:
            self.accuracy = float(final[1])
            self.steps = int(final[2])
            self.seconds = float(final[3])
        change = scale_in(line)
        if change and (not self.path or self.path[-1].scale != change.scale):
            self.path.append(change)


@dataclass(frozen=True)
class Finished:
    """How a process ended."""

    exit_code: int
    stderr: str


@dataclass(frozen=True)
class Report:
    """Both runs of one program."""

    program: Program
    plain: Finished
    compat: Finished
    log: Log

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


def scale_in(line: str) -> ScaleChange | None:
    """The step and the loss scale that a log line tells.

    >>> scale_in("step 120 loss 0.1234 loss_scale 65536")
    ScaleChange(step=120, scale=65536.0)
    """
    values = dict(_FIELD.findall(line))
    if "step" not in values or "loss_scale" not in values:
        return None
    return ScaleChange(int(values["step"]), float(values["loss_scale"]))


def last_error(stderr: str) -> str:
    """The line that says what went wrong: the last one of a traceback."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no error"


def without_path(error: str) -> str:
    """An ImportError's message without the place where the package is installed."""
    return _INSTALLED_PATH.sub("", error)


def format_path(scales: Sequence[float], first: int = 4, last: int = 2) -> str:
    """A loss scale's path in one line, with the middle of a long one left out.

    >>> format_path([32768, 65536, 32768])
    '32768 → 65536 → 32768'
    """
    shown = [f"{scale:.0f}" for scale in scales]
    if len(shown) > first + last + 1:
        shown[first:-last] = ["…"]
    return " → ".join(shown)


def count_changes(scales: Sequence[float]) -> tuple[int, int]:
    """How often the loss scale grew and how often it backed off."""
    pairs = list(itertools.pairwise(scales))
    return sum(b > a for a, b in pairs), sum(b < a for a, b in pairs)


class Condenser:
    """Chooses the log lines to show: the first changes of the loss scale and every fifth epoch."""

    def __init__(self, changes: int = 6, every: int = 5) -> None:
        self._changes_left = changes
        self._every = every
        self._last_scale: float | None = None

    def shows(self, line: str) -> bool:
        """Whether to show this line. To be asked about each line once, in order."""
        change = scale_in(line)
        changed = change is not None and change.scale != self._last_scale
        if change is not None:
            self._last_scale = change.scale
        epoch = _EPOCH.match(line)
        if epoch:
            return int(epoch[1]) % self._every == 0
        if change is None:
            return True
        if changed and self._changes_left > 0:
            self._changes_left -= 1
            return True
        return False


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
    from matplotlib import pyplot as plt  # noqa: PLC0415

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


def run(
    command: Sequence[str],
    each_line: Callable[[str], None],
    variables: Mapping[str, str] | None = None,
) -> Finished:
    """Runs a command, with more environment variables, and hands on its output line by line."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stderr:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**_environment(), **(variables or {})},
            text=True,
            encoding="utf-8",
        )
        with process:
            _hand_on(process.stdout, each_line)
        stderr.seek(0)
        return Finished(process.returncode, stderr.read())


def _environment() -> dict[str, str]:
    """Ours, quieter; and without a choice of Keras, so that plain TensorFlow is plain."""
    environment = {name: value for name, value in os.environ.items()
                   if name != "TF_USE_LEGACY_KERAS"}  # fmt: skip
    return {**environment, "PYTHONUNBUFFERED": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def _hand_on(lines: IO[str] | None, each_line: Callable[[str], None]) -> None:
    for line in lines or ():
        each_line(line.rstrip("\n"))


def demonstrate(program: Program, console: Console) -> Report:
    """Runs a program both ways and shows what it does."""
    shown = os.path.relpath(program.path)
    console.print(f"\n[bold]$ python {shown}[/bold]")
    plain = run([sys.executable, str(program.path)], lambda _: None)
    if plain.exit_code == 0:
        console.print("  [red]runs, which it should not[/red]")
    else:
        console.print(f"  [red]{escape(without_path(last_error(plain.stderr)))}[/red]")

    command = ["compat-lossscale", "run", *program.run_options]
    console.print(f"[bold]$ {' '.join([*command, shown])}[/bold]")
    log, condenser = Log(), Condenser()

    def each_line(line: str) -> None:
        log.read(line)
        if condenser.shows(line):
            console.print(f"  {escape(line)}", highlight=False)

    command = ["compat_lossscale", "run", *program.run_options, str(program.path)]
    compat = run([sys.executable, "-m", *command], each_line)
    if compat.exit_code != 0:
        console.print(escape(compat.stderr), style="red", highlight=False)
    return Report(program, plain, compat, log)


def resume_training(console: Console) -> list[str]:
    """Shows that saved training resumes to the bit.

    Returns:
        What did not go as promised, in words.
    """
    script = EXAMPLES / "resume.py"
    console.print(f"\n[bold]$ python {os.path.relpath(script)}[/bold]")
    finished = run(
        [sys.executable, "-W", "ignore", str(script)],
        lambda line: console.print(f"  {escape(line)}", highlight=False),
    )
    return [] if finished.exit_code == 0 else [f"resume.py: {last_error(finished.stderr)}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the demo.

    Returns:
        0 if every program fails on plain TensorFlow and trains under compat-lossscale, if the
        migrated ones train alike, and if saved training resumes to the bit; else 1.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=EXAMPLES / "output", help="for the plot")
    output: Path = parser.parse_args(arguments).output

    console = Console(width=None if sys.stdout.isatty() else 120)
    reports = [demonstrate(program, console) for program in PROGRAMS]
    console.print()
    console.print(results_table(reports, importlib.metadata.version("tensorflow")))

    output.mkdir(parents=True, exist_ok=True)
    plot = output / "loss_scale.png"
    draw(reports, plot)
    console.print(f"The loss scale's path: {os.path.relpath(plot)}")

    broken = [promise for report in reports for promise in report.broken_promises()]
    for one in migration.MIGRATIONS:
        broken += migration.demonstrate(one, console)
    broken += resume_training(console)
    for promise in broken:
        console.print(f"[red]{escape(promise)}[/red]")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
