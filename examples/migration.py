# SPDX-License-Identifier: Apache-2.0
"""The demo's second part: the legacy programs are migrated, and train exactly as they did before.

The old programs run under `compat-lossscale run`. Of the migrated ones, the first needs nothing of
this project any more, the second uses its classes by plain imports, and the third is still a
TensorFlow 1 program. Every loss and every loss scale that old and new log must be the same.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.syntax import Syntax
from running import Finished, last_error, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console


@dataclass(frozen=True)
class Migration:
    """How a program is migrated, and how it is run before and after."""

    program: Path
    target: str
    run_options: tuple[str, ...]
    stays_tf1: bool = False

    def command(self, program: Path, *, migrated: bool) -> list[str]:
        """The command that runs a program: `compat-lossscale run`, or plain Python afterwards."""
        if migrated and not self.stays_tf1:
            return [sys.executable, str(program)]
        return [sys.executable, "-m", "compat_lossscale", "run", *self.run_options, str(program)]


EXAMPLES = Path(__file__).resolve().parent
MIGRATIONS = (
    Migration(EXAMPLES / "digits_custom_loop.py", "tf-keras", ()),
    # The new API has no policies with a loss scale, so this one keeps the old API by import.
    Migration(EXAMPLES / "digits_fit.py", "compat", ()),
    Migration(EXAMPLES / "digits_tf1_session.py", "tf-keras", ("--tf1",), stays_tf1=True),
)


def logged_steps(output: Sequence[str]) -> list[str]:
    """The lines in which a program tells a step's loss and loss scale.

    >>> logged_steps(["digits: 1797 images", "step 20 loss 1.5 loss_scale 64"])
    ['step 20 loss 1.5 loss_scale 64']
    """
    return [line for line in output if line.startswith("step ") and "loss_scale" in line]


def first_difference(old: Sequence[str], new: Sequence[str]) -> str | None:
    """Says where two logs part, or `None` if nowhere."""
    for before, after in zip(old, new, strict=False):
        if before != after:
            return f"{before!r} became {after!r}"
    return None if len(old) == len(new) else f"{len(old)} logged steps became {len(new)}"


def demonstrate(
    migration: Migration, console: Console, old: Finished, old_log: Sequence[str]
) -> list[str]:
    """Migrates a program, trains it, and compares it with the old one.

    Args:
        migration: The migration.
        console: Where it is shown.
        old: How the old program ended.
        old_log: What it printed.

    Returns:
        What did not go as promised, in words.
    """
    options, program = ["--target", migration.target], migration.program
    console.print(f"\n[bold]$ compat-lossscale migrate {' '.join(options)} {program.name}[/bold]")
    shown = _migrate([*options, str(program)], stdin=None)
    diff = "\n".join(line for line in shown.splitlines() if line[:1] in "+-@")
    console.print(Syntax(diff, "diff", background_color="default"))

    new_log: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        migrated = Path(folder) / program.name
        source = _migrate([*options, "-"], stdin=program.read_text("utf-8"))
        migrated.write_text(source, encoding="utf-8")
        keras2 = {"TF_USE_LEGACY_KERAS": "1"}
        new = run(migration.command(migrated, migrated=True), new_log.append, keras2)
    broken = _broken_promises(old, new, old_log, new_log)
    if not broken:
        console.print(
            f"  Before and after: all {len(logged_steps(new_log))} logged losses and loss scales "
            "are [green]equal[/green]."
        )
    return [f"{program.name}: {promise}" for promise in broken]


def _broken_promises(
    old: Finished, new: Finished, old_log: Sequence[str], new_log: Sequence[str]
) -> list[str]:
    failed = [
        f"the {name} program fails: {last_error(finished.stderr)}"
        for name, finished in (("old", old), ("migrated", new))
        if finished.exit_code != 0
    ]
    difference = first_difference(logged_steps(old_log), logged_steps(new_log))
    if not failed and difference:
        failed.append(f"the migrated program trains differently: {difference}")
    return failed


def _migrate(arguments: Sequence[str], stdin: str | None) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "compat_lossscale", "migrate", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if not done.stdout:
        raise RuntimeError(f"compat-lossscale migrate fails: {done.stderr.strip()}")
    return done.stdout
