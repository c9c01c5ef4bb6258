# SPDX-License-Identifier: Apache-2.0
"""Old names in YAML, JSON and TOML files are reported where a folder is named, and never edited."""

from __future__ import annotations

from pathlib import Path

import pytest
from lossscale_codemods.reports.run_report import RunReport
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options, Selection

OLD = "tensorflow.keras.mixed_precision.experimental"


def run(folder: Path, *ignore: str) -> RunReport:
    return migrate_files.run([folder], Options(Target.TF_KERAS, Selection((), ignore)), jobs=1)


def findings(report: RunReport) -> list[tuple[str, int, int, str]]:
    return [
        (file.path.name, record.line, record.column, record.name)
        for file in report.files
        for record in file.result.records
    ]


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.yaml", "optimizer:\n  _target_: {}.LossScaleOptimizer\n", (2, 13)),
        ("a.yml", "- {}.LossScaleOptimizer\n", (1, 3)),
        ("a.json", '{{"_target_":"{}.LossScaleOptimizer"}}\n', (1, 14)),
        ("a.toml", "class = '{}:LossScaleOptimizer'\n", (1, 10)),
        (
            "b.json",
            '{{"class": "tf.keras.mixed_precision.experimental.LossScaleOptimizer"}}',
            (1, 12),
        ),
    ],
)
def test_a_value_that_is_the_path_of_an_old_name_is_reported(
    tmp_path: Path, name: str, text: str, place: tuple[int, int]
) -> None:
    (tmp_path / name).write_text(text.format(OLD), "utf-8")
    report = run(tmp_path)
    [(file, *found, _)] = findings(report)
    assert (file, tuple(found)) == (name, place)
    [record] = report.files[0].result.records
    assert "tensorflow.keras.mixed_precision.LossScaleOptimizer" in record.advice
    assert not report.files[0].result.changed


@pytest.mark.parametrize(
    "text",
    [
        f"# _target_: {OLD}.LossScaleOptimizer\n",
        "_target_: tensorflow.keras.mixed_precision.LossScaleOptimizer\n",
        "_target_: mylib.mixed_precision.experimental.LossScaleOptimizer\n",
        "note: mixed_precision experimental\n",
    ],
)
def test_other_configuration_is_not(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    assert findings(run(tmp_path)) == []


def test_files_without_an_old_name_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}", "utf-8")
    (tmp_path / "b.yaml").write_text(f"x: {OLD}.Policy\n", "utf-8")
    assert run(tmp_path).looked_at == 1


def test_a_rule_that_is_ignored_is_ignored_there_too(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"x: {OLD}.Policy\n", "utf-8")
    assert findings(run(tmp_path, "LS802")) == []
