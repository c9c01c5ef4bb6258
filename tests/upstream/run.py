# SPDX-License-Identifier: Apache-2.0
"""Runs upstream's own tests against this package's classes, and compares with the rulings.

    python -m tests.upstream.run --keras keras.git --tensorflow tensorflow.git [SUITE ...]

The test files come from git repositories of upstream's, at the commits that `suites.py` names. Only
their imports are changed, and how many replicas they make. Each runs in a process of its own, with
TensorFlow 2's behaviour and with TensorFlow 1's, on one and on two logical CPUs. A test that fails
needs a ruling in `rulings.json`, and a ruling needs tests that fail: all that it names.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests import forked_python
from tests.upstream import rulings
from tests.upstream.imports import rewritten
from tests.upstream.suites import HOW_TO_GET, SUITES, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[2]
SECONDS = 3600
"""What one file may take."""
_MIRRORED = re.compile(r"MirroredStrategy\(\['cpu:0'(, 'cpu:1')?\]\)")
_TWO_REPLICAS = (
    "MirroredStrategy(['cpu:0', 'cpu:1'],"
    " __import__('tensorflow').distribute.ReductionToOneDevice())"
)
"""Without a GPU, most of upstream's tests make one replica; on two CPUs, two. They reduce as CPUs
did up to TensorFlow 2.4. Today's collective operations take the strategies of two tests for one."""
WIDTH = 120
"""How much to print of why a test fails; `--keep` keeps all of it."""
DATA_ROOT = "org_keras"
"""The folder that upstream's tests know their repository by."""


def extract(one: Run, repository: Path, folder: Path) -> Path:
    """Writes a test file, with imports of today, and the data that it reads.

    Args:
        one: Which, and on how many CPUs it is to run.
        repository: The git repository to take it from.
        folder: Where to write. The file is put below it.
    """
    suite = one.suite
    source = _git(repository, "show", f"{suite.commit}:{suite.path}").decode()
    source = rewritten(source, suite.repository, suite.imports)
    if one.cpus > 1:
        source = _MIRRORED.sub(_TWO_REPLICAS, source)
    file = folder / f"{re.sub('[^a-z0-9]', '_', one.name)}.py"
    file.write_text(source, encoding="utf-8")
    if suite.data:
        listed = _git(repository, "ls-tree", "-r", "--name-only", suite.commit, suite.data)
        for name in listed.decode().splitlines():
            target = folder / DATA_ROOT / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_git(repository, "show", f"{suite.commit}:{name}"))
    return file


def _git(repository: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(repository), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def run(one: Run, file: Path, tests: Sequence[str] = ()) -> dict[str, dict[str, str]]:
    """Runs a test file and returns each test's outcome.

    Args:
        one: How to run it.
        file: What `extract` has written.
        tests: The tests to run. By default, all.
    """
    results = file.with_suffix(".json")
    arguments = ["-m", "tests.upstream.child", str(file), str(results)]
    arguments += [one.behaviour, str(one.cpus), str(one.suite.installs), str(file.parent), *tests]
    done = subprocess.run(
        forked_python.command(*arguments),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "codemods")))},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=SECONDS,
        check=False,
    )
    file.with_suffix(".log").write_text(done.stderr, encoding="utf-8")
    if not results.exists():
        why = "\n".join(done.stderr.splitlines()[-5:])
        return {"the file as a whole": {"outcome": "failed", "why": why}}
    outcomes: dict[str, dict[str, str]] = json.loads(results.read_text(encoding="utf-8"))
    return outcomes


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the suites that are asked for and whose repository is given.

    Args:
        arguments: Of the command line.

    Returns:
        0 if what failed is what the rulings name, else 1.
    """
    options = _parser().parse_args(arguments)
    repositories = {"keras": options.keras, "tensorflow": options.tensorflow}
    suites = [
        suite
        for suite in SUITES
        if repositories[suite.repository]
        and (not options.suites or any(part in suite.name for part in options.suites))
    ]
    if not suites:
        _parser().error("no suite to run. Get the repositories with:\n" + _how_to_get())
    known = rulings.load()
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{'':50} passed skipped ruled  wrong")
        for suite in suites:
            for one in suite.runs():
                if options.behaviour in (None, one.behaviour) and options.cpus in (None, one.cpus):
                    file = extract(one, repositories[suite.repository], folder)
                    wrong += _report(one, run(one, file, options.tests), known)
    return bool(wrong)


def _report(one: Run, outcomes: dict[str, dict[str, str]], known: Sequence[rulings.Ruling]) -> int:
    complaints = rulings.complaints(one, outcomes, known)
    counts = collections.Counter(outcome["outcome"] for outcome in outcomes.values())
    unruled = sum(name in outcomes and outcomes[name]["outcome"] == "failed" for name in complaints)
    print(
        f"{one.name:50} {counts['passed']:6} {counts['skipped']:7} "
        f"{counts['failed'] - unruled:5} {len(complaints):6}",
        flush=True,
    )
    for name, complaint in complaints.items():
        print(f"    {name}: {' '.join(complaint.split())[:WIDTH]}", flush=True)
    return len(complaints)


def _how_to_get() -> str:
    return "\n".join(f"  {command}" for command in HOW_TO_GET.values())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Runs upstream's own tests against this package's classes.",
        epilog="How to get the repositories:\n" + _how_to_get(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--keras", type=Path, help="git repository of tf-keras")
    parser.add_argument("--tensorflow", type=Path, help="git repository of TensorFlow")
    parser.add_argument("--behaviour", choices=("v1", "v2"), help="by default, both")
    parser.add_argument("--cpus", type=int, choices=(1, 2), help="by default, both")
    parser.add_argument("--keep", type=Path, help="folder to keep files, results and logs in")
    parser.add_argument("--tests", nargs="*", default=(), help="such as PolicyTest.test_config")
    parser.add_argument("suites", nargs="*", help="parts of names of suites; by default, all")
    return parser


if __name__ == "__main__":
    sys.exit(main())
