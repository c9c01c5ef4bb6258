# SPDX-License-Identifier: Apache-2.0
"""The trees that codemods run over: one that is generated, and one that nobody here wrote."""

from __future__ import annotations

import ast
import importlib.util
import shutil
from pathlib import Path

_PLAIN = '''"""Module {number}."""

import os
from typing import Any

import numpy as np


class Table{number}:
    """Rows by name."""

    def __init__(self, rows: dict[str, Any]) -> None:
        self.rows = rows

    def total(self, scale: float = {number}.0) -> float:
        return scale * float(np.sum([row["loss"] for row in self.rows.values()]))

    def path(self, name: str) -> str:
        return os.path.join("tables", name)


'''
_NEW = """from tensorflow.keras import mixed_precision

mixed_precision.set_global_policy("mixed_float16")
"""
_OLD = """from tensorflow.keras.mixed_precision import experimental as mixed_precision

mixed_precision.set_policy("mixed_float16")
"""
OLD_EVERY, NEW_EVERY, A_FOLDER = 200, 20, 100


def generate(folder: Path, files: int) -> int:
    """Writes a tree: one file in 200 has an old name, and nine more know only the new ones.

    Returns:
        How many files have an old name.
    """
    for number in range(files):
        if number % A_FOLDER == 0:
            inner = folder / f"package_{number // A_FOLDER}"
            inner.mkdir(parents=True)
        old, new = number % OLD_EVERY == 0, number % NEW_EVERY == 0
        text = (_OLD if old else _NEW if new else "") + _PLAIN.format(number=number)
        (inner / f"module_{number}.py").write_text(text)
    return len(range(0, files, OLD_EVERY))


def copy_tf_keras(folder: Path) -> int:
    """Copies the Python files of the installed tf-keras, and returns how many."""
    spec = importlib.util.find_spec("tf_keras")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("The benchmark runs over tf-keras: pip install tf-keras.")
    home = Path(spec.origin).parent
    files = sorted(home.rglob("*.py"))
    for file in files:
        target = folder / file.relative_to(home)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    return len(files)


def plain_files(tree: Path, folder: Path) -> int:
    """Copies the files that tf_upgrade_v2 can read, and returns how many.

    It breaks off on f-strings and, from Python 3.9, on slices in several dimensions.
    """
    count = 0
    for file in sorted(tree.rglob("*.py")):
        nodes = ast.walk(ast.parse(file.read_bytes()))
        if not any(isinstance(node, ast.JoinedStr) or _is_many_slices(node) for node in nodes):
            target = folder / file.relative_to(tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
            count += 1
    return count


def _is_many_slices(node: ast.AST) -> bool:
    """Whether a node is the index of `x[a:b, c]`."""
    return isinstance(node, ast.Tuple) and any(isinstance(one, ast.Slice) for one in node.elts)
