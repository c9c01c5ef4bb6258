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
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.codemods.repositories.checkouts import clone, extract, git_folder
from tests.programs.program import GITHUB, Program
from tests.programs.programs import PROGRAMS
from tests.support import REPOSITORY

RESULTS = Path(__file__).with_name("results.json")
DATA = Path(__file__).with_name("data")
PAGE = REPOSITORY / "docs" / "programs.md"
PROOFS = Path(__file__).with_name("proofs.md")
"""What `tests.programs.proofs` makes; it ends the page."""
_STEPS = (2, 4)
_MINUTES = 20
_READ = """
import json, re, sys
import tensorflow as tf
path = tf.train.latest_checkpoint(sys.argv[1])
reader = tf.train.load_checkpoint(path)
scales = {}
for name in sorted(reader.get_variable_to_shape_map(), reverse=True):
    found = re.fullmatch("(.*)(current_loss_scale|good_steps)(/.ATTRIBUTES/VARIABLE_VALUE)?", name)
    if found and "OPTIMIZER_SLOT" not in name:
        scales.setdefault(found[1], []).insert(0, float(reader.get_tensor(name)))
print(json.dumps([scales[optimizer] for optimizer in sorted(scales)]))
"""
_HEAD = """\
# Published programs

<!-- Made by `python -m tests.programs.run FOLDER`; do not edit. -->

These public programs run unchanged under `compat-lossscale run`: each trained for 2 steps on small
synthetic data, saved, and was started again for 2 more steps. *Migrated* is the same after
`migrate`, without this package; *needs* is another removed name for which the program needs it.
`tests/programs/` has the commands.

"""
_COLUMNS = ("Program", "From", "Trains, saves, resumes", "Migrated")


def continue_from(before: list[list[float]], after: list[list[float]], steps: int) -> bool:
    """Whether the loss scales of all optimizers went on from where they were saved.

    Args:
        before: The saved scale, and good steps if it counts them, of each optimizer.
        after: The same after more steps.
        steps: How many.
    """
    return (
        bool(before)
        and len(before) == len(after)
        and all(_continues(*one, steps) for one in zip(before, after, strict=True))
    )


def _continues(before: list[float], after: list[float], steps: int) -> bool:
    if len(before) != len(after):
        return False
    if len(before) == 1 or after[0] == before[0]:
        return after[0] == before[0] and (len(before) == 1 or after[1] == before[1] + steps)
    skipped = next((k for k in range(1, steps + 1) if after[0] == before[0] / 2**k), None)
    return skipped is not None and after[1] <= steps - skipped


def train(program: Program, folder: Path, python: Path, clones: Path) -> dict[str, Any]:
    """Trains a program twice, and returns what became of it."""
    own = folder / re.sub(r"\W+", "-", program.name)
    shutil.rmtree(own, ignore_errors=True)
    packages = installed(program, folder, python, clones)
    result = {"doctor": _doctor(program, packages, python)}
    shim = ("-m", "compat_lossscale", "run")
    result |= _train_twice(program, own, python, (packages,), shim)
    if program.migrated and result["trains"]:
        alone = own / "migrated"
        copy = alone / "packages"
        for name in program.migrated:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            if (packages / name).is_dir():
                shutil.copytree(packages / name, copy / name)
            else:
                shutil.copy(packages / name, copy / name)
        migrate = ("-m", "compat_lossscale", "migrate", "--write", "--quiet", str(copy))
        run_python(python, (packages,), *migrate)
        result["migrated"] = _train_twice(program, alone, python, (copy, packages), ())
    return result


def _train_twice(
    program: Program, own: Path, python: Path, paths: Sequence[Path], shim: Sequence[str]
) -> dict[str, Any]:
    own.mkdir(parents=True, exist_ok=True)
    if program.prepare:
        script = DATA / f"{program.prepare}.py"
        run_python(python, paths, str(script), cwd=own, home=own).check_returncode()
    scales: list[list[list[float]]] = []
    for steps in _STEPS:
        words = {
            "{folder}": str(own),
            "{program}": str(paths[0]),
            "{steps}": str(steps),
            "{epochs}": str(steps // program.steps),
            "{checkpoint}": str(_latest(own / program.model.format(steps=_STEPS[0]))),
        }
        for name, text in program.files.items():
            (own / name).parent.mkdir(parents=True, exist_ok=True)
            (own / name).write_text(filled(text, words))
        command = f"{program.command} {program.resume if scales else ''}"
        arguments = shlex.split(filled(command, words))
        place = paths[0] / program.starts_in if program.starts_in else own
        done = run_python(python, paths, *shim, *arguments, cwd=place, home=own)
        (own / f"log-{steps}.txt").write_text(done.stdout + done.stderr)
        if done.returncode:
            return {"trains": False, "why": _why(done)}
        model = own / program.model.format(steps=steps)
        read = run_python(python, paths, "-c", _READ, str(model), cwd=own)
        scales.append(json.loads(read.stdout.splitlines()[-1]) if not read.returncode else [])
    return {"trains": True, "scales": scales, "resumes": continue_from(*scales, program.added)}


def _why(done: subprocess.CompletedProcess[str]) -> str:
    """The error that a program ended with; its last line if none can be told."""
    said = done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}"
    errors = re.findall(r"^[\w.]*(?:Error|Exception|Exit)\b.*$", said, re.MULTILINE)
    return str((errors or said.splitlines())[-1].strip()[:300])


