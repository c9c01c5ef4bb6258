# SPDX-License-Identifier: Apache-2.0
"""What is counted for the page that says which rules and modules real files need."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.codemods.repositories import reach

PROGRAM = """\
import tensorflow as tf
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(), 128)
"""


def test_a_file_with_a_record_names_its_rules_and_what_it_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "other.py").write_text("print(1)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = reach.child(str(tmp_path), "tf-keras")
    assert list(found) == ["train.py"]
    assert "LS201" in found["train.py"]["rules"]
    known = {f"{module}:{line}" for module, line, _ in reach.functions()}
    entered = set(found["train.py"]["functions"])
    assert any(one.startswith("rules/") for one in entered)
    assert len(entered & known) > len(entered) / 2, "lambdas and comprehensions are not functions"


def test_lines_count_by_how_many_files_need_their_function() -> None:
    every = [(f"{module}:{line}", lines) for module, line, lines in reach.functions()]
    (often, many), (seldom, few) = every[0], every[1]
    files = {
        str(number): {"rules": ["LS201"], "functions": [often, *[seldom][number:]]}
        for number in range(reach.FEW + 1)
    }
    found = reach.summary(files)
    fired = {rule: one["files"] for rule, one in found["rules"].items() if one["files"]}
    assert fired == {"LS201": reach.FEW + 1}
    rows = found["modules"].values()
    assert sum(row["more"] for row in rows) == many
    assert sum(row["few"] for row in rows) == few
    assert sum(row["none"] for row in rows) == sum(lines for _, lines in every) - many - few


def test_the_page_is_made_from_the_results() -> None:
    assert reach.PAGE.read_text("utf-8") == reach.text(json.loads(reach.RESULTS.read_text("utf-8")))
