# SPDX-License-Identifier: Apache-2.0
"""The demo: three legacy programs fail on today's TensorFlow, then train under compat-lossscale.

Each program beside this file was written for an old TensorFlow and is run as it is, twice: with
`python`, and with `compat-lossscale run`. What the second run logs gives the loss scale's path,
which is printed in a table and drawn into `output/loss_scale.png`.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import migration
from results import EXAMPLES, Program, Report, draw, results_table
from rich.console import Console
from rich.markup import escape
from running import last_error, run, without_path
from training_log import Condenser, Log

PROGRAMS = (
    Program("digits_custom_loop.py", "2.3", "GradientTape loop, Adam"),
    Program("digits_fit.py", "2.3", "policy with a loss scale, fit, SGD"),
    Program("digits_tf1_session.py", "1.15", "session, MomentumOptimizer", tf1=True),
)


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
    output: list[str] = []

    def each_line(line: str) -> None:
        log.read(line)
        output.append(line)
        if condenser.shows(line):
            console.print(f"  {escape(line)}", highlight=False)

    command = ["compat_lossscale", "run", *program.run_options, str(program.path)]
    compat = run([sys.executable, "-m", *command], each_line)
    if compat.exit_code != 0:
        console.print(escape(compat.stderr), style="red", highlight=False)
    return Report(program, plain, compat, log, output)


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


def _steps(console: Console) -> Iterator[None]:
    """Says before each step what it is, and how many there are."""
    steps = [f"run {one.name}, for TensorFlow {one.era}: {one.shows}" for one in PROGRAMS]
    steps += [f"migrate {one.program.name}, and compare" for one in migration.MIGRATIONS]
    steps += ["save, and resume to the bit"]
    for number, step in enumerate(steps, 1):
        console.print(f"\n[cyan]Step {number} of {len(steps)}: {step}[/cyan]")
        yield


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
    steps = _steps(console)
    reports = []
    for program in PROGRAMS:
        next(steps)
        reports.append(demonstrate(program, console))
    console.print()
    console.print(results_table(reports, importlib.metadata.version("tensorflow")))

    output.mkdir(parents=True, exist_ok=True)
    plot = output / "loss_scale.png"
    draw(reports, plot)
    console.print(f"The loss scale's path: {os.path.relpath(plot)}")

    broken = [promise for report in reports for promise in report.broken_promises()]
    for one, report in zip(migration.MIGRATIONS, reports, strict=True):
        next(steps)
        broken += migration.demonstrate(one, console, report.compat, report.output)
    next(steps)
    broken += resume_training(console)
    for promise in broken:
        console.print(f"[red]{escape(promise)}[/red]")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
