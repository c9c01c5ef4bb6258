# SPDX-License-Identifier: Apache-2.0
"""Trains models in one Keras, converts what it saves, and trains on in the other.

Each Keras has a process of its own that runs `side.py`. Both are stock, unless a case asks for the
optimizer of this package.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from compat_lossscale import errors
from compat_lossscale.formats.conversion import Conversion
from compat_lossscale.formats.isolated import from_json
from compat_lossscale.spec import Generation
from tests import forked_python

SETTINGS = {"learning_rate": 0.0625}
MOMENTUM = {**SETTINGS, "momentum": 0.75}
_ON_TF_KERAS = ("tf_keras", "compat_lossscale")
Values = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Case:
    """A model that is trained, saved, converted and trained on.

    Attributes:
        source: The Keras that it is saved by.
        model: Its name in the zoo.
        optimizer: The class of its optimizer.
        settings: The optimizer's arguments.
        scale: `dynamic`, `rule` (dynamic, with a rule), `fixed` or `none`.
        family: `legacy`, or empty for the new family of tf-keras.
        policy: The dtype policy.
        ours: Whether tf-keras runs with this package's loss-scale optimizer.
        ours_on_keras3: Whether Keras 3 does.
    """

    source: Generation
    model: str = "dense"
    optimizer: str = "SGD"
    settings: dict[str, Any] = dataclasses.field(default_factory=lambda: dict(MOMENTUM))
    scale: str = "dynamic"
    family: str = ""
    policy: str = "mixed_float16"
    ours: bool = False
    ours_on_keras3: bool = False

    @property
    def target(self) -> Generation:
        """The Keras that it is converted to."""
        return Generation.KERAS3 if self.source is Generation.TF_KERAS else Generation.TF_KERAS

    def side(self, generation: Generation) -> str:
        """Returns the name of the process that is one of its two Keras."""
        if generation is Generation.KERAS3:
            return "compat_lossscale.keras3" if self.ours_on_keras3 else "keras"
        return "compat_lossscale" if self.ours else "tf_keras"

    @property
    def name(self) -> str:
        """A name for test reports and files."""
        words = (
            "to_keras3" if self.target is Generation.KERAS3 else "to_tf_keras",
            self.model.replace(" ", "_"),
            self.optimizer,
            *(f"{key}={value}" for key, value in self.settings.items() if key not in SETTINGS),
            self.scale,
            self.family,
            self.policy,
            "ours" if self.ours else "",
            "ours_on_keras3" if self.ours_on_keras3 else "",
        )
        return "-".join(word for word in words if word).replace("/", "_")[:150]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The result of a case.

    Attributes:
        conversion: What `write_converted` returns.
        before: The values in the Keras that saved it, which trains on.
        after: The values in the other Keras, which loads it and trains on.
    """

    conversion: Conversion
    before: Values
    after: Values


class Side:
    """One Keras, in a process of its own."""

    def __init__(self, name: str, folder: Path) -> None:
        self._folder = folder
        program = Path(__file__).with_name("side.py")
        self._process = subprocess.Popen(
            forked_python.command(str(program), name, str(folder)),
            env={**os.environ, "TF_USE_LEGACY_KERAS": "1" if name in _ON_TF_KERAS else ""},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, tasks: list[dict[str, Any]]) -> None:
        """Starts with a list of tasks."""
        assert self._process.stdin is not None
        print(json.dumps(tasks), file=self._process.stdin, flush=True)

    def wait(self) -> None:
        """Waits until the tasks are done."""
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "done\n"

    def result(self, name: str) -> Values:
        """Returns the values of a task.

        Raises:
            AssertionError: The task failed.
        """
        error = self._folder / f"{name}.error"
        if error.exists():
            raise AssertionError(error.read_text(encoding="utf-8"))
        with np.load(self._folder / f"{name}.npz") as values:
            return dict(values)

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate(timeout=60)


def run(cases: list[Case], folder: Path) -> dict[str, Outcome | Exception]:
    """Runs cases, all at once: starting a Keras takes longer than most of them.

    Args:
        cases: The cases.
        folder: An empty folder.

    Returns:
        What came of each, by its name: the outcome, or what was raised instead.
    """
    names = {case.side(generation) for case in cases for generation in (case.source, case.target)}
    sides = {name: Side(name, folder) for name in sorted(names)}
    try:
        saving: dict[str, list[dict[str, Any]]] = {name: [] for name in sides}
        for case in cases:
            saving[case.side(case.source)].append(_saving(case, folder))
        _do(sides, saving)
        conversions = {
            **_converted([case for case in cases if case.family], folder),
            **_converted([case for case in cases if not case.family], folder),
        }
        loading: dict[str, list[dict[str, Any]]] = {name: [] for name in sides}
        for case in cases:
            if _copy(case, folder).exists():
                loading[case.side(case.target)].append(_loading(case, folder))
        _do(sides, loading)
        return {case.name: _outcome(case, conversions[case.name], sides) for case in cases}
    finally:
        for side in sides.values():
            side.close()


def _do(sides: dict[str, Side], tasks: dict[str, list[dict[str, Any]]]) -> None:
    for name, side in sides.items():
        side.start(tasks[name])
    for side in sides.values():
        side.wait()


def _path(case: Case, folder: Path) -> Path:
    return folder / f"{case.name}.keras"


def _copy(case: Case, folder: Path) -> Path:
    return folder / f"{case.name}.converted.keras"


def _task(case: Case) -> dict[str, Any]:
    values = dataclasses.asdict(case)
    return {**values, "source": case.source.value}


def _saving(case: Case, folder: Path) -> dict[str, Any]:
    path = str(_path(case, folder))
    return {**_task(case), "do": "save", "name": f"{case.name} before", "path": path}


def _loading(case: Case, folder: Path) -> dict[str, Any]:
    path = str(_copy(case, folder))
    return {**_task(case), "do": "load", "name": f"{case.name} after", "path": path}


def _converted(cases: list[Case], folder: Path) -> dict[str, Conversion | Exception]:
    """Converts models whose optimizers are of one family."""
    requests = [
        {
            "path": str(_path(case, folder)),
            "target": case.target.value,
            "function": None,
            "output": str(_copy(case, folder)),
        }
        for case in cases
    ]
    if not requests:
        return {}
    program = Path(__file__).with_name("converting.py")
    done = subprocess.run(
        forked_python.command(str(program)),
        input=f"{json.dumps(requests)}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    results = json.loads(done.stdout)
    return {case.name: _result(result) for case, result in zip(cases, results, strict=True)}


def _result(result: dict[str, Any]) -> Conversion | Exception:
    if "conversion" in result:
        return from_json(Conversion, result["conversion"])
    error: Exception = getattr(errors, result["kind"], AssertionError)(result["error"])
    return error


def _outcome(
    case: Case, conversion: Conversion | Exception, sides: dict[str, Side]
) -> Outcome | Exception:
    try:
        before = sides[case.side(case.source)].result(f"{case.name} before")
        if isinstance(conversion, Exception):
            return conversion
        after = sides[case.side(case.target)].result(f"{case.name} after")
    except AssertionError as error:
        return error
    return Outcome(conversion, before, after)
