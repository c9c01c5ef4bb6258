# SPDX-License-Identifier: Apache-2.0
"""Projects of a few files, for tests of what is found out across files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import libcst as cst
from lossscale_codemods.domain.program import Program
from lossscale_codemods.python import ProjectFiles
from lossscale_codemods.running import migrate_files
from lossscale_codemods.source.syntax_tree import tree_of
from lossscale_codemods.tables.options import Options

from tests.codemods.checks import program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lossscale_codemods.domain.type_inference import ObjectType, Value
    from lossscale_codemods.tables.records import Result

HEAD = "import tensorflow as tf\nold = tf.keras.mixed_precision.experimental\n"


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes the files of a project, each below a line that imports TensorFlow."""
    (folder / "pyproject.toml").touch()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + program(text))


def values(folder: Path, files: Mapping[str, str], last: str = "x") -> frozenset[Value]:
    """Returns what an expression at the end of `main.py` can hold."""
    write(folder, files)
    main = folder / "main.py"
    tree = tree_of(f"{main.read_text()}\n{last}\n")
    everything = [os.fspath(path) for path in sorted(folder.rglob("*.*"))]
    parsed = Program(tree, project=ProjectFiles(main, everything))
    line = parsed.tree.module.body[-1]
    assert isinstance(line, cst.SimpleStatementLine)
    assert isinstance(line.body[0], cst.Expr)
    return parsed.types.values(line.body[0].value)


def kinds(folder: Path, files: Mapping[str, str], last: str = "x") -> set[ObjectType]:
    """Returns the kinds of what an expression at the end of `main.py` can hold."""
    return {value.kind for value in values(folder, files, last)}


def migrated(folder: Path, files: Mapping[str, str]) -> dict[str, Result]:
    """Migrates a project, and returns what became of those of its files that are reported."""
    write(folder, files)
    report = migrate_files.run([folder], Options(), jobs=1)
    return {file.path.relative_to(folder).as_posix(): file.result for file in report.files}
