# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest

from benchmarks import step, steps
from benchmarks.cases import Case, same_results
from benchmarks.measure import Spread, in_turns, overhead_ratio
from tests.support import python


@pytest.mark.nightly
def test_a_smoke_run_measures_every_part() -> None:
    # In a process of its own: the steps take another path where there are two devices.
    program = "import json; from benchmarks.step import run; print(json.dumps(run(smoke=True)))"
    done = python("-c", program, timeout=600)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout.splitlines()[-1])
    assert {"machine", "steps", "growth"} <= set(results)
    assert [set(row) for row in results["steps"]] == [{"case", "eager", "graph", "trace"}] * 2
    assert results["growth"]["variables"][0]["ours"] > 0


def test_what_is_measured_again_takes_its_earlier_place(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [case.name for case in steps.CASES]
    before = {
        "growth": "",
        "memory": "kept",
        "steps": [{"case": name} for name in (names[0], names[2])],
    }
    monkeypatch.setattr(steps, "measured", lambda number: {"case": names[number], "again": number})
    monkeypatch.setattr(step, "result_of", lambda module: f"of {module}")
    after = step.run_again(before, ["1", "2", "growth"])
    assert after["steps"] == [
        {"case": names[0]},
        {"case": names[1], "again": 1},
        {"case": names[2], "again": 2},
    ]
    assert after["growth"] == "of benchmarks.growth"
    assert after["memory"] == "kept"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "case",
    [
        Case("legacy", 3, (4,), inner="Adam"),
        Case("new", 3, (4, 4), inner="Adam"),
        Case("legacy", 2, (5000,)),
        Case("legacy", 2, (20, 3), gradients="sparse"),
        Case("new", 3, (4,), gradients="float16"),
        Case("legacy", 3, (4,), fixed=True),
    ],
    ids=lambda case: case.name,
)
def test_what_is_compared_does_the_same(case: Case) -> None:
    assert same_results(case)


@pytest.mark.nightly
def test_what_is_compared_does_the_same_with_replicas() -> None:
    # In a process of its own: strategies share the numbers of their reductions.
    program = (
        "from benchmarks.cases import Case, same_results\n"
        "cases = [Case(f, 3, (4,), replicas=2) for f in ('legacy', 'new')]\n"
        "cases[0].make_devices()\n"
        "print([same_results(case) for case in cases])\n"
    )
    done = python("-c", program, timeout=600)
    assert done.stdout.splitlines()[-1:] == ["[True, True]"], done.stderr


def test_candidates_take_turns() -> None:
    calls: list[str] = []
    taken = in_turns(
        {name: lambda name=name: calls.append(name) for name in "ab"}, rounds=3, seconds=0
    )
    assert {name: len(figures) for name, figures in taken.items()} == {"a": 3, "b": 3}
    assert calls[-6:] == ["b", "a", "a", "b", "b", "a"]


def test_steps_are_traced_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    traced: list[str] = []
    monkeypatch.setattr(steps, "trace", lambda name: traced.append(name) or 1.0)
    taken = steps.traces({name: lambda name=name: name for name in "abc"}, rounds=2)
    assert taken == {"a": [1.0, 1.0], "b": [1.0, 1.0], "c": [1.0, 1.0]}
    assert "".join(traced) == "abc" + "abc" + "cba"


def test_an_overhead_is_compared_to_another_over_what_both_do() -> None:
    rounds = {"bare": [1.0, 1.0, 1.0], "stock": [3.0, 3.0, 3.0], "ours": [2.0, 1.5, 1.0]}
    assert overhead_ratio(rounds, "ours", "stock", "bare") == Spread(0.25, 0.125, 0.375)
