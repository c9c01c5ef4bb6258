# SPDX-License-Identifier: Apache-2.0
"""The configuration is that of the project which the first path belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from compat_lossscale.cli import configuration_of

if TYPE_CHECKING:
    from pathlib import Path


def project(folder: Path, content: str) -> Path:
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "train.py").touch()
    (folder / "pyproject.toml").write_text(f"[tool.compat-lossscale]\n{content}\n")
    return folder / "src"


def test_a_folder_and_a_file_in_it_have_the_same_configuration(tmp_path: Path) -> None:
    first, second = project(tmp_path / "a", "jobs = 3"), project(tmp_path / "b", "jobs = 4")
    for path in (first, first / "train.py"):
        assert configuration_of([path, second]).jobs == 3
    assert configuration_of([second, first]).jobs == 4


def test_a_mistake_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match="jobz"):
        configuration_of([project(tmp_path / "a", "jobz = 3")])
