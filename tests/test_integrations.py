# SPDX-License-Identifier: Apache-2.0
"""What other tools read of the repository: pre-commit hooks, the GitHub Action, the docs' code."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from compat_lossscale.cli import command_line
from tests import forked_python
from tests.support import REPOSITORY

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
FINDING = OLD.replace("float32", "infer")
HOOKS = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())
ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text())
CI = (REPOSITORY / "docs" / "ci.md").read_text(encoding="utf-8")


def snippets(language: str) -> list[str]:
    """The blocks of the page on CI that are in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", CI, re.DOTALL | re.MULTILINE)


def run_module(*arguments: str) -> None:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_pre_commit_takes_the_hooks() -> None:
    run_module("pre_commit", "validate-manifest", str(REPOSITORY / ".pre-commit-hooks.yaml"))


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_does_what_it_says_with_the_files_it_is_given(hook: dict[str, Any]) -> None:
    program, *arguments = shlex.split(hook["entry"])
    assert program == "compat-lossscale"
    sources = {"a.py": OLD, "b.py": "print(1)\n", "c.py": FINDING}
    for name, source in sources.items():
        Path(name).write_text(source)

    def code(*names: str) -> int:
        return CliRunner().invoke(command_line, [*arguments, *names]).exit_code

    fixes = "fix" in hook["id"]
    assert code("b.py") == 0
    assert code("c.py", "b.py") == 1
    assert code("a.py", "b.py") == (0 if fixes else 1)
    assert Path("a.py").read_text() == (NEW if fixes else OLD)


def test_the_action_is_one_by_the_official_schema() -> None:
    action = str(REPOSITORY / "action.yml")
    run_module("check_jsonschema", "--builtin-schema", "vendor.github-actions", action)


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A folder as the action's first step leaves it, with this checkout's command."""
    programs = tmp_path / "runner" / "compat-lossscale" / "bin"
    programs.mkdir(parents=True)
    command = programs / "compat-lossscale"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m compat_lossscale "$@"\n')
    command.chmod(0o755)
    return tmp_path / "runner"


def act(runner: Path, **given: str) -> tuple[int, str, dict[str, str]]:
    """Runs the action's second step as GitHub's runner does: its code, its output, the outputs."""
    step = ACTION["runs"]["steps"][1]
    inputs = {name: value["default"] for name, value in ACTION["inputs"].items()} | given
    outputs = runner / "outputs"
    outputs.write_text("")
    environment = {**os.environ, "RUNNER_TEMP": str(runner), "GITHUB_OUTPUT": str(outputs)}
    for name, value in step["env"].items():
        match = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)
        assert match
        environment[name] = inputs[match[1]]
    script = runner / "step.sh"
    script.write_text(step["run"])
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
    done = subprocess.run(bash, check=False, env=environment, capture_output=True, text=True)
    pairs = (line.split("=", 1) for line in outputs.read_text().splitlines())
    return done.returncode, done.stdout, dict(pairs)


def test_the_action_annotates_reports_and_fails(runner: Path) -> None:
    Path("a b.py").write_text(FINDING)
    Path("-c.py").write_text(OLD)
    code, said, outputs = act(
        runner, paths="a b.py\n\n-c.py\n", sarif="out.sarif", report="out.html"
    )
    assert code == 1
    assert "::warning file=a b.py,line=2," in said
    assert "::notice file=-c.py,line=2," in said
    assert outputs == {"exit-code": "1", "report": "out.html", "sarif": "out.sarif"}
    assert "<h1>Migration report</h1>" in Path("out.html").read_text()
    assert '"version": "2.1.0"' in Path("out.sarif").read_text()


def test_the_action_can_be_lenient_but_not_blind(runner: Path) -> None:
    lenient = {"fail-on-findings": "false", "report": ""}
    Path("a.py").write_text(OLD)
    assert act(runner, **lenient)[0] == 0
    assert not Path("compat-lossscale.html").exists()
    Path("b.py").write_text(OLD + "(\n")
    assert act(runner, **lenient)[0] == 3


def test_no_input_of_the_action_is_taken_for_shell_text(runner: Path) -> None:
    paths = "$(touch taken)`touch taken`;touch taken"
    act(runner, paths=paths, report="", target='"; touch taken; "')
    assert not Path("taken").exists()
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]


def test_the_docs_name_every_input_and_output_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \| .* \| (.*) \|$", CI, re.MULTILINE))
    assert list(rows) == list(ACTION["inputs"])
    for name, shown in rows.items():
        default = ACTION["inputs"][name]["default"]
        assert shown == f"`{default}`" if default else not shown.startswith("`")
    assert all(f"`{output}`" in CI for output in ACTION["outputs"])
    hook, workflow = map(yaml.safe_load, snippets("yaml"))
    assert {h["id"] for h in hook["repos"][0]["hooks"]} <= {h["id"] for h in HOOKS}
    steps = workflow["jobs"]["loss-scale"]["steps"]
    (own,) = [step for step in steps if "/compat-lossscale@" in step["uses"]]
    assert set(own["with"]) <= set(ACTION["inputs"])
    assert steps[-1]["with"]["sarif_file"] == own["with"]["sarif"]


def test_the_commands_of_the_docs_run(folder: Path) -> None:
    lines = [line for block in snippets("console") for line in block.splitlines()]
    # What a shell's own configuration evaluates is tried in tests/cli/test_completion.py.
    commands = [line for line in lines if not line.startswith("$ eval")]
    assert len(commands) >= 8
    for line in commands:
        for name in ("src", "models"):
            shutil.rmtree(name, ignore_errors=True)
            Path(name).mkdir()
        Path("src/a.py").write_text(OLD)
        Path("models/config.json").write_text('{"dynamic": true, "inner_optimizer": null}')
        migrate = shlex.join(forked_python.command("-m", "compat_lossscale", "migrate"))
        command = re.sub(r"^compat-lossscale migrate ", f"{migrate} ", line)
        command = re.sub(r"^compat-lossscale ", "python -m compat_lossscale ", command)
        command = re.sub(r"^python ", f"{sys.executable} ", command)
        done = subprocess.run(command, check=False, shell=True, capture_output=True, text=True)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode in (0, 1), done.stderr
        if "libcst" in line:
            assert Path("src/a.py").read_text() == NEW


def test_the_python_of_the_docs_runs() -> None:
    (code,) = snippets("python")
    values: dict[str, Any] = {}
    exec(code, values)
    assert values["schema"]["properties"]["version"] == {"const": 1}
