# SPDX-License-Identifier: Apache-2.0
"""Unsafe fixes in every report: marked where they were made, and counted where they were not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from lossscale_codemods.reports.html_page import as_html_page
from lossscale_codemods.reports.machine_formats import as_github, as_json, as_sarif
from lossscale_codemods.reports.run_report import diff, exit_code
from lossscale_codemods.reports.text import findings, summary

from tests.codemods.runs import NOTEBOOK, OLD, UNSAFE, migrated
from tests.schemas.ours import check

AVAILABLE = "A fix is available with --unsafe-fixes."


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(UNSAFE)
    return tmp_path


def test_the_text_says_that_a_fix_is_available() -> None:
    run = migrated()
    (finding,) = findings(run)
    assert f"{AVAILABLE} More: migrate --explain " in finding
    said = summary(run, write=False)
    assert "1 needs review" in said
    assert "1 more fix is available with --unsafe-fixes." in said
    Path("b.py").write_text(UNSAFE)
    assert "2 more fixes are available with --unsafe-fixes." in summary(migrated(), write=False)


def test_the_text_says_how_many_were_made() -> None:
    run = migrated(unsafe_fixes=True)
    assert list(findings(run)) == []
    assert "1 of the rewrites is not proven: read the diff." in summary(run, write=False)
    assert "available" not in summary(run, write=False)


def test_nothing_is_said_where_there_is_none() -> None:
    Path("a.py").write_text(OLD)
    for run in (migrated(), migrated(unsafe_fixes=True)):
        assert "unsafe" not in summary(run, write=False)
        assert "not proven" not in summary(run, write=False)


@pytest.mark.parametrize("unsafe_fixes", [False, True])
def test_json_marks_and_counts_them(unsafe_fixes: bool) -> None:
    content = json.loads(as_json(migrated(unsafe_fixes=unsafe_fixes)))
    check(content, "migrate")
    (record,) = content["files"][0]["records"]
    assert record["unsafe"]
    assert record["outcome"] == ("rewritten" if unsafe_fixes else "needs review")
    assert content["totals"]["unsafe fixes made"] == unsafe_fixes
    assert content["totals"]["unsafe fixes available"] == (not unsafe_fixes)


def test_sarif_marks_them() -> None:
    (result,) = json.loads(as_sarif(migrated(), "1"))["runs"][0]["results"]
    assert result["properties"] == {"unsafe": True}
    assert result["message"]["text"].endswith(AVAILABLE)
    assert "fixes" not in result
    (result,) = json.loads(as_sarif(migrated(unsafe_fixes=True), "1"))["runs"][0]["results"]
    assert result["properties"] == {"unsafe": True}
    assert result["fixes"][0]["description"]["text"].startswith("unsafe fix: ")


def test_github_marks_them() -> None:
    assert as_github(migrated()).endswith(AVAILABLE)
    assert "::can be rewritten: unsafe fix: " in as_github(migrated(unsafe_fixes=True))


def test_html_marks_and_counts_them() -> None:
    html = as_html_page(migrated(), write=False, target="tf-keras")
    assert '<span class="chip unsafe">unsafe fix available</span>' in html
    assert "1 unsafe fixes available" in html
    html = as_html_page(migrated(unsafe_fixes=True), write=False, target="tf-keras")
    assert '<span class="chip unsafe">unsafe fix</span>' in html
    assert "1 unsafe fixes made" in html


def test_a_diff_marks_the_hunks_that_have_one() -> None:
    far = "\n" * 9
    Path("a.py").write_text(UNSAFE + far + OLD.partition("\n")[2])
    (file,) = migrated(unsafe_fixes=True).files
    heads = [line for line in diff(file).split(b"\n") if line.startswith(b"@@")]
    assert heads == [b"@@ -2,7 +2,7 @@ unsafe fix: line 5", b"@@ -12,4 +12,4 @@"]


def test_git_applies_a_diff_with_marks() -> None:
    (file,) = migrated(unsafe_fixes=True).files
    subprocess.run(["git", "apply", "-"], input=diff(file), check=True)
    assert Path("a.py").read_bytes() == file.result.output


def test_the_diff_of_a_notebook_names_the_cell() -> None:
    Path("a.py").unlink()
    cells = [NOTEBOOK["cells"][0], {**NOTEBOOK["cells"][1], "source": UNSAFE}]  # type: ignore[index,dict-item]  # JSON
    Path("a.ipynb").write_text(json.dumps({**NOTEBOOK, "cells": cells}))
    (file,) = migrated(unsafe_fixes=True).files
    assert b" @@ unsafe fix: cell 2\n" in diff(file)


def test_a_finding_stays_one_while_its_fix_is_not_made() -> None:
    assert exit_code(migrated()) == 1
    assert exit_code(migrated(write=True)) == 1
    assert exit_code(migrated(unsafe_fixes=True)) == 1
    assert exit_code(migrated(write=True, unsafe_fixes=True)) == 0
    assert exit_code(migrated()) == 0
