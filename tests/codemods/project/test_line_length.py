# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.project.line_length import line_length

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "content", "limit"),
    [
        ("pyproject.toml", "[tool.black]\nline-length = 100\n", 100),
        ("pyproject.toml", "[tool.black]\ntarget-version = ['py38']\n", 88),
        ("pyproject.toml", "[tool.ruff]\nline-length = 120\n", 120),
        ("pyproject.toml", "[tool.yapf]\ncolumn_limit = 80\n", 80),
        ("pyproject.toml", "[tool.poetry]\nname = 'a'\n", None),
        ("ruff.toml", "line-length = 90\n", 90),
        (".ruff.toml", "", 88),
        ("setup.cfg", "[flake8]\nmax-line-length = 110\n", 110),
        ("tox.ini", "[pycodestyle]\nmax_line_length = 110\n", 110),
        (".flake8", "[flake8]\nmax-line-length=99\n", 99),
        (".style.yapf", "[style]\ncolumn_limit = 80\n", 80),
        ("pyproject.toml", "[tool.black]\n[tool.flake8]\nmax-line-length = 99\n", 88),
        ("setup.cfg", "[flake8]\nignore = E1\n[yapf]\ncolumn_limit = 70\n", 70),
        ("tox.ini", "[testenv]\ncolumn_limit = 70\n[flake8]\nignore = E1\n", None),
        # What their own tools would refuse says nothing.
        ("pyproject.toml", "[tool.black]\nline-length = 'long'\n", 88),
        ("pyproject.toml", f"[tool.black]\nline-length = {'1' * 5000}\n", 88),
        ("pyproject.toml", "[tool.black\n", None),
        ("setup.cfg", "max-line-length = 110\n", None),
    ],
)
def test_where_a_limit_is_said(tmp_path: Path, name: str, content: str, limit: int | None) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / name).write_text(content)
    assert line_length(tmp_path / "package" / "module.py") == limit


def test_the_nearest_folder_decides(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.black]\nline-length = 100\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / ".flake8").write_text("[flake8]\nmax-line-length = 80\n")
    assert line_length(tmp_path / "package" / "module.py") == 80
    assert line_length(tmp_path / "module.py") == 100


def test_what_is_above_the_project_says_nothing(tmp_path: Path) -> None:
    (tmp_path / ".flake8").write_text("[flake8]\nmax-line-length = 80\n")
    (tmp_path / "project" / ".git").mkdir(parents=True)
    assert line_length(tmp_path / "project" / "module.py") is None


def test_a_file_need_not_be_utf_8(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "setup.cfg").write_bytes(b"[flake8]\n# caf\xe9\nmax-line-length = 80\n")
    assert line_length(tmp_path / "module.py") == 80


def test_a_pipe_in_its_place_does_not_hang_the_run(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / "setup.cfg")
    assert line_length(tmp_path / "module.py") is None
