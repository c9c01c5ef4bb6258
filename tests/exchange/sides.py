# SPDX-License-Identifier: Apache-2.0
"""The TensorFlows that exchange what they saved, and how a program runs under each."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests import forked_python
from tests.exchange.trainings import MODES

HERE, STOCK = "here", "stock 2.21"
"""This package, and tf-keras without it on the same TensorFlow."""
PROGRAM = Path(__file__).with_name("program.py")
_REPOSITORY = Path(__file__).parents[2]
_INSTALLED = f"""\
import runpy, sys
import compat_lossscale
compat_lossscale.install(legacy_optimizers={{legacy}})
del sys.argv[0]
sys.path[0] = {str(PROGRAM.parent)!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a program with the old names installed."""
_FIRST_WITH_TWO_FAMILIES = (2, 11)


@dataclasses.dataclass(frozen=True)
class Side:
    """One of those TensorFlows.

    Attributes:
        name: `here`, `stock 2.21`, or a version.
        python: Its interpreter.
    """

    name: str
    python: str = sys.executable

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes of `trainings.MODES` that it knows."""
        if self.name in (HERE, STOCK):
            return MODES
        number = tuple(int(part) for part in self.name.split("."))
        return MODES if number >= _FIRST_WITH_TWO_FAMILIES else MODES[:2]

    def save(self, mode: str, folder: Path) -> None:
        """Saves all trainings of a mode into a folder.

        Args:
            mode: Of `modes`.
            folder: May hold what other modes saved.

        Raises:
            RuntimeError: The program failed as a whole.
        """
        self._run(mode, "save", str(folder))

    def load(self, mode: str, targets: Mapping[Path, Path]) -> None:
        """Loads all trainings of a mode and writes the steps that follow.

        Args:
            mode: Of `modes`.
            targets: The file to write for each folder.

        Raises:
            RuntimeError: The program failed as a whole.
        """
        if targets:
            self._run(mode, "load", *(f"{folder}={target}" for folder, target in targets.items()))

    def _run(self, *arguments: str) -> None:
        command = [str(PROGRAM), *arguments]
        if self.name == HERE:
            command = ["-c", _INSTALLED.format(legacy=arguments[0] != "new"), *command]
        if self.python == sys.executable and forked_python.can_run(command):
            done = forked_python.run(
                command, cwd=None, environment=self._environment(), given=None, timeout=900
            )
        else:
            done = subprocess.run(
                [self.python, *command],
                env=self._environment(),
                capture_output=True,
                text=True,
                check=False,
            )
        if done.returncode:
            raise RuntimeError(f"{self.name}, {arguments}: {done.stderr[-3000:]}")

    def _environment(self) -> dict[str, str]:
        variables = {
            **os.environ,
            "CUDA_VISIBLE_DEVICES": "",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "PYTHONHASHSEED": "0",
        }
        for name in ("TF_USE_LEGACY_KERAS", "PYTHONPATH"):
            variables.pop(name, None)
        if self.name in (HERE, STOCK):
            variables["TF_USE_LEGACY_KERAS"] = "1"
        if self.name == HERE:
            variables["PYTHONPATH"] = os.pathsep.join(
                [str(_REPOSITORY), str(_REPOSITORY / "codemods")]
            )
        return variables
