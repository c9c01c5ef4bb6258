# SPDX-License-Identifier: Apache-2.0
"""Trains published programs under `compat-lossscale run`, saves, and resumes.

    python -m tests.programs.run FOLDER [--python PYTHON] [--clones CLONES] [NAME ...]

Everything is installed in FOLDER. Programs that are in no package index are cloned from GitHub, or
from CLONES, which holds clones as `owner/name` or `owner+name`. What is in `results.json` already
is done again only if its NAME, or a part of it, is given. The documentation's table is made from
that file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.codemods.repositories.checkouts import clone, extract, git_folder
from tests.programs.programs import GITHUB, PROGRAMS, Program
from tests.support import REPOSITORY

RESULTS = Path(__file__).with_name("results.json")
PAGE = REPOSITORY / "docs" / "programs.md"
_STEPS = (2, 4)
_MINUTES = 20
_READ = """
import json, sys
import tensorflow as tf
path = tf.train.latest_checkpoint(sys.argv[1])
reader = tf.train.load_checkpoint(path)
print(json.dumps([
    float(reader.get_tensor(name))
    for part in ("current_loss_scale", "good_steps")
    for name in sorted(reader.get_variable_to_shape_map())
    if "/" + part + "/.ATTRIBUTES" in name
]))
"""
_HEAD = """\
# Published programs

<!-- Made by `make programs`; do not edit. -->

Programs that others published, as they were, under `compat-lossscale run` on today's TensorFlow:
installed from the package index, trained for 2 steps on synthetic data, saved, and started again
for 2 more. "Loss scale" is what the checkpoints hold after each: the scale, and how many good steps
it has counted. `make programs` does it again.

| Program | Command | Trains and saves | Loss scale, saved and resumed | Resumes |
| --- | --- | --- | --- | --- |
"""


def continues(before: list[float], after: list[float], steps: int) -> bool:
    """Whether a loss scale went on from where it was saved.

    Args:
        before: The saved scale, and good steps if it counts them.
        after: The same after more steps.
        steps: How many.
    """
    if not before or len(before) != len(after):
        return False
    if len(before) == 1 or after[0] == before[0]:
        return after[0] == before[0] and (len(before) == 1 or after[1] == before[1] + steps)
    skipped = next((k for k in range(1, steps + 1) if after[0] == before[0] / 2**k), None)
    return skipped is not None and after[1] <= steps - skipped


def train(program: Program, folder: Path, python: Path, clones: Path) -> dict[str, Any]:
    """Trains a program twice, and returns what became of it."""
    own = folder / re.sub(r"\W+", "-", program.name)
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True)
    packages = _installed(program, folder, python, clones)
    if program.prepare:
        _run(python, (packages,), "-c", program.prepare, cwd=own).check_returncode()
    result = {"doctor": _doctor(program, packages, python)}
    shim = ("-m", "compat_lossscale", "run")
    result |= _train_twice(program, own, python, (packages,), shim)
    if program.migrated and result["trains"]:
        copy = own / "packages"
        shutil.copytree(packages / program.migrated, copy / program.migrated)
        migrate = ("-m", "compat_lossscale", "migrate", "--write", "--quiet", str(copy))
        _run(python, (packages,), *migrate)
        alone = own / "migrated"
        alone.mkdir()
        if program.prepare:
            _run(python, (packages,), "-c", program.prepare, cwd=alone).check_returncode()
        result["migrated"] = _train_twice(program, alone, python, (copy, packages), ())
    return result


def _train_twice(
    program: Program, own: Path, python: Path, paths: Sequence[Path], shim: Sequence[str]
) -> dict[str, Any]:
    scales: list[list[float]] = []
    for steps in _STEPS:
        for name, text in program.files.items():
            filled = text.replace("{folder}", str(own)).replace("{steps}", str(steps))
            (own / name).parent.mkdir(parents=True, exist_ok=True)
            (own / name).write_text(filled)
        command = program.command.replace("{folder}", str(own)).replace("{steps}", str(steps))
        arguments = command.replace("{program}", str(paths[0])).split()
        done = _run(python, paths, *shim, *arguments, cwd=own)
        (own / f"log-{steps}.txt").write_text(done.stdout + done.stderr)
        if done.returncode:
            said = done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}"
            return {"trains": False, "why": said.splitlines()[-1][-300:]}
        read = _run(python, paths, "-c", _READ, str(own / program.model), cwd=own)
        scales.append(json.loads(read.stdout.splitlines()[-1]) if not read.returncode else [])
    return {"trains": True, "scales": scales, "resumes": continues(*scales, program.added)}


def _installed(program: Program, folder: Path, python: Path, clones: Path) -> Path:
    """Installs a program with what it needs, and returns where."""
    packages = folder / re.sub(r"[:/@]", "+", program.distribution)
    if packages.exists():
        return packages
    if program.distribution.startswith(GITHUB):
        name, commit = program.distribution.removeprefix(GITHUB).split("@")
        git = git_folder(clones, name) or clone(clones, name, commit)
        extract(git, commit, packages, (".json", ".model", ".txt", ".vocab", ".yaml", ".yml"))
        what = program.needs
    else:
        what = (program.distribution, *program.needs)
    if what:
        _pip(python, "--target", str(packages), *what)
    return packages


def _doctor(program: Program, packages: Path, python: Path) -> list[str]:
    """What doctor says is in the way of a program."""
    place = packages / program.sources
    command = ("-m", "compat_lossscale", "doctor", "--json", "--seconds", "60", str(place))
    said = json.loads(_run(python, (packages,), *command).stdout)["neighbours"]
    return [*(one["reason"] for one in said["not_served"] + said["needs"])]


def _pip(python: Path, *what: str) -> None:
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", *what], check=True)


def _run(
    python: Path, paths: Sequence[Path], *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    paths = (REPOSITORY, REPOSITORY / "codemods", *paths)
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "CUDA_VISIBLE_DEVICES": "",
        "TF_USE_LEGACY_KERAS": "1",
    }
    return subprocess.run(
        [python, "-W", "ignore", *arguments],
        env=variables,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60 * _MINUTES,
        check=False,
    )


def environment(folder: Path) -> Path:
    """Makes an environment with TensorFlow and tf-keras, and returns its Python."""
    place = folder / "environment"
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--editable", f"{REPOSITORY}[tf]"],
            check=True,
        )
    return python


def page(results: dict[str, Any]) -> str:
    """Returns the documentation's page."""
    return _HEAD + "".join(_row(one, results[one.name]) for one in PROGRAMS if one.name in results)


def _row(program: Program, result: dict[str, Any]) -> str:
    command = program.command.replace("{folder}/", "")
    if not result["trains"]:
        cells = [program.name, f"`{command}`", f"no: `{result['why']}`", "", ""]
    else:
        scales = ", then ".join(" / ".join(f"{one:g}" for one in part) for part in result["scales"])
        resumes = "yes" if result["resumes"] else f"no{program.note and f': {program.note}'}"
        cells = [program.name, f"`{command}`", "yes", scales, resumes]
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    """Runs the programs that are named, and those without a result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--python", type=Path)
    parser.add_argument("--clones", type=Path, help="where clones are, or are made")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    folder = options.folder.absolute()
    python = options.python or environment(folder)
    for program in PROGRAMS:
        if any(name in program.name for name in options.names) or (
            not options.names and program.name not in results
        ):
            clones = options.clones or folder / "clones"
            results[program.name] = train(program, folder, python, clones)
            print(program.name, results[program.name], file=sys.stderr)
            RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    PAGE.write_text(page(results))


if __name__ == "__main__":
    main()
