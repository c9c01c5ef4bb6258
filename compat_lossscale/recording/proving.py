# SPDX-License-Identifier: Apache-2.0
"""Proves a migration on the user's own program: records both sides in throw-away copies."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from compat_lossscale.errors import CompatLossScaleError
from compat_lossscale.recording import recorder
from compat_lossscale.recording.comparison import (
    ADVICE,
    ComparisonVerdict,
    RecordingComparison,
    compare,
)
from compat_lossscale.recording.reading import Recording, UnreadableRecordingError, read
from compat_lossscale.recording.recorder import LARGEST_COPY, NOT_COPIED

RECORDER = Path(recorder.__file__)
_RUN = [sys.executable, "-m", "compat_lossscale", "run"]


class ProofError(CompatLossScaleError):
    """A proof cannot be tried. The message says why, and what to do."""


def prove(
    folder: Path, outputs: Mapping[Path, bytes], program: str, *, keras3: bool, steps: int | None
) -> RecordingComparison:
    """Runs a program as it is and as it will be, in copies of a folder, and compares the two.

    Args:
        folder: The folder to copy, in which the program is run.
        outputs: The content that files will have.
        program: What would follow `compat-lossscale run`: options of it, the program, arguments.
        keras3: Whether the program as it will be is for Keras 3.
        steps: After how many steps of the first optimizer the program ends; `None` to let it end.

    Returns:
        The comparison. If the program as it is does not reproduce itself, it says so.

    Raises:
        ProofError: The program cannot be run in a copy of the folder.
    """
    words = shlex.split(program)
    options = list(words[: _count_options(words)])
    words = words[len(options) :]
    if not words:
        raise ProofError("--prove needs a program, such as --prove 'train.py --epochs 1'")
    _check_size(folder)
    limit = ["--steps", str(steps)] if steps else []
    with tempfile.TemporaryDirectory(prefix="compat-lossscale-") as name:
        top = Path(name).resolve()
        recordings = {side: top / f"{side}.lsr" for side in ("before", "after", "again")}
        keep = ["--with-initial-values"] if keras3 else []
        start = ["--start-from", str(recordings["before"])] if keras3 else []
        before = [*_RUN, *options, "--record", str(recordings["before"]), *limit, *keep, *words]
        plain = [sys.executable, str(RECORDER), "-o", str(recordings["after"]), *limit, *start]
        first = _recorded(before, {}, _copied(folder, top / "before", {}), recordings["before"])
        copy = _copied(folder, top / "after", outputs)
        variables = {"TF_USE_LEGACY_KERAS": "0" if keras3 else "1"}
        second = _recorded([*plain, *words], variables, copy, recordings["after"])
        comparison = compare(first, second)
        if comparison.verdict is ComparisonVerdict.DIFFERENT:
            again = [str(recordings["again"]) if w == str(recordings["before"]) else w
                     for w in before]  # fmt: skip
            copy = _copied(folder, top / "again", {})
            other = compare(first, _recorded(again, {}, copy, recordings["again"]))
            if other.verdict is not ComparisonVerdict.SAME:
                comparison.verdict = ComparisonVerdict.CANNOT_BE_TOLD
                comparison.reason = (
                    "cannot be told: the unchanged program does not do the same twice. " + ADVICE
                ).rstrip(".")
                comparison.first = comparison.parted = None
                comparison.others.clear()
            else:
                unknown = "Whether the program reproduces itself is not known"
                comparison.notes[:] = [n for n in comparison.notes if not n.startswith(unknown)]
        return comparison


def _count_options(words: Sequence[str]) -> int:
    return next((i for i, word in enumerate(words) if not word.startswith("--")), len(words))


def _check_size(folder: Path) -> None:
    size = 0
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in NOT_COPIED]
        for name in files:
            path = os.path.join(place, name)  # noqa: PTH118  # many files
            size += os.lstat(path).st_size if not os.path.islink(path) else 0  # noqa: PTH114
        if size > LARGEST_COPY:
            raise ProofError(
                f"{folder} has more than {LARGEST_COPY // 2**30} GB, too much to copy: move the "
                "data out of it, or record both sides yourself with run --record and record"
            )


def _copied(folder: Path, copy: Path, outputs: Mapping[Path, bytes]) -> Path:
    """Copies a folder, and gives files in the copy other content."""
    shutil.copytree(
        folder, copy, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED), dirs_exist_ok=True
    )
    for path, content in outputs.items():
        try:
            place = path.resolve().relative_to(folder.resolve())
        except ValueError:
            raise ProofError(
                f"{path} is outside of {folder}: run migrate in a folder with all that changes"
            ) from None
        (copy / place).unlink()
        (copy / place).write_bytes(content)
    return copy


def _recorded(
    command: Sequence[str], variables: Mapping[str, str], folder: Path, recording: Path
) -> Recording:
    """Runs a side, and returns its recording. What it prints is not shown."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PYTHONHASHSEED": "0", **os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    try:
        return read(str(recording))
    except UnreadableRecordingError:
        tail = done.stderr.decode("utf-8", "replace").strip().splitlines()[-5:]
        raise ProofError(
            f"the program could not be recorded (exit code {done.returncode}): {' | '.join(tail)}"
        ) from None
