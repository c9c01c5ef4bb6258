# SPDX-License-Identifier: Apache-2.0
"""What is settled with another finding is counted and marked, and not shown to people by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lossscale_codemods.reports.machine_formats import as_github, as_json, as_sarif
from lossscale_codemods.reports.run_report import exit_code
from lossscale_codemods.reports.text import findings, summary

from tests.codemods.runs import migrated
from tests.schemas.ours import check

PASSED_ON = (
    "from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer\n"
    "WRAP = [LossScaleOptimizer]\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PASSED_ON)
    return tmp_path


def test_people_are_shown_the_cause_alone() -> None:
    run = migrated()
    (shown,) = findings(run)
    assert shown.startswith("a.py:2:9: LS205")
    assert "2 needs review (1 of them settled with others)" in summary(run, write=False)
    assert as_github(run).count("::warning") == 1
    assert exit_code(run) == 1


def test_what_is_said_of_several_places_is_shown_once() -> None:
    spec = "spec = tf.estimator.EstimatorSpec(mode)\n"
    policy = "tf.keras.mixed_precision.experimental.set_policy('float32')\n"
    Path("a.py").write_text(f"import tensorflow as tf\n{policy}{spec * 3}tf.estimator.Estimator\n")
    run = migrated()
    (shown,) = findings(run)
    assert shown.startswith("a.py:3:8: LS902 tf.estimator: ")
    assert "    Also at 4:8, 5:8, 6:1.\n" in shown
    assert "4 needs review" in summary(run, write=False)
    assert as_github(run).count("::warning") == 4


def test_machines_are_told_of_both() -> None:
    content = json.loads(as_json(migrated()))
    check(content, "migrate")
    marks = {one["rule"]: one["follows"] for one in content["files"][0]["records"]}
    assert marks == {"LS101": True, "LS205": False}
    assert content["totals"]["needs review"] == 2
    assert content["totals"]["follow from others"] == 1
    results = json.loads(as_sarif(migrated(), "1"))["runs"][0]["results"]
    levels = {one["ruleId"]: (one["level"], one.get("properties")) for one in results}
    assert levels == {"LS101": ("note", {"follows": True}), "LS205": ("warning", None)}


def test_an_import_that_stays_for_a_suppressed_use_or_another_file_is_shown() -> None:
    Path("a.py").write_text(PASSED_ON.replace("WRAP = [LossScaleOptimizer]", "__all__ = [name]"))
    records = [one for file in migrated().files for one in file.result.records]
    assert not any(record.follows for record in records)
