# SPDX-License-Identifier: Apache-2.0
"""What is kept for older versions of TensorFlow, counted and marked in every report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lossscale_codemods.reports.html_page import as_html_page
from lossscale_codemods.reports.machine_formats import as_json, as_sarif
from lossscale_codemods.reports.run_report import exit_code
from lossscale_codemods.reports.text import summary

from tests.codemods.runs import OLD, UNSAFE, migrated
from tests.schemas.ours import check

GUARDED = (
    "import tensorflow as tf\n"
    "if tuple(map(int, tf.__version__.split('.')[:2])) >= (2, 4):\n"
    "    tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
    "else:\n"
    "    tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(GUARDED)
    return tmp_path


def test_the_text_counts_them_among_those_that_need_review() -> None:
    said = summary(migrated(), write=False)
    assert "0 rewritten, 1 needs review (1 of them kept for older versions), 0 suppressed." in said
    Path("b.py").write_text(UNSAFE)
    said = summary(migrated(), write=False)
    assert "2 needs review (1 of them kept for older versions)" in said


def test_they_are_findings_still() -> None:
    assert exit_code(migrated()) == 1


def test_json_marks_and_counts_them() -> None:
    content = json.loads(as_json(migrated()))
    check(content, "migrate")
    (record,) = content["files"][0]["records"]
    assert record["for_older_versions"]
    assert content["totals"]["kept for older versions"] == 1
    assert content["totals"]["needs review"] == 1


def test_sarif_and_html_mark_them() -> None:
    (result,) = json.loads(as_sarif(migrated(), "1"))["runs"][0]["results"]
    assert result["properties"] == {"forOlderVersions": True}
    html = as_html_page(migrated(), write=False, target="tf-keras")
    assert "Of those that need review, 1 stays for older versions of TensorFlow." in html


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(OLD, id="no-guard"),
        pytest.param(
            GUARDED.replace("tuple(map(int, tf.__version__.split('.')[:2])) >= (2, 4)", "new_api"),
            id="doubtful",
        ),
        pytest.param(f"{GUARDED}# compat-lossscale: ignore-file\n", id="suppressed"),
    ],
)
def test_nothing_else_is_counted(program: str) -> None:
    Path("a.py").write_text(program)
    run = migrated()
    assert json.loads(as_json(run))["totals"]["kept for older versions"] == 0
    assert "older versions" not in summary(run, write=False)
    assert "stays for older versions" not in as_html_page(run, write=False, target="tf-keras")
