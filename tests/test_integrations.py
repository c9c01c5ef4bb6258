# SPDX-License-Identifier: Apache-2.0
"""What other tools read of the repository: pre-commit hooks, the GitHub Action, the docs' code."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping
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
RELEASE = REPOSITORY / ".github" / "workflows" / "release.yml"
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


STEPS = ACTION["runs"]["steps"]
HOSTILE = "import os\nopen(os.environ['TAKEN'], 'a').write(__file__ + '\\n')\n"
"""What each module of a hostile checkout does."""


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A folder as the action's first step leaves it, with this checkout's command."""
    programs = tmp_path / "runner" / "compat-lossscale" / "bin"
    programs.mkdir(parents=True)
    command = programs / "python"
    # The packages of this environment are those that the first step would install.
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    command.chmod(0o755)
    return tmp_path / "runner"


def take_step(
    number: int, runner: Path, given: Mapping[str, str], **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a step of the action as GitHub's runner does."""
    step = STEPS[number]
    values = {name: value["default"] for name, value in ACTION["inputs"].items()} | dict(given)
    environment = {**os.environ, "RUNNER_TEMP": str(runner), **environment}
    for name, value in step["env"].items():
        if value != "${{ github.action_path }}":
            match = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)
            assert match
            environment[name] = values[match[1]]
    script = runner / "step.sh"
    script.write_text(step["run"])
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
    return subprocess.run(bash, check=False, env=environment, capture_output=True, text=True)


def act(runner: Path, **given: str) -> tuple[int, str, dict[str, str]]:
    """Runs the action's second step: its code, its output, the outputs."""
    outputs = runner / "outputs"
    outputs.write_text("")
    done = take_step(1, runner, given, GITHUB_OUTPUT=str(outputs))
    pairs = (line.split("=", 1) for line in outputs.read_text().splitlines())
    return done.returncode, done.stdout, dict(pairs)


@pytest.fixture(scope="module")
def action(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The action's own checkout, whose lock file has one wheel that is made here.

    The wheel has no code. It lets the environment see the packages of this one, so that pip works
    as ever, without the network.
    """
    folder = tmp_path_factory.mktemp("action")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, folder)
    for name in ("compat_lossscale", "codemods"):
        shutil.copytree(REPOSITORY / name, folder / name)
    wheels = folder / "wheels"
    wheels.mkdir()
    wheel = wheels / "here-1.0-py3-none-any.whl"
    own = "here-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("here.pth", f"{sysconfig.get_path('purelib')}\n")
        archive.writestr(f"{own}/METADATA", "Metadata-Version: 2.1\nName: here\nVersion: 1.0\n")
        tag = "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{own}/WHEEL", tag)
        archive.writestr(f"{own}/RECORD", f"here.pth,,\n{own}/METADATA,,\n{own}/WHEEL,,\n")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (folder / "requirements").mkdir()
    lock = f"here==1.0 --hash=sha256:{digest}\n"
    (folder / "requirements" / "action.txt").write_text(lock)
    return folder


@pytest.mark.slow
def test_the_action_runs_nothing_of_a_hostile_checkout(
    folder: Path, action: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    names = (
        "__main__ click compat_lossscale conftest ensurepip hatchling libcst lossscale_codemods os "
        "pip runpy setup sitecustomize usercustomize venv"
    )
    for name in names.split():
        Path(f"{name}.py").write_text(HOSTILE)
    Path("evil.pth").write_text(f"import os; {HOSTILE.splitlines()[1]}")
    Path("pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "setup"\nbackend-path = ["."]\n'
    )
    Path("pip.conf").write_text("[global]\nrequire-virtualenv = nonsense\n")
    Path("old.py").write_text(OLD)
    temporary = tmp_path_factory.mktemp("runner")
    taken = temporary / "taken"
    surroundings = {
        "ACTION": str(action),
        "TAKEN": str(taken),
        # Workflows often set these for the tests of the project.
        "PYTHONPATH": str(folder),
        "PYTHONSTARTUP": str(folder / "setup.py"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(action / "wheels"),
        "GITHUB_OUTPUT": str(temporary / "outputs"),
    }
    given = {"python": sys.executable, "sarif": "out.sarif"}
    installed = take_step(0, temporary, given, **surroundings)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    looked = take_step(1, temporary, given, **surroundings)
    assert "::notice file=old.py,line=2," in looked.stdout, looked.stderr
    assert looked.returncode == 1
    assert not taken.exists(), taken.read_text()


@pytest.mark.slow
def test_the_action_installs_nothing_whose_hash_is_another(
    action: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(action / "requirements", other / "requirements")
    lock = other / "requirements" / "action.txt"
    lock.write_text(lock.read_text().replace("sha256:", "sha256:" + "0" * 64)[:90] + "\n")
    surroundings = {
        "ACTION": str(other),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(action / "wheels"),
    }
    done = take_step(0, other, {"python": sys.executable}, **surroundings)
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr


def test_a_link_in_the_checkout_leads_no_report_to_another_place(
    runner: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    Path("a.py").write_text(OLD)
    Path("out.sarif").symlink_to(elsewhere / "a")
    Path("out.html").symlink_to(elsewhere / "b")
    Path("folder").symlink_to(elsewhere)
    assert act(runner, sarif="out.sarif", report="out.html")[0] == 1
    assert '"version": "2.1.0"' in Path("out.sarif").read_text()
    for given in ({"report": "folder/c.html"}, {"sarif": "folder/c.sarif"}):
        code, said, _ = act(runner, **given)
        assert code == 2
        assert "is outside of the checkout" in said
    assert not list(elsewhere.iterdir())


def named_actions(value: object) -> Iterator[str]:
    """Yields the actions that a workflow uses."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from [str(inner)] if key == "uses" else named_actions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from named_actions(inner)


def test_the_release_workflow_is_one_by_the_official_schema() -> None:
    run_module("check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(RELEASE))


def test_every_action_is_named_by_its_commit() -> None:
    workflows = [yaml.safe_load(RELEASE.read_text()), yaml.safe_load(snippets("yaml")[1])]
    actions = [one for workflow in workflows for one in named_actions(workflow)]
    assert len(actions) >= 8
    for action in actions:
        assert re.search(r"@([0-9a-f]{40}|<a commit>)$", action), action


def test_a_release_is_tagged_after_the_upload_and_no_job_may_do_more_than_it_needs() -> None:
    workflow = yaml.safe_load(RELEASE.read_text())
    jobs = workflow["jobs"]
    assert workflow["permissions"] == {}
    assert (jobs["publish"]["needs"], jobs["tag"]["needs"]) == ("build", "publish")
    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "build": {"contents": "read"},
        "publish": {"id-token": "write"},
        "tag": {"contents": "write"},
    }
    (upload,) = [s for s in jobs["publish"]["steps"] if "pypi-publish" in s["uses"]]
    assert upload["with"] == {"attestations": True}
    assert "${{" not in jobs["tag"]["steps"][0]["run"]


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
    for step in STEPS:
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
