# SPDX-License-Identifier: Apache-2.0
"""Records golden traces: runs the scenarios under real old TensorFlows.

    python tests/goldens/record.py --python 2.3=PYTHON [--python 2.4=PYTHON ...] [SCENARIO ...]
    python tests/goldens/record.py --sweep --python 2.3=PYTHON [--python 2.4=PYTHON ...]
    python tests/goldens/record.py --differences

Each scenario runs under every given interpreter whose version it names, one at a time, and
its observations are written as one line of ``traces/<version>.jsonl``. ``--sweep`` records the
small expressions of ``sweep/expressions.py`` instead, in ``sweep/results``. ``--differences``
records nothing; it checks that ``differences.json`` rules on exactly the observations on
which the recorded versions disagree, and prints what is missing or stale.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from golden import (
    RULINGS,
    Scenario,
    Trace,
    disagreements,
    keep_trace,
    read_rulings,
    read_scenarios,
    read_traces,
)
from sweep import comparison

_TIMEOUT_SECONDS = 300
_TAIL_LINES = 15


class RecordingError(Exception):
    """A scenario did not run to its end, or observed nothing."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the recorder.

    Args:
        arguments: The command line; that of the process by default.

    Returns:
        The exit code: 0, or 1 if a recording failed or a ruling is missing or stale.
    """
    options = _parser().parse_args(arguments)
    if options.differences:
        return check_differences()
    pythons = dict(options.python or ())
    if options.sweep:
        return record_sweep(pythons)
    names = {name.removesuffix(".py") for name in options.scenarios}
    scenarios = [one for one in read_scenarios() if not names or one.name in names]
    unknown = names - {scenario.name for scenario in scenarios}
    if unknown:
        print(f"no such scenario: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 1
    return record_all(scenarios, pythons)


def record_all(scenarios: Sequence[Scenario], pythons: dict[str, str]) -> int:
    """Records scenarios under interpreters.

    Args:
        scenarios: The scenarios.
        pythons: The interpreters by TensorFlow version.

    Returns:
        The exit code: 1 if any recording failed.
    """
    failures = 0
    for scenario in scenarios:
        for version in scenario.versions:
            if version not in pythons:
                continue
            try:
                trace = run(scenario, pythons[version])
            except RecordingError as error:
                failures += 1
                print(f"FAILED {version} {scenario.name}: {error}", file=sys.stderr)
                continue
            keep_trace(scenario, version, trace)
            print(f"{version} {scenario.name}: {len(trace.values)} observations", flush=True)
    return 1 if failures else 0


def record_sweep(pythons: dict[str, str]) -> int:
    """Records what the small expressions give under interpreters.

    Args:
        pythons: The interpreters by TensorFlow version.

    Returns:
        The exit code: 1 if any recording failed.
    """
    failures = 0
    for version, python in pythons.items():
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [python, str(comparison.HERE / "evaluate.py"), version],
                cwd=folder,
                env=_environment(),
                capture_output=True,
                text=True,
                check=False,
            )
        if done.returncode:
            failures += 1
            print(f"FAILED {version}:\n{done.stderr[-3000:]}", file=sys.stderr)
            continue
        (comparison.RESULTS / f"{version}.json").write_text(done.stdout, encoding="utf-8")
        print(f"{version}: {len(json.loads(done.stdout))} expressions", flush=True)
    return 1 if failures else 0


def run(scenario: Scenario, python: str) -> Trace:
    """Runs one scenario under one interpreter, in an empty folder.

    Args:
        scenario: The scenario.
        python: The interpreter.

    Returns:
        What it observed.

    Raises:
        RecordingError: It failed, took too long, or observed nothing.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [python, str(scenario.path)],
                cwd=folder,
                env=_environment(),
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise RecordingError(f"not done after {_TIMEOUT_SECONDS} s") from error
    if done.returncode:
        tail = "\n".join(done.stderr.splitlines()[-_TAIL_LINES:])
        raise RecordingError(f"exit code {done.returncode}\n{tail}")
    trace = Trace.parse(done.stdout)
    if not trace.values:
        raise RecordingError("observed nothing")
    return trace


def check_differences() -> int:
    """Checks that the rulings match the disagreements of the recorded versions.

    Returns:
        The exit code: 1 if a ruling is missing, stale, or holds other values.
    """
    rulings = read_rulings() if RULINGS.exists() else {}
    found = {
        (scenario.name, key): values
        for scenario in read_scenarios()
        for key, values in disagreements(read_traces(scenario)).items()
    }
    wrong = 0
    for place, values in found.items():
        if place not in rulings or dict(rulings[place].values) != values:
            wrong += 1
            entry = {"scenario": place[0], "key": place[1], "values": values}
            print(json.dumps({"missing": entry}))
    for scenario, key in rulings.keys() - found.keys():
        wrong += 1
        print(json.dumps({"stale": {"scenario": scenario, "key": key}}))
    print(f"{len(found)} differences, {wrong} without a right ruling", file=sys.stderr)
    return 1 if wrong else 0


def _environment() -> dict[str, str]:
    quiet = {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    steady = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    return {**os.environ, **quiet, **steady}


def _interpreter(text: str) -> tuple[str, str]:
    version, separator, python = text.partition("=")
    if not (version and separator and python):
        raise argparse.ArgumentTypeError("write VERSION=PYTHON, such as 2.3=/usr/bin/python3")
    return version, python


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Record golden traces.")
    parser.add_argument(
        "--python",
        action="append",
        type=_interpreter,
        metavar="VERSION=PYTHON",
        help="an interpreter that has this TensorFlow version; may be given again",
    )
    parser.add_argument(
        "--sweep", action="store_true", help="record the small expressions, not the scenarios"
    )
    parser.add_argument(
        "--differences",
        action="store_true",
        help="check differences.json against the recorded traces, and record nothing",
    )
    parser.add_argument("scenarios", nargs="*", help="scenarios to record; all by default")
    return parser


if __name__ == "__main__":
    sys.exit(main())
