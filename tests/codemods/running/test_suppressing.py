# SPDX-License-Identifier: Apache-2.0
"""Comments that suppress all findings of today, so that only new ones count."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from lossscale_codemods.reports.run_report import exit_code
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.options import Options

from tests.codemods.in_process import workers_in_this_process

START = "import tensorflow as tf\nmp = tf.keras.mixed_precision.experimental\n"
SOURCES = {
    "a line": "mp.set_policy('float32')\n",
    "several rules": "opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), 'dynamic')\n",
    "one reason for another": (
        "scale = tf.train.experimental.DynamicLossScale()\n"
        "opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), scale)\n"
    ),
    "a comment": "mp.set_policy('float32')  # noqa: E501\n",
    "our comment": "mp.set_policy(mp.Policy('float32'))  # compat-lossscale: ignore[LS502]\n",
    "several lines": "mp.set_policy(\n    'float32'\n)\n",
    "a string over lines": "mp.set_policy('''\n'''.join(['float32']))\n",
    "continued": "if mp:\n    x = 1, \\\n        mp.set_policy('infer')\n",
    "no newline": "mp.set_policy('float32')",
    "CRLF": "mp.set_policy('float32')\r\nx = 1\r\n",
    "blanks": "mp.set_policy('float32')   \n",
}


def run(folder: Path, *, suppress: bool, write: bool = False) -> int:
    with workers_in_this_process():
        report = migrate_files.run([folder], Options(), write=write, suppress=suppress)
    return exit_code(report)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_afterwards_nothing_is_found_and_the_program_is_the_same(
    source: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.py"
    before = (START + source).encode()
    file.write_bytes(before)
    assert run(tmp_path, suppress=False) == 1
    assert run(tmp_path, suppress=True) == 1
    assert file.read_bytes() == before
    assert run(tmp_path, suppress=True, write=True) == 0
    after = file.read_bytes()
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(before))
    assert run(tmp_path, suppress=False) == 0
    assert run(tmp_path, suppress=True, write=True) == 0
    assert file.read_bytes() == after


def test_what_comes_later_is_found(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(START + SOURCES["a line"])
    run(tmp_path, suppress=True, write=True)
    file.write_text(file.read_text() + "mp.set_policy('float16')\n")
    assert run(tmp_path, suppress=False) == 1


def test_bytes_that_are_not_utf_8_stay(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"# -*- coding: latin-1 -*-\n" + START.encode() + b"x = '\xe9'\n")
    with file.open("ab") as more:
        more.write(b"mp.set_policy('\xe9')\n")
    assert run(tmp_path, suppress=True, write=True) == 0
    assert file.read_bytes().count(b"\xe9") == 2


def test_notebooks_are_left_to_people(tmp_path: Path) -> None:
    file = tmp_path / "a.ipynb"
    cell = {"cell_type": "code", "source": f"{START}{SOURCES['a line']}"}
    file.write_text(json.dumps({"cells": [cell]}))
    before = file.read_text()
    assert run(tmp_path, suppress=True, write=True) == 1
    assert file.read_text() == before
