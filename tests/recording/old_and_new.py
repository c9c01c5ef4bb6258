# SPDX-License-Identifier: Apache-2.0
"""Records programs under real old TensorFlows and under `run`, and compares the recordings.

    python -m tests.recording.old_and_new --python 2.3=PYTHON [--python 1.15=PYTHON] [SCENARIO ...]

The programs are the golden scenarios and those in `programs/`. Each is recorded by the standalone
recorder in the old environment, and by `compat-lossscale run --record` here, where it begins with
the initial values of the other side.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from compat_lossscale.recording.comparison import RecordingComparison, compare
from compat_lossscale.recording.reading import UnreadableRecordingError, read
from compat_lossscale.recording.reports import verdict_words
from tests.support import REPOSITORY

RECORDER = REPOSITORY / "compat_lossscale" / "recording" / "recorder.py"
SCENARIOS = REPOSITORY / "tests" / "goldens" / "scenarios"
PROGRAMS = Path(__file__).parent / "programs"
_QUIET = {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONHASHSEED": "0"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the comparison, and prints a line for each program and the counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", action="append", required=True, metavar="VERSION=PYTHON")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the recordings of the old side here")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for version, _, python in (one.partition("=") for one in options.python):
        for program, switches in programs(version, options.programs):
            with tempfile.TemporaryDirectory() as folder:
                result = both(Path(folder), program, python, switches, options.keep)
            verdict = result if isinstance(result, str) else result.verdict.name
            words = result if isinstance(result, str) else _words(result)
            counts[verdict if verdict.isupper() else "FAILED"] += 1
            print(f"{version} {program.stem}: {words}", flush=True)
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items())))
    return int(set(counts) - {"SAME", "CANNOT_BE_TOLD"} != set())


def programs(version: str, names: Sequence[str]) -> list[tuple[Path, list[str]]]:
    """Returns the programs for a version of TensorFlow, with the switches of `run`."""
    found = []
    for path in sorted([*SCENARIOS.glob("*.py"), *PROGRAMS.glob("*.py")]):
        source = path.read_text()
        head = next((line for line in source.splitlines() if line.startswith("# versions:")), "")
        if version in head.split() and (not names or path.stem in names):
            found.append((path, ["--tf1"] if "\n# run: --tf1\n" in source else []))
    return found


def both(
    folder: Path, program: Path, python: str, switches: list[str], keep: str | None = None
) -> RecordingComparison | str:
    """Records a program on both sides; returns the comparison, or what went wrong."""
    before, after = folder / "before.lsr", folder / "after.lsr"
    recorded = [python, str(RECORDER), "-o", str(before), "--with-initial-values", str(program)]
    run = [sys.executable, "-m", "compat_lossscale", "run", *switches]
    ran = [*run, "--record", str(after), "--start-from", str(before), str(program)]
    sides: list[Any] = []
    for command, recording in ((recorded, before), (ran, after)):
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **_QUIET}, capture_output=True, check=False
        )
        try:
            sides.append(read(str(recording)))
        except UnreadableRecordingError as error:
            # Without a step there are no initial values to begin with: that is no failure.
            if b"has no initial values" in done.stderr:
                return "CANNOT_BE_TOLD"
            return f"failed: {error}: {done.stderr.decode()[-300:]}"
        if keep and recording is before:
            Path(keep, f"{program.stem}.lsr").write_bytes(before.read_bytes())
    return compare(sides[0], sides[1], output=False)


def _words(result: RecordingComparison) -> str:
    first = result.first
    problems = [side.end["problems"] for side in (result.before, result.after) if side.end]
    place = f" {first.name} {first.before} -> {first.after} {first.after_at}" if first else ""
    return f"{verdict_words(result)}{place}{''.join(str(one) for one in problems if one)}"


if __name__ == "__main__":
    sys.exit(main())
