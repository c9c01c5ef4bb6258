# SPDX-License-Identifier: Apache-2.0
"""What the scenarios do on Keras 3, where that is not what they did under the old TensorFlows.

    python tests/goldens/keras3.py

runs all of them and says how many are equal. Where Keras 3 itself does otherwise, a ruling in
``differences_keras3.json`` says what it does, and why.
"""

from __future__ import annotations

import collections
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from golden import (
    HERE,
    Json,
    Ruling,
    Scenario,
    Trace,
    compare_values,
    judge,
    read_rulings,
    read_scenarios,
    read_traces,
)

from compat_lossscale._require import installed_version
from compat_lossscale.legacy.environment import numbers

RULINGS = HERE / "differences_keras3.json"
ENVIRONMENT = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
ENVIRONMENT.pop("TF_USE_LEGACY_KERAS", None)


@dataclass(frozen=True)
class Keras3Ruling:
    """What a scenario does on Keras 3.

    Attributes:
        scenario: The scenario's name.
        why: The reason, in one sentence.
        values: What it observes, by the observation's name, where that differs.
        stops: Words of the error with which it ends before its end; empty if it does not.
        since: The first version of Keras that does so.
        before: The first one that does not.
    """

    scenario: str
    why: str
    values: Mapping[str, Json] = field(default_factory=dict, hash=False)
    stops: str = ""
    since: str = "3.0"
    before: str = "4.0"


@dataclass(frozen=True)
class Run:
    """A run of a scenario.

    Attributes:
        exit_code: The program's.
        trace: What it observed.
        errors: The end of its standard error.
    """

    exit_code: int
    trace: Trace
    errors: str


def _fresh_python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


class Server:
    """A process that runs scenarios as `compat-lossscale run --keras3` does.

    Args:
        python: The command that starts Python with a program.
    """

    def __init__(self, python: Callable[..., list[str]] = _fresh_python) -> None:
        self._process = subprocess.Popen(
            python(str(HERE / "serve.py"), "--keras3"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def run(self, scenario: Scenario) -> Run:
        """Runs a scenario in an empty folder."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "work").mkdir()
            request: dict[str, Any] = {
                "script": str(scenario.path),
                "tf1": scenario.tf1,
                "folder": str(folder / "work"),
                "output": str(folder / "output"),
                "errors": str(folder / "errors"),
            }
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            trace = Trace.parse((folder / "output").read_text())
            return Run(code, trace, (folder / "errors").read_text()[-3000:])


def read_keras3_rulings(path: Path = RULINGS) -> dict[str, list[Keras3Ruling]]:
    """Reads the rulings on the installed version of Keras, by scenario."""
    rulings: dict[str, list[Keras3Ruling]] = collections.defaultdict(list)
    keras = numbers(installed_version("keras") or "")
    for entry in json.loads(path.read_text(encoding="utf-8")):
        ruling = Keras3Ruling(**entry)
        if numbers(ruling.since) <= keras < numbers(ruling.before):
            rulings[ruling.scenario].append(ruling)
    return dict(rulings)


def judge_on_keras3(
    scenario: Scenario,
    run: Run,
    rulings: Mapping[tuple[str, str], Ruling],
    keras3: list[Keras3Ruling],
) -> list[str]:
    """Judges a run by what the old versions did, and by the rulings on Keras 3.

    Args:
        scenario: The scenario.
        run: The run.
        rulings: What to expect where the old versions disagree.
        keras3: The rulings on this scenario.

    Returns:
        What is neither as recorded nor as ruled, and what of the rulings does not hold any more.
    """
    stops = [ruling.stops for ruling in keras3 if ruling.stops]
    values = {key: value for ruling in keras3 for key, value in ruling.values.items()}
    wrong = []
    if bool(run.exit_code) != bool(stops) or any(words not in run.errors for words in stops):
        wrong.append(f"exit code {run.exit_code}, ruled to stop by {stops}: {run.errors}")
    recorded = read_traces(scenario)
    differing = set()
    for difference in judge(scenario, run.trace, rulings, recorded):
        key = next((one for one in values if _is_part(difference.key, one)), difference.key)
        differing.add(key)
        if key not in values and not (stops and difference.reason == "missing"):
            wrong.append(str(difference))
    for key, value in values.items():
        if key not in differing:
            wrong.append(f"{key}: ruled to differ, and does not")
        elif key not in run.trace.values:
            wrong.append(f"{key}: ruled to be {value!r}, and missing")
        else:
            wrong += map(str, compare_values(key, value, run.trace.values[key]))
    return wrong


def _is_part(key: str, observation: str) -> bool:
    """Whether a difference's key, which says where in a value it is, is of an observation."""
    return key == observation or key.startswith((f"{observation}[", f"{observation}."))


def main() -> int:
    """Runs all scenarios, and prints what is neither as recorded nor as ruled."""
    rulings, keras3 = read_rulings(), read_keras3_rulings()
    counts: collections.Counter[str] = collections.Counter()
    with Server() as server:
        for scenario in read_scenarios():
            own = keras3.get(scenario.name, [])
            wrong = judge_on_keras3(scenario, server.run(scenario), rulings, own)
            stops = any(ruling.stops for ruling in own)
            kind = "stops" if stops else "differs" if own else "equal"
            counts["WRONG" if wrong else kind] += 1
            for line in wrong:
                print(f"{scenario.name}: {line}", flush=True)
    print(", ".join(f"{number} {kind}" for kind, number in sorted(counts.items())))
    return int(bool(counts["WRONG"]))


if __name__ == "__main__":
    sys.exit(main())
