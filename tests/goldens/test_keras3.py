# SPDX-License-Identifier: Apache-2.0
"""Every scenario does on Keras 3 what it did under the real old TensorFlows, or as is ruled."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import golden
import keras3
import pytest

from tests import forked_python

SCENARIOS = golden.read_scenarios()
RULINGS = golden.read_rulings()
KERAS_3 = keras3.read_keras3_rulings()


@pytest.fixture(scope="module")
def server() -> Iterator[keras3.Server]:
    with keras3.Server(forked_python.command) as running:
        yield running


@pytest.mark.sampled(20)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_program_gives_the_recorded_trace_on_keras_3(
    scenario: golden.Scenario, server: keras3.Server
) -> None:
    rulings = KERAS_3.get(scenario.name, [])
    wrong = keras3.judge_on_keras3(scenario, server.run(scenario), RULINGS, rulings)
    assert not wrong, "\n".join(wrong)


def test_the_command_gives_the_recorded_trace_on_keras_3(tmp_path: Path) -> None:
    scenario = next(one for one in SCENARIOS if one.name == "policy_fit_fixed_scale")
    arguments = ("-m", "compat_lossscale", "run", "--keras3", str(scenario.path))
    done = subprocess.run(
        forked_python.command(*arguments),
        cwd=tmp_path,
        env=keras3.ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert not golden.judge(scenario, golden.Trace.parse(done.stdout), RULINGS)


def test_every_ruling_is_on_a_scenario_and_says_why() -> None:
    names = {scenario.name for scenario in SCENARIOS}
    for name, rulings in KERAS_3.items():
        assert name in names
        assert all(ruling.why.endswith(".") for ruling in rulings)
        assert all(ruling.values or ruling.stops for ruling in rulings)


def judged(
    observed: dict[str, object], ruling: keras3.Keras3Ruling, exit_code: int = 0, errors: str = ""
) -> list[str]:
    scenario = next(one for one in SCENARIOS if one.name == "keras_float16_loss_and_gradients")
    recorded = golden.read_traces(scenario)["2.4"].values
    run = keras3.Run(exit_code, golden.Trace({**recorded, **observed}), errors)
    return keras3.judge_on_keras3(scenario, run, RULINGS, [ruling])


def test_a_ruling_that_does_not_hold_any_more_is_told() -> None:
    def ruling(**options: object) -> keras3.Keras3Ruling:
        return keras3.Keras3Ruling("s", "Because.", **options)  # type: ignore[arg-type]

    other = {"scale": 5}
    assert judged(other, ruling(values=other)) == []
    assert "ruled to differ, and does not" in judged({}, ruling(values=other))[0]
    assert "differs" in judged(other, ruling(values={"scale": 6}))[0]
    assert judged(other, ruling())
    assert "ruled to stop" in judged({}, ruling(stops="words"))[0]
    assert "ruled to stop" in judged({}, ruling(stops="words"), 1, "others")[0]
    assert judged({}, ruling(stops="words"), 1, "some words here") == []
    assert judged({}, ruling(), exit_code=1)
