# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import numpy as np
import pytest
import tensorflow as tf

from benchmarks import steps
from benchmarks.cases import Case, same_results
from benchmarks.measure import Spread, in_turns, overhead_ratio
from benchmarks.plain import Plain
from tests.support import python


def test_a_smoke_run_measures_every_part() -> None:
    # In a process of its own: the steps take another path where there are two devices.
    program = "import json; from benchmarks.step import run; print(json.dumps(run(smoke=True)))"
    done = python("-c", program, timeout=600)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout.splitlines()[-1])
    assert {"machine", "steps", "fit", "growth"} <= set(results)
    assert [set(row) for row in results["steps"]] == [{"case", "eager", "graph", "trace"}] * 2
    assert results["growth"]["variables"][0]["ours"] > 0


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


@pytest.mark.parametrize("unscales", [False, True])
@pytest.mark.parametrize("gradients", ["dense", "sparse"])
def test_the_plain_step_applies_what_is_finite_and_skips_what_is_not(
    gradients: str, *, unscales: bool
) -> None:
    case = Case("legacy", 2, (20, 3), gradients=gradients)
    applied = []
    for factor in (1e9, float("nan")):
        plain = Plain(case, unscales=unscales)
        plain.step(plain.gradients(factor))
        tf.function(plain.step)(plain.gradients(factor))
        applied.append(float(tf.reduce_sum(1.0 - plain.variables[1])) > 0)
    assert applied == [True, False]


def test_the_plain_step_that_only_unscales_applies_whatever_it_gets() -> None:
    case = Case("legacy", 2, (20, 3))
    for take in (lambda step: step, tf.function):
        plain = Plain(case, asks=False)
        take(plain.step)(plain.gradients(2.0**15 / 1e-3))
        np.testing.assert_allclose(plain.variables[1], np.full((20, 3), 0.99))
        take(plain.step)(plain.gradients(float("nan")))
        assert np.isnan(plain.variables[1]).all()


def test_the_plain_step_asks_all_replicas() -> None:
    program = (
        "import tensorflow as tf\n"
        "from benchmarks.cases import Case\n"
        "from benchmarks.plain import Plain\n"
        "case = Case('legacy', 2, (4,), replicas=2)\n"
        "case.make_devices()\n"
        "applied = []\n"
        "for bad in (None, 0, 1):\n"
        "    plain = Plain(case)\n"
        "    @tf.function\n"
        "    def step():\n"
        "        replica = tf.distribute.get_replica_context().replica_id_in_sync_group\n"
        "        factor = tf.where(replica == (-1 if bad is None else bad), float('nan'), 1e9)\n"
        "        plain._step([one * factor for one in plain.gradients()])\n"
        "    plain._strategy.run(step)\n"
        "    applied.append(bool(plain.variables[1].numpy()[0] < 1))\n"
        "print(applied)\n"
    )
    done = python("-c", program, timeout=600)
    assert done.stdout.splitlines()[-1:] == ["[True, False, False]"], done.stderr


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
