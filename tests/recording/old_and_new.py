# SPDX-License-Identifier: Apache-2.0
"""Records programs under real old TensorFlows and under `run`, and compares the recordings.

    python -m tests.recording.old_and_new --python 2.3=PYTHON [--python 1.15=PYTHON] [--migrated]
        [SCENARIO ...]

The programs are the golden scenarios and those in `programs/`. Each is recorded by the standalone
recorder in the old environment, and here with the old names that `compat-lossscale run` installs,
where it begins with the initial values of the other side. With --migrated, it is migrated instead,
and runs as plain Python runs it; programs with findings, or with nothing to migrate, are left out.
Each program runs in a process of its own, forked off one that has imported TensorFlow.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lossscale_codemods import Outcome, migrate_source

from compat_lossscale.recording.comparison import SKIPPED_STEPS_COUNT, RecordingComparison, compare
from compat_lossscale.recording.reading import UnreadableRecordingError, read
from compat_lossscale.recording.reports import verdict_words
from tests.recording.loading import RECORDER
from tests.support import REPOSITORY

FORKING = Path(__file__).with_name("forking.py")
SCENARIOS = REPOSITORY / "tests" / "goldens" / "scenarios"
PROGRAMS = Path(__file__).parent / "programs"
STATED = {"keras_apply_gradients_forms": "good steps", "model_savedmodel": "count of steps"}
"""What parts first in a program by a difference that docs/compatibility.md states."""
_UNDER_RUN = """
from compat_lossscale.legacy import startup
startup.install_when_imported("a test", legacy_optimizers=True, neighbours=True, tf1={tf1})
import tensorflow
"""
_MIGRATED = """
import os
os.environ["TF_USE_LEGACY_KERAS"] = "1"
import tensorflow
"""
_QUIET = {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONHASHSEED": "0"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the comparison, and prints a line for each program and the counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", action="append", required=True, metavar="VERSION=PYTHON")
    parser.add_argument("--migrated", action="store_true", help="take the migrated programs")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the recordings of the old side here")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth program")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for version, _, python in (one.partition("=") for one in options.python):
        with contextlib.ExitStack() as stack:
            old = stack.enter_context(Server([python], "import tensorflow"))
            preparations = {tf1: _UNDER_RUN.format(tf1=tf1) for tf1 in (True, False)}
            if options.migrated:
                preparations = dict.fromkeys(preparations, _MIGRATED)
            new = {
                tf1: stack.enter_context(Server([sys.executable], preparation))
                for tf1, preparation in preparations.items()
            }
            for program, tf1 in programs(version, options.programs)[:: options.every]:
                with tempfile.TemporaryDirectory() as folder:
                    is_now = migrated(Path(folder), program) if options.migrated else program
                    if is_now is None:
                        counts["LEFT_OUT"] += 1
                        continue
                    pair = (program, is_now)
                    result = both(Path(folder), pair, old, new[tf1], options.keep)
                verdict = result if isinstance(result, str) else result.verdict.name
                words = result if isinstance(result, str) else _words(result)
                if not isinstance(result, str) and _is_stated(program.stem, result):
                    verdict = "STATED"
                counts[verdict if verdict.isupper() else "FAILED"] += 1
                print(f"{version} {program.stem}: {words}", flush=True)
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items())))
    return int(set(counts) - {"SAME", "STATED", "CANNOT_BE_TOLD", "LEFT_OUT"} != set())


class Server:
    """A process that records programs in forks of itself. It starts when it is asked first.

    Args:
        python: The interpreter.
        preparation: What it does before it forks.
    """

    def __init__(self, python: list[str], preparation: str) -> None:
        self._command = [*python, str(FORKING), str(RECORDER), preparation]
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Server:
        """Returns itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the process."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()

    def record(self, folder: Path, *arguments: str) -> str:
        """Records a program; returns what it wrote to standard error.

        Args:
            folder: The folder to run in.
            arguments: Those of the recorder.
        """
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                stderr=subprocess.DEVNULL, env={**os.environ, **_QUIET},
            )  # fmt: skip
        errors = folder / "errors.txt"
        request = {"arguments": arguments, "folder": str(folder), "errors": str(errors)}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline(), f"{self._command[0]} has ended"
        return errors.read_text("utf-8", "replace")


def programs(version: str, names: Sequence[str]) -> list[tuple[Path, bool]]:
    """Returns the programs for a version of TensorFlow, and whether each is for TensorFlow 1."""
    found = []
    for path in sorted([*SCENARIOS.glob("*.py"), *PROGRAMS.glob("*.py")]):
        source = path.read_text()
        head = next((line for line in source.splitlines() if line.startswith("# versions:")), "")
        if version in head.split() and (not names or path.stem in names):
            found.append((path, "\n# run: --tf1\n" in source))
    return found


def migrated(folder: Path, program: Path) -> Path | None:
    """Writes a migrated program into a folder; returns `None` if it has findings or nothing old."""
    result = migrate_source(program.read_bytes())
    if not result.changed or any(
        record.outcome is Outcome.NEEDS_REVIEW for record in result.records
    ):
        return None
    (folder / "observe.py").write_bytes((SCENARIOS / "observe.py").read_bytes())
    path = folder / program.name
    path.write_bytes(result.output)
    return path


def both(
    folder: Path, programs: tuple[Path, Path], old: Server, new: Server, keep: str | None = None
) -> RecordingComparison | str:
    """Records a program on both sides; returns the comparison, or what went wrong."""
    program = programs[0]
    before, after = folder / "before.lsr", folder / "after.lsr"
    start = ("--start-from", str(before))
    sides: list[Any] = []
    for server, recording, options, path in (
        (old, before, ("--with-initial-values",), program),
        (new, after, start, programs[1]),
    ):
        errors = server.record(folder, "-o", str(recording), *options, str(path))
        try:
            sides.append(read(str(recording)))
        except UnreadableRecordingError as error:
            # Without a step there are no initial values to begin with: that is no failure.
            if "has no initial values" in errors:
                return "CANNOT_BE_TOLD"
            return f"failed: {error}: {errors[-300:]}"
        if keep and recording is before:
            Path(keep, f"{program.stem}.lsr").write_bytes(before.read_bytes())
    return compare(sides[0], sides[1], output=False)


def _is_stated(program: str, result: RecordingComparison) -> bool:
    """Whether docs/compatibility.md states what parts first.

    Up to TensorFlow 2.2, a skipped step is not counted in `iterations`, which Adam and schedules of
    the learning rate read.
    """
    if result.first is None:
        return False
    return STATED.get(program) == result.first.what or SKIPPED_STEPS_COUNT in result.notes


def _words(result: RecordingComparison) -> str:
    first = result.first
    problems = [side.end["problems"] for side in (result.before, result.after) if side.end]
    place = f" {first.name} {first.before} -> {first.after} {first.after_at}" if first else ""
    return f"{verdict_words(result)}{place}{''.join(str(one) for one in problems if one)}"


if __name__ == "__main__":
    sys.exit(main())
