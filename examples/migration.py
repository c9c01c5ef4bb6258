# SPDX-License-Identifier: Apache-2.0
"""The demo's second part: a legacy program is migrated, and trains exactly as it did before.

The old program runs under `compat-lossscale run`, the migrated one on plain tf-keras, without this
project. Every loss and every loss scale that they log must be the same.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rich.syntax import Syntax

if TYPE_CHECKING:
    from collections.abc import Sequence

    from demo import Finished
    from rich.console import Console


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


def demonstrate(program: Path, console: Console) -> list[str]:
    """Migrates a program, trains it before and after, and shows both.

    Returns:
        What did not go as promised, in words.
    """
    import demo  # noqa: PLC0415  # which imports this module

    console.print(f"\n[bold]$ compat-lossscale migrate {program.name}[/bold]")
    shown = _migrate([str(program)], stdin=None)
    diff = "\n".join(line for line in shown.splitlines() if line[:1] in "+-@")
    console.print(Syntax(diff, "diff", background_color="default"))

    with tempfile.TemporaryDirectory() as folder:
        migrated = Path(folder) / program.name
        migrated.write_text(_migrate(["-"], stdin=program.read_text("utf-8")), encoding="utf-8")
        compat = ["-m", "compat_lossscale", "run", "--new-optimizers", str(program)]
        old_log, new_log = [], []
        old = demo.run([sys.executable, *compat], old_log.append)
        new = demo.run(
            [sys.executable, str(migrated)], new_log.append, {"TF_USE_LEGACY_KERAS": "1"}
        )
    broken = _broken_promises(old, new, old_log, new_log)
    if not broken:
        steps = logged_steps(new_log)
        console.print(
            f"  Old program under compat-lossscale, migrated program on plain tf-keras: all "
            f"{len(steps)} logged losses and loss scales are [green]equal[/green]."
        )
    return broken


def _broken_promises(
    old: Finished, new: Finished, old_log: Sequence[str], new_log: Sequence[str]
) -> list[str]:
    import demo  # noqa: PLC0415

    failed = [
        f"the {name} program fails: {demo.last_error(run.stderr)}"
        for name, run in (("old", old), ("migrated", new))
        if run.exit_code != 0
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
    return done.stdout
