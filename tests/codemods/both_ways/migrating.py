# SPDX-License-Identifier: Apache-2.0
"""Migrates a program as `compat-lossscale migrate --write` does, in a folder of its own."""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods import Outcome, Status, migrate_source
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options

from tests.codemods.both_ways.programs import NOTEBOOK, Program, as_script

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lossscale_codemods import Record

# What a full parse needs is loaded here once, and not by the worker of each program.
migrate_source("import tensorflow as tf\ntf.train.experimental.DynamicLossScale()\n")


@dataclasses.dataclass(frozen=True)
class Finding:
    """A place that a person has to look at.

    Attributes:
        file: The file.
        first: The line it starts at, in the program as it was.
        last: The line it ends at.
        rule: The rule that says so.
    """

    file: str
    first: int
    last: int
    rule: str

    def __str__(self) -> str:
        """Returns the rule, the file and the line."""
        return f"{self.rule} at {self.file}:{self.first}"


@dataclasses.dataclass(frozen=True)
class Migrated:
    """A program and what it was migrated to.

    Attributes:
        program: The program as it was.
        files: Its files' texts now.
        findings: What was left.
        refused: The files that were left as a whole.
        target: What it was migrated to.
    """

    program: Program
    files: Mapping[str, str]
    findings: tuple[Finding, ...]
    refused: tuple[str, ...]
    target: Target = Target.TF_KERAS

    @property
    def is_left(self) -> bool:
        """Whether nothing was changed, and nothing found."""
        return dict(self.files) == dict(self.program.files) and not self.findings

    @property
    def digest(self) -> str:
        """Tells whether anything is other than it was when a verdict was recorded."""
        everything = [
            dict(self.program.files),
            dict(self.files),
            [dataclasses.astuple(finding) for finding in self.findings],
        ]
        text = json.dumps(everything, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def lines_before(self, file: str, line: int) -> range:
        """Returns the lines that stood in the place of a line of the migrated program."""
        before, after = (script(file, texts[file]) for texts in (self.program.files, self.files))
        matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), False)
        for kind, first, last, now_first, now_last in matcher.get_opcodes():
            if now_first < line <= now_last:
                if kind == "equal":
                    return range(first + line - now_first, first + line - now_first + 1)
                return range(max(first, 1), max(last, first + 1) + 1)
        return range(line, line + 1)


def migrate(program: Program, target: Target = Target.TF_KERAS) -> Migrated:
    """Migrates a program.

    Args:
        program: The program.
        target: What to.

    Returns:
        What becomes of it.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "pyproject.toml").touch()
        write(folder, program.files)
        report = migrate_files.run([folder], Options(target), write=True, jobs=1)
        files = {path: (folder / path).read_text("utf-8") for path in program.files}
        reports = [(one.path.relative_to(folder).as_posix(), one.result) for one in report.files]
    findings = [
        _finding(program, path, record)
        for path, result in reports
        for record in result.records
        if record.outcome is Outcome.NEEDS_REVIEW
    ]
    refused = [path for path, result in reports if result.status is Status.REFUSED]
    return Migrated(program, files, tuple(findings), tuple(refused), target)


def migrate_again(migrated: Migrated) -> Migrated:
    """Migrates a program that was migrated, as a second run does."""
    program = dataclasses.replace(migrated.program, files=migrated.files, run_as=None)
    return migrate(program, migrated.target)


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes a program's files into a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")


def write_runnable(folder: Path, files: Mapping[str, str]) -> None:
    """Writes a program's files into a folder; notebooks as scripts, under the same names."""
    write(folder, {path: script(path, text) for path, text in files.items()})


def script(path: str, text: str) -> str:
    """Returns what is run of a file: of a notebook, its cells."""
    return as_script(text)[0] if path.endswith(".ipynb") else text


def _finding(program: Program, path: str, record: Record) -> Finding:
    before = 0
    if record.cell is not None and path == NOTEBOOK:
        before = as_script(program.files[path])[1][record.cell - 1]
    last = max(record.line, record.end_line)
    return Finding(path, before + record.line, before + last, record.rule)
