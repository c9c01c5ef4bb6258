# SPDX-License-Identifier: Apache-2.0
"""Every scenario under `compat-lossscale run` does what it did under the real old TensorFlows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import golden
import pytest
import record

from tests import forked_python

SCENARIOS = golden.read_scenarios()
RULINGS = golden.read_rulings()
ENVIRONMENT = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
THROUGH_THE_COMMAND = (
    "keras_dynamic_scale_path",
    "mirrored_nan_on_one_replica",
    "tf1_session_nan_skips_step",
    "policy_loss_scale",
)
"""A few go through the real command. In `make nightly`, each imports TensorFlow itself."""
NEEDS_PRIVATE = {
    "keras_private_helpers": pytest.mark.needs_private(
        "the program itself imports private helpers, which tf-keras alone has"
    )
}


@pytest.fixture(scope="module")
def server() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        forked_python.command(str(Path(__file__).with_name("serve.py"))),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**ENVIRONMENT, "TF_USE_LEGACY_KERAS": "1"},
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def judge(scenario: golden.Scenario, output: str) -> None:
    differences = golden.judge(scenario, golden.Trace.parse(output), RULINGS)
    assert not differences, "\n".join(map(str, differences))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(scenario, id=scenario.name, marks=NEEDS_PRIVATE.get(scenario.name, ()))
        for scenario in SCENARIOS
    ],
)
def test_program_gives_the_recorded_trace(
    scenario: golden.Scenario, server: subprocess.Popen[str], tmp_path: Path
) -> None:
    output, errors = tmp_path / "output", tmp_path / "errors"
    (tmp_path / "work").mkdir()
    request = {
        "script": str(scenario.path),
        "tf1": scenario.tf1,
        "folder": str(tmp_path / "work"),
        "output": str(output),
        "errors": str(errors),
    }
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    assert server.stdout.readline().strip() == "0", errors.read_text()[-3000:]
    judge(scenario, output.read_text())


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", THROUGH_THE_COMMAND)
def test_command_gives_the_recorded_trace(name: str, tmp_path: Path) -> None:
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == name)
    arguments = ["-m", "compat_lossscale", "run", *(["--tf1"] if scenario.tf1 else [])]
    arguments.append(str(scenario.path))
    slow = bool(os.environ.get("ALL_CASES"))
    command = [sys.executable, *arguments] if slow else forked_python.command(*arguments)
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    judge(scenario, done.stdout)


def test_every_version_of_every_scenario_is_recorded() -> None:
    named = {(version, scenario.name) for scenario in SCENARIOS for version in scenario.versions}
    versions = [path.stem for path in golden.TRACES.iterdir()]
    recorded = {(one, name) for one in versions for name in golden.recorded_under(one)}
    assert recorded == named


def test_recording_a_trace_again_changes_its_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "2.4.jsonl"
    path.write_bytes((golden.TRACES / path.name).read_bytes())
    before = path.read_text("utf-8").splitlines()
    number, scenario = next(
        (number, one)
        for number, line in enumerate(before[5:], 5)
        for one in SCENARIOS
        if one.name == json.loads(line)["scenario"]
    )
    golden.keep_trace(scenario, "2.4", golden.Trace({"scale": 8.0}), tmp_path)
    after = path.read_text("utf-8").splitlines()
    assert json.loads(after[number]) == {"scenario": scenario.name, "observed": {"scale": 8.0}}
    assert after[:number] + after[number + 1 :] == before[:number] + before[number + 1 :]
    assert golden.read_traces(scenario, tmp_path)["2.4"].values == {"scale": 8.0}


def test_every_disagreement_of_the_old_versions_has_a_ruling() -> None:
    assert record.check_differences() == 0
