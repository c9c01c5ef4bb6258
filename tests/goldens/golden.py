# SPDX-License-Identifier: Apache-2.0
"""Golden traces: reading scenarios and traces, and comparing one trace with another.

A scenario is a legacy program in ``scenarios/``. A trace is what it observed under one
TensorFlow: a mapping from observation names to JSON values, in printed order. Where the
old versions disagree, ``differences.json`` holds a ruling that says which side to take.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

Json: TypeAlias = Any

HERE: Final = Path(__file__).resolve().parent
SCENARIOS: Final = HERE / "scenarios"
TRACES: Final = HERE / "traces"
RULINGS: Final = HERE / "differences.json"

ALL_SIDES: Final = "both"
ANY_SIDE: Final = "any"

_OBSERVATION = re.compile(r"([A-Za-z_][\w.\[\]/-]*) = (.+)")
_EXACT = re.compile(r"(^|[._])(scale|counter|steps|iterations|global_step|period)($|[._])")


@dataclass(frozen=True)
class Scenario:
    """A legacy program and what its header says about it.

    Attributes:
        path: The program.
        summary: The first line of its docstring.
        versions: The TensorFlow versions it is recorded under.
        tf1: Whether the shim runs it with ``--tf1``.
    """

    path: Path
    summary: str
    versions: tuple[str, ...]
    tf1: bool = False

    @property
    def name(self) -> str:
        """The file name without its suffix."""
        return self.path.stem

    @classmethod
    def read(cls, path: Path) -> Scenario:
        """Reads a program's header.

        Args:
            path: The program.

        Returns:
            The scenario.

        Raises:
            ValueError: The program has no docstring, or names no versions.
        """
        source = path.read_text(encoding="utf-8")
        docstring = re.search(r'^"""(.+?)(?:"""|\n)', source, re.MULTILINE)
        versions = re.search(r"^# versions: (.+)$", source, re.MULTILINE)
        if docstring is None or versions is None:
            raise ValueError(f"{path.name}: needs a docstring and a '# versions:' line")
        tf1 = re.search(r"^# run: --tf1$", source, re.MULTILINE) is not None
        return cls(path, docstring[1].strip(), tuple(versions[1].split()), tf1)


@dataclass(frozen=True)
class Trace:
    """What one scenario observed in one run.

    Attributes:
        values: The observed values by name, in printed order.
    """

    values: Mapping[str, Json]

    @classmethod
    def parse(cls, output: str) -> Trace:
        """Reads the ``name = <json>`` lines of a program's output; others are ignored.

        Args:
            output: The standard output.

        Returns:
            The trace.

        Raises:
            ValueError: A name was printed twice.
        """
        values: dict[str, Json] = {}
        for line in output.splitlines():
            found = _OBSERVATION.fullmatch(line.strip())
            if found is None:
                continue
            try:
                value = json.loads(found[2])
            except json.JSONDecodeError:
                continue
            if found[1] in values:
                raise ValueError(f"observed twice: {found[1]}")
            values[found[1]] = value
        return cls(values)


@dataclass(frozen=True)
class Difference:
    """One place where an actual trace is not what was expected.

    Attributes:
        key: The observation, with the place inside its value.
        expected: What was expected, or None if the key should not be there.
        actual: What was seen, or None if nothing was.
        reason: What is wrong, in a few words.
    """

    key: str
    expected: Json
    actual: Json
    reason: str

    def __str__(self) -> str:
        """Returns one readable line."""
        return f"{self.key}: {self.reason}: expected {self.expected!r}, got {self.actual!r}"


@dataclass(frozen=True)
class Ruling:
    """What to expect of the shim where the old versions disagree.

    Attributes:
        scenario: The scenario's name.
        key: The observation's name.
        values: The recorded value by version; versions that did not print it are absent.
        side: The version whose value holds, ``both`` if every version's must (for errors:
            one class that each version's ``except`` catches), or ``any`` if one suffices.
        why: The reason, in one sentence.
    """

    scenario: str
    key: str
    values: Mapping[str, Json] = field(hash=False)
    side: str
    why: str


def compare(expected: Trace, actual: Trace, float_tolerance: float = 1e-6) -> list[Difference]:
    """Compares two traces of one scenario.

    Scales, counters and everything that is no float are compared exactly, other floats to
    the tolerance (relative and absolute), errors by type: the actual error must be caught
    by ``except <recorded type>``. Messages are not compared.

    Args:
        expected: The recorded trace.
        actual: The trace to judge.
        float_tolerance: The relative and absolute tolerance.

    Returns:
        The differences, in the order of the expected trace; none if the traces agree.
    """
    differences = []
    for key, value in expected.values.items():
        if key not in actual.values:
            differences.append(Difference(key, value, None, "missing"))
        else:
            differences += compare_values(key, value, actual.values[key], float_tolerance)
    for key, value in actual.values.items():
        if key not in expected.values:
            differences.append(Difference(key, None, value, "not expected"))
    return differences


def compare_values(
    key: str, expected: Json, actual: Json, float_tolerance: float = 1e-6
) -> list[Difference]:
    """Compares two values of one observation, by the rules of `compare`."""
    if is_error(expected):
        return _compare_errors(key, expected, actual)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _compare_mappings(key, expected, actual, float_tolerance)
    if isinstance(expected, list) and isinstance(actual, list):
        return _compare_lists(key, expected, actual, float_tolerance)
    if _equal_scalars(key, expected, actual, float_tolerance):
        return []
    return [Difference(key, expected, actual, "differs")]


def is_error(value: Json) -> bool:
    """Whether an observed value is an exception."""
    return isinstance(value, dict) and {"type", "mro", "message"} == set(value)


def _compare_errors(key: str, expected: Json, actual: Json) -> list[Difference]:
    caught = is_error(actual) and expected["type"] in [actual["type"], *actual["mro"]]
    return [] if caught else [Difference(key, expected, actual, "another error")]


def _compare_mappings(
    key: str, expected: dict[str, Json], actual: dict[str, Json], float_tolerance: float
) -> list[Difference]:
    if set(expected) != set(actual):
        return [Difference(key, expected, actual, "other keys")]
    differences = []
    for name, value in expected.items():
        differences += compare_values(f"{key}.{name}", value, actual[name], float_tolerance)
    return differences


def _compare_lists(
    key: str, expected: list[Json], actual: list[Json], float_tolerance: float
) -> list[Difference]:
    if len(expected) != len(actual):
        return [Difference(key, expected, actual, "other length")]
    differences = []
    for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
        differences += compare_values(f"{key}[{index}]", one, other, float_tolerance)
    return differences


def _equal_scalars(key: str, expected: Json, actual: Json, float_tolerance: float) -> bool:
    numbers = (int, float)
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if not isinstance(expected, numbers) or not isinstance(actual, numbers):
        return bool(expected == actual)
    if _EXACT.search(re.sub(r"\[\d+\]", "", key)) or not isinstance(expected, float):
        return expected == actual
    bound = float_tolerance * max(1.0, abs(expected), abs(actual))
    return abs(expected - actual) <= bound


def read_scenarios(folder: Path = SCENARIOS) -> list[Scenario]:
    """Reads every scenario of a folder, by name."""
    paths = sorted(path for path in folder.glob("*.py") if path.stem != "observe")
    return [Scenario.read(path) for path in paths]


def read_traces(scenario: Scenario, folder: Path = TRACES) -> dict[str, Trace]:
    """Reads the recorded traces of a scenario, by version."""
    recorded = {version: recorded_under(version, folder) for version in scenario.versions}
    return {
        version: traces[scenario.name]
        for version, traces in recorded.items()
        if scenario.name in traces
    }


@functools.cache
def recorded_under(version: str, folder: Path = TRACES) -> Mapping[str, Trace]:
    """Reads the recorded traces of a version, by scenario."""
    path = _file_of(version, folder)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    traces = map(json.loads, lines)
    return {trace["scenario"]: Trace(trace["observed"]) for trace in traces}


def keep_trace(scenario: Scenario, version: str, trace: Trace, folder: Path = TRACES) -> None:
    """Writes the trace of a scenario under a version, as one line among those of the version."""
    traces = {**recorded_under(version, folder), scenario.name: trace}
    lines = [
        json.dumps({"scenario": name, "observed": dict(one.values)}, ensure_ascii=False) + "\n"
        for name, one in sorted(traces.items())
    ]
    folder.mkdir(parents=True, exist_ok=True)
    _file_of(version, folder).write_text("".join(lines), encoding="utf-8")
    recorded_under.cache_clear()


def _file_of(version: str, folder: Path) -> Path:
    return folder / f"{version}.jsonl"


def read_rulings(path: Path = RULINGS) -> dict[tuple[str, str], Ruling]:
    """Reads the rulings, by scenario and key."""
    rulings = [Ruling(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))]
    return {(ruling.scenario, ruling.key): ruling for ruling in rulings}


def disagreements(traces: Mapping[str, Trace]) -> dict[str, dict[str, Json]]:
    """Lists the observations of one scenario on which the recorded versions disagree.

    Args:
        traces: The recorded traces by version.

    Returns:
        The recorded values by version, by key. A version that did not print the key is
        absent from its values.
    """
    keys = dict.fromkeys(key for trace in traces.values() for key in trace.values)
    found = {}
    for key in keys:
        values = {v: trace.values[key] for v, trace in traces.items() if key in trace.values}
        first = next(iter(values.values()))
        agree = all(_same_recording(key, first, value) for value in values.values())
        if not agree or len(values) != len(traces):
            found[key] = values
    return found


def _same_recording(key: str, one: Json, other: Json) -> bool:
    if is_error(one) and is_error(other):
        return bool(one["type"] == other["type"])
    return not compare_values(key, one, other)


def judge(
    scenario: Scenario,
    actual: Trace,
    rulings: Mapping[tuple[str, str], Ruling],
    traces: Mapping[str, Trace] | None = None,
) -> list[Difference]:
    """Judges a run of the shim by everything recorded of a scenario.

    Args:
        scenario: The scenario that was run.
        actual: What it printed.
        rulings: What to expect where the versions disagree.
        traces: The recorded traces by version; read from disk by default.

    Returns:
        The differences between the run and what the versions, and the rulings, say.
    """
    recorded = read_traces(scenario) if traces is None else traces
    disagreed = disagreements(recorded)
    keys = dict.fromkeys(key for trace in recorded.values() for key in trace.values)
    differences = []
    for key in keys:
        values = {v: trace.values[key] for v, trace in recorded.items() if key in trace.values}
        ruling = rulings.get((scenario.name, key)) if key in disagreed else None
        differences += _judge_key(key, values, ruling, actual)
    for key, value in actual.values.items():
        if key not in keys:
            differences.append(Difference(key, None, value, "not expected"))
    return differences


def _judge_key(
    key: str, values: Mapping[str, Json], ruling: Ruling | None, actual: Trace
) -> list[Difference]:
    side = ALL_SIDES if ruling is None else ruling.side
    if side not in (ALL_SIDES, ANY_SIDE):
        values = {side: values[side]} if side in values else {}
    if key not in actual.values:
        return [Difference(key, value, None, "missing") for value in list(values.values())[:1]]
    found = [compare_values(key, value, actual.values[key]) for value in values.values()]
    if side == ANY_SIDE and not all(found):
        return []
    return next((differences for differences in found if differences), [])
