# SPDX-License-Identifier: Apache-2.0
"""What becomes of one repository: a run without and a run with unsafe fixes, both checked."""

from __future__ import annotations

import dataclasses
import json
import resource
import subprocess
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.codemods.repositories.checkouts import extract

LOSS_SCALE = "loss scale"
"""The group of the old names of the loss-scale API, and of what is done with them."""
_GROUPS = {
    "LS21": "optimizer families",
    "LS512": "optimizer families",
    "LS9": "neighbours",
    "LS206": "derived classes",
}
"""The groups of the other rules, by how their ids begin."""
GROUPS = (LOSS_SCALE, *dict.fromkeys(_GROUPS.values()))


@dataclasses.dataclass
class Count:
    """What became of the old names of a group.

    Attributes:
        rewritten: How many were rewritten.
        kept: How many stay for older versions of TensorFlow.
        left: How many others need review, by rule.
        findings: How many of these people are to look at. The rest is settled with another of its
            file, as an import is with the use that it stays for.
    """

    rewritten: int = 0
    kept: int = 0
    left: dict[str, int] = dataclasses.field(default_factory=dict)
    findings: int = 0


@dataclasses.dataclass
class Run:
    """One run over a repository.

    Attributes:
        groups: What became of the old names, by group.
        seconds: How long the run took, in seconds of processor time.
        problems: What a reader would object to: files that fail, do not compile, are not what
            a formatter made of them any more, or that another run changes again.
    """

    groups: dict[str, Count]
    seconds: float
    problems: list[str]


@dataclasses.dataclass
class Figures:
    """What becomes of one repository.

    Attributes:
        commit: The commit that was migrated.
        files: How many files were looked at.
        lacking: How many files the clone does not have.
        proven: The run without unsafe fixes.
        unsafe: The run with them.
    """

    commit: str
    files: int
    lacking: int
    proven: Run
    unsafe: Run


def measure(git: Path, commit: str) -> Figures:
    """Migrates a commit of a repository twice, in folders of its own, and checks the results."""
    with TemporaryDirectory() as name:
        before, proven, unsafe = (Path(name, one) for one in ("before", "proven", "unsafe"))
        extract(git, commit, before)
        lacking = extract(git, commit, proven)
        totals, first = _run(before, proven)
        second = first
        if totals["unsafe fixes available"]:
            extract(git, commit, unsafe)
            second = _run(before, unsafe, "--unsafe-fixes")[1]
        return Figures(commit, totals["files"], lacking, first, second)


def _run(before: Path, folder: Path, *options: str) -> tuple[dict[str, int], Run]:
    start = _processor_seconds()
    report = _migrate(folder, ".", "--write", *options)
    seconds = _processor_seconds() - start
    totals = report["totals"]
    problems = [f"{one['path']}: {one['problem']}" for one in report["files"] if one["problem"]]
    written = [file["path"] for file in report["files"] if file["written"]]
    for path in written:
        problems += _check((before / path).read_bytes(), (folder / path).read_bytes(), path)
    if written:
        again = _migrate(folder, *written, *options)["files"]
        problems += [f"{one['path']}: another run changes it" for one in again if one["diff"]]
    return totals, Run(_counts(report), round(seconds, 1), problems)


def _processor_seconds() -> float:
    """Returns what the processes that have ended took, whatever else the machine does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _counts(report: dict[str, Any]) -> dict[str, Count]:
    counts = {group: Count() for group in GROUPS}
    records = (record for file in report["files"] for record in file["records"])
    for record in sorted(records, key=lambda record: record["rule"]):
        count = counts[group_of(record["rule"])]
        if record["outcome"] == "rewritten":
            count.rewritten += 1
        elif record["for_older_versions"]:
            count.kept += 1
        elif record["outcome"] == "needs review":
            count.left[record["rule"]] = count.left.get(record["rule"], 0) + 1
            count.findings += not record["follows"]
    return counts


def group_of(rule: str) -> str:
    """Returns the group of what a rule decides."""
    return next((group for start, group in _GROUPS.items() if rule.startswith(start)), LOSS_SCALE)


def _migrate(folder: Path, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "compat_lossscale", "migrate", "--jobs=1", "--json"]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, check=False)
    if done.returncode > 3:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace').strip()}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _check(before: bytes, after: bytes, path: str) -> list[str]:
    if path.endswith(".ipynb"):
        json.loads(after)
        return []
    problems = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(after, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        problems.append(f"{path}: {error}")
    return problems