def _latest(folder: Path) -> Path:
    """The checkpoint that TensorFlow's file `checkpoint` calls the latest."""
    file = folder / "checkpoint"
    found = re.search('^model_checkpoint_path: "(.*)"', file.read_text() if file.exists() else "")
    return folder / (found[1] if found else "")


def filled(text: str, words: Mapping[str, str]) -> str:
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text


def installed(program: Program, folder: Path, python: Path, clones: Path) -> Path:
    """Installs a program with what it needs, and returns where."""
    needs = hashlib.sha256(" ".join(program.needs).encode()).hexdigest()[:6]
    packages = folder / f"{re.sub(r'[:/@]', '+', program.distribution)}-{needs}"
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
    places = [str(packages / source) for source in program.sources]
    command = ("-m", "compat_lossscale", "doctor", "--json", "--seconds", "60", *places)
    said = json.loads(run_python(python, (packages,), *command).stdout)["neighbours"]
    return [*(one["reason"] for one in said["not_served"] + said["needs"])]


def _pip(python: Path, *what: str) -> None:
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", *what], check=True)


def run_python(
    python: Path,
    paths: Sequence[Path],
    *arguments: str,
    cwd: Path | None = None,
    home: Path | None = None,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.CompletedProcess[str]:
    variables = {
        **os.environ,
        **variables,
        **({"HOME": str(home)} if home else {}),
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
    shown = [one for one in PROGRAMS if one.name in results]
    passed = sum(bool(results[one.name].get("resumes")) for one in shown)
    projects = {one.name.split(":")[0].split(" ")[0] for one in shown}
    which = f"{passed} of {len(shown)} programs, of {len(projects)} projects,"
    summary = f"{which} train, save and resume.\n\n"
    head = _line(_COLUMNS) + _line(["---"] * len(_COLUMNS))
    rows = "".join(_row(one, results[one.name]) for one in shown)
    return f"{_HEAD}{summary}{head}{rows}"


def write_page() -> None:
    """Writes the documentation's page."""
    PAGE.write_text(page(json.loads(RESULTS.read_text())) + PROOFS.read_text())


def _row(program: Program, result: dict[str, Any]) -> str:
    source = program.distribution.removeprefix(GITHUB).split("@")
    where = f"{source[0]} at {source[1][:10]}" if len(source) > 1 else source[0]
    if not result["trains"]:
        return _line([program.name, where, f"no: {_short(result['why'])}", ""])
    outcome = _outcome(result, program.note)
    return _line([program.name, where, outcome, _migrated(program, result)])


def _outcome(result: dict[str, Any], note: str) -> str:
    return "yes" if result["resumes"] else f"no{note and f': {note}'}"


def _migrated(program: Program, result: dict[str, Any]) -> str:
    if "migrated" not in result:
        below = "see below" if result["resumes"] else ""
        return f"needs {program.shim}" if program.shim else below
    alone = result["migrated"]
    if not alone["trains"]:
        return f"no: {_short(alone['why'])}"
    return "the same" if alone["scales"] == result["scales"] else _outcome(alone, program.note)


def _short(error: str) -> str:
    # Its first sentence: the rest is in the output of the program.
    return error.strip().partition(". ")[0].partition("\n")[0][:160]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    """Runs the programs that are named, and those without a result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--python", type=Path)
    parser.add_argument("--clones", type=Path, help="where clones are, or are made")
    options = parser.parse_intermixed_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    folder = options.folder.absolute()
    python = options.python or environment(folder)
    for program in PROGRAMS:
        if any(name in program.name for name in options.names) or (
            not options.names and program.name not in results
        ):
            clones = options.clones or folder / "clones"
            result = train(program, folder, python, clones)
            print(program.name, result, file=sys.stderr)
            # Another such command may have written its results meanwhile.
            results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
            results[program.name] = result
            RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    write_page()


if __name__ == "__main__":
    main()
