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
    IN_THREADS,
    SHUFFLED_UNSEEN,
    ComparisonVerdict,
    RecordingComparison,
    compare,
)
from compat_lossscale.recording.reading import (
    Recording,
    UnreadableRecordingError,
    not_reproduced,
    read,
)

_OF_RUN = frozenset(
    ("--legacy-optimizers", "--new-optimizers", "--keras3", "--tf1", "--only-loss-scale")
)
_REPLAYED = 8
"""How many steps get the data of the unchanged program, if they would get other data."""
OTHER_DATA = (
    "The migrated program can get other data. It was run again, for {} steps at most, with the "
    "data that the unchanged program got."
)
AS_PYTHON_RUNS_IT = (
    "--tf1 is for the program as it is. `python` runs the migrated one: let the program say first "
    "`import tensorflow.compat.v1 as tf` and `tf.disable_v2_behavior()`. Then leave --tf1 out."
)


class ProofError(CompatLossScaleError):
    """A proof cannot be tried. The message says why, and what to do."""


def prove(
    folder: Path,
    outputs: Mapping[Path, bytes],
    program: str,
    *,
    keras3: bool = False,
    steps: int | None = None,
    rtol: float | None = None,
) -> RecordingComparison:
    """Runs a program as it is and as it will be, in copies of a folder, and compares the two.

    Args:
        folder: The folder to copy, in which the program is run.
        outputs: The content that files will have.
        program: What would follow `compat-lossscale run`: options of it, the program, arguments.
        keras3: Whether the program as it will be is for Keras 3.
        steps: After how many steps of the first optimizer the program ends; `None` to let it end.
        rtol: The relative difference of a variable that counts as the same; see `compare`.

    Returns:
        The comparison. If the program as it is does not reproduce itself, it says so.

    Raises:
        ProofError: The program cannot be run in a copy of the folder.
    """
    words = shlex.split(program)
    count = next((i for i, word in enumerate(words) if not word.startswith("--")), len(words))
    options, words = words[:count], words[count:]
    if not words or words[0].endswith(".ipynb"):
        raise ProofError(
            "--prove needs a program, such as --prove 'train.py --epochs 1'. `jupyter nbconvert "
            "--to script` makes one of a notebook: migrate and prove that"
        )
    for option in sorted({*options} - _OF_RUN):
        raise ProofError(
            f"--prove takes no {option}: give `migrate` its own --steps and --rtol before --prove"
        )
    limit = ["--steps", str(steps)] if steps else []
    with tempfile.TemporaryDirectory(prefix="compat-lossscale-") as name:
        top = Path(name).resolve()

        def as_it_is(side: str, *more: str) -> Recording:
            run = ["-m", "compat_lossscale", "run", *options, "--record"]
            arguments = [*limit, *more, *words]
            return _recorded(run, arguments, {}, _copied(folder, top / side, {}))

        def migrated(side: str, begin: Recording, *more: str) -> Recording:
            start = ["--start-from", begin.path] if keras3 and begin.steps else []
            arguments = [*limit, *start, *more, *words]
            variables = {"TF_USE_LEGACY_KERAS": "0" if keras3 else "1"}
            copy = _copied(folder, top / side, outputs)
            return _recorded([recorder.__file__, "-o"], arguments, variables, copy)

        # Another Keras draws otherwise.
        more = ["--fix-random"] if keras3 else []
        keep = ["--with-initial-values", "--limit", "1024"] if keras3 else []  # megabytes
        before = as_it_is("before", *more, *keep)
        comparison = compare(before, migrated("after", before, *more), rtol=rtol)
        is_unseen = not any(step.data for one in before.optimizers for step in one.steps)
        replays = keras3 and (
            comparison.parted == "data"
            or SHUFFLED_UNSEEN in comparison.reason
            or (comparison.may_be_rounding and is_unseen)
        )
        replayed = min(steps or _REPLAYED, _REPLAYED) if replays else 0
        if replayed:
            # It need not ask a generator or a shuffled dataset alike, either.
            more += ["--steps", str(replayed)]
            before = as_it_is("first", *more, *keep, "--fix-data", str(replayed))
            comparison = compare(before, migrated("second", before, *more), rtol=rtol)
        nudged = None
        if keras3 and comparison.may_be_rounding:
            nudged = as_it_is("nudged", "--start-from", before.path, "--nudge", *more)
            comparison = compare(before, comparison.after, rtol=rtol, nudged=nudged)
        if comparison.verdict is ComparisonVerdict.DIFFERENT or IN_THREADS in comparison.reason:
            start = ["--start-from", before.path] if replayed else keep
            again = as_it_is("again", *more, *start)
            twice = compare(before, again, rtol=rtol)
            if any(one.what == "end" for one in twice.differences):
                comparison.cannot_be_told(
                    f"the unchanged program does not end the same way twice. {ADVICE}"
                )
            else:
                before.unstable = not_reproduced(before, again) if twice.verdict else {}
                comparison = compare(before, comparison.after, rtol=rtol, nudged=nudged)
        if replayed and SHUFFLED_UNSEEN not in comparison.reason:
            comparison.notes.append(OTHER_DATA.format(replayed))
        if "--tf1" in options and comparison.verdict is ComparisonVerdict.DIFFERENT:
            comparison.notes.append(AS_PYTHON_RUNS_IT)
        return comparison


def _copied(folder: Path, top: Path, outputs: Mapping[Path, bytes]) -> Path:
    """Copies a folder, and gives files in the copy other content."""
    top.mkdir()
    try:
        copy = Path(recorder.copy_folder(str(folder.resolve()), str(top)))
    except (OSError, shutil.Error) as error:
        raise ProofError(
            f"the folder cannot be copied: {str(error)[:300]}. Record both sides yourself, with "
            "run --record and record"
        ) from None
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
    how: Sequence[str], arguments: Sequence[str], variables: Mapping[str, str], folder: Path
) -> Recording:
    """Runs a side, and returns its recording. What it prints is not shown."""
    recording = folder.parent.with_suffix(".lsr")
    done = subprocess.run(
        [sys.executable, *how, str(recording), *arguments],
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
