# SPDX-License-Identifier: Apache-2.0
"""The path of an HTML report is checked first, and the report is written completely or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from compat_lossscale.cli import check_report_path, write_report

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["report.html", "REPORT.HTM"])
def test_a_page_in_a_folder_can_be_written(name: str, tmp_path: Path) -> None:
    check_report_path(tmp_path / name)
    assert write_report(tmp_path / name, "<!doctype html>") == 0
    assert (tmp_path / name).read_text() == "<!doctype html>"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("train.py", r"needs a name that ends in \.html"),
        ("report", r"needs a name that ends in \.html"),
        ("nowhere/report.html", "there is no folder"),
        ("file/report.html", "there is no folder"),
    ],
)
def test_other_paths_are_refused_before_the_work(name: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(click.UsageError, match=reason):
        check_report_path(tmp_path / name)


def test_a_report_that_cannot_be_written_adds_to_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.html"
    path.mkdir()
    assert write_report(path, "<!doctype html>") == 2
    assert f"The report {path} cannot be written: " in capsys.readouterr().err
    assert list(path.iterdir()) == []
