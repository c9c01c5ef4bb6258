# SPDX-License-Identifier: Apache-2.0
"""A variable that another file may import stays, whatever this file needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods import files
from lossscale_codemods.engine import Options

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
import tensorflow as tf
{name} = tf.mixed_precision.experimental.DynamicLossScale(1024)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), {name})
"""
FOLDED = """\
import tensorflow as tf
opt = tf.keras.mixed_precision.LossScaleOptimizer(make(), initial_scale=1024)
"""
KEPT = """\
import tensorflow as tf
scale = tf.compat.v1.mixed_precision.DynamicLossScale(1024)
opt = tf.keras.mixed_precision.LossScaleOptimizer(make(), initial_scale=1024)
"""


def migrated(path: Path, *named: Path) -> str:
    report = files.run(list(named), Options, jobs=1)
    (result,) = [file.result for file in report.files if file.path == path]
    assert result.problem == ""
    return result.text


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("from train import scale\n", KEPT),
        ("from .train import (\n    opt,\n    scale as s,\n)\n", KEPT),
        ("from project.train import *\n", KEPT),
        ("import project.train as t\nprint(t.scale)\n", KEPT),
        ("from project import train\ngetattr(train, 'scale')\n", KEPT),
        ("from train import opt\n", FOLDED),
        ("from elsewhere import scale\n", FOLDED),
        ("retrain = scale = 1\n", FOLDED),
    ],
)
def test_what_another_file_says(tmp_path: Path, other: str, expected: str) -> None:
    path = tmp_path / "train.py"
    path.write_text(SOURCE.format(name="scale"))
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "use.py").write_text(other)
    assert migrated(path, tmp_path) == expected
    assert migrated(path, path) == expected


def test_a_private_name_goes_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(SOURCE.format(name="_scale"))
    (tmp_path / "use.py").write_text("from train import _scale\n")
    assert migrated(path, tmp_path) == FOLDED


def test_a_package_is_imported_under_its_folders_name_or_from_within(tmp_path: Path) -> None:
    path = tmp_path / "project" / "__init__.py"
    path.parent.mkdir()
    path.write_text(SOURCE.format(name="scale"))
    inside, outside = path.with_name("inside.py"), tmp_path / "outside.py"
    outside.write_text("from other import scale\n")
    assert migrated(path, tmp_path) == FOLDED
    inside.write_text("from . import scale\n")
    assert migrated(path, tmp_path) == KEPT
    inside.unlink()
    outside.write_text("from project import scale\n")
    assert migrated(path, tmp_path) == KEPT


def test_files_that_cannot_be_read_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(SOURCE.format(name="scale"))
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    assert migrated(path, tmp_path) == FOLDED
