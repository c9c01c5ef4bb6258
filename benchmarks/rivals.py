# SPDX-License-Identifier: Apache-2.0
"""Other codemods, each in an environment of its own, running its own rules."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.commands import Command

ENVIRONMENTS = Path(__file__).parent.parent
_OLD = "tensorflow.keras.mixed_precision.experimental.LossScaleOptimizer"
_NEW = "tensorflow.keras.mixed_precision.LossScaleOptimizer"


def rivals(tree: Path, files: int, scratch: Path) -> dict[str, Command | str]:
    """Returns a command for each rival, or the reason why there is none.

    Args:
        tree: What it runs over. Nothing in it is changed.
        files: How many Python files there are in it.
        scratch: A folder for what a rival writes.
    """
    return {
        "torchfix": _command(
            "torchfix", "torchfix", str(tree), says="Finished checking", codes=(0, 1)
        ),
        "Fixit": _command(
            *("fixit", "fixit", "lint", str(tree)), says=f"{files} files", codes=(0, 1)
        ),
        "libcst codemod": Command(
            [
                *(sys.executable, "-m", "libcst.tool", "codemod", "--no-format", "--hide-progress"),
                *("--unified-diff=3", "rename.RenameCommand", str(tree)),
                *("--old_name", _OLD, "--new_name", _NEW),
            ],
            says=f"Finished codemodding {files} files!",
            folder=scratch,
        ),
        "bump-pydantic": _command(
            *("bump-pydantic", "bump-pydantic", "--diff"),
            *("--log-file", str(scratch / "bump-pydantic.log"), "."),
            says=f"Found {files} files to process",
            codes=(0, 1),
            folder=tree,  # It takes relative paths only.
        ),
    }


def tf_upgrade(tree: Path, files: int, scratch: Path) -> Command | str:
    """Returns the command that upgrades to TensorFlow 2, or the reason why there is none."""
    program = Path(sys.executable).with_name("tf_upgrade_v2")
    if not program.is_file():
        return "the installed tensorflow has no tf_upgrade_v2"
    upgraded, report = str(scratch / "upgraded"), str(scratch / "report.txt")
    return Command(
        [
            *("sh", "-c", 'rm -rf "$0" && exec "$@"', upgraded),  # It wants to make the folder.
            *(str(program), "--intree", str(tree), "--outtree", upgraded),
            *("--reportfile", report, "--mode", "SAFETY"),
        ],
        says=f"Converted {files} files",
        environment={"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"},
    )


def _command(
    package: str,
    program: str,
    *arguments: str,
    says: str,
    codes: tuple[int, ...],
    folder: Path | None = None,
) -> Command | str:
    home = ENVIRONMENTS / f".venv-bench-{package}"
    path = home / "bin" / program
    if not path.is_file():
        venv.create(home, with_pip=True)
        install = [home / "bin" / "pip", "install", "--quiet", package]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode or not path.is_file():
            return f"it could not be installed: {done.stderr.strip().splitlines()[-1:]}"
    return Command([str(path), *arguments], says=says, codes=codes, folder=folder)
