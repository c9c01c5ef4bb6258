# SPDX-License-Identifier: Apache-2.0
"""What a name that is imported from another file of the project is."""

from __future__ import annotations

from pathlib import Path

import pytest
from lossscale_codemods.python import ProjectFiles, outside


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a module that imports TensorFlow for the others."""
    (tmp_path / "pyproject.toml").touch()
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "compat.py").write_text(
        "import tensorflow as tf\n"
        "from tensorflow.keras import mixed_precision as mp\n"
        "policy = mp.experimental.Policy\n"
        "try:\n"
        "    import keras\n"
        "except ImportError:\n"
        "    from tensorflow import keras\n"
        "def function(): pass\n"
        "alias = function\n"
    )
    (package / "again.py").write_text("from .compat import tf\n")
    return package


@pytest.mark.parametrize(
    ("dotted", "path"),
    [
        (".compat.tf", "tensorflow"),
        (".compat.mp", "tensorflow.keras.mixed_precision"),
        (".compat.policy", "tensorflow.keras.mixed_precision.experimental.Policy"),
        (".again.tf", "tensorflow"),
        ("package.compat.tf", "tensorflow"),
        (".compat.keras", None),
        (".compat.function", None),
        (".compat.alias", None),
        (".compat.missing", None),
        (".missing.tf", None),
        ("tensorflow.keras", None),
    ],
)
def test_a_name_is_what_the_other_file_imports(
    project: Path, dotted: str, path: str | None
) -> None:
    assert outside(ProjectFiles(project / "train.py"), dotted) == path


def test_a_relative_import_that_leads_to_the_top_of_the_disk_is_of_no_file(project: Path) -> None:
    """A file that was copied out of a deep package still has its many dots."""
    file = project / "train.py"
    top = "." * len(file.parents)
    files = ProjectFiles(file)
    assert files.module(top) is None
    assert list(files.modules(f"{top}missing")) == []
    assert list(files.modules(f".{top}missing")) == []


def test_packages_are_found_in_src(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    package = tmp_path / "src" / "package"
    package.mkdir(parents=True)
    (package / "compat.py").write_text("import tensorflow as tf\n")
    (tmp_path / "tests").mkdir()
    for file in (tmp_path / "tests" / "test_it.py", tmp_path / "train.py", package / "use.py"):
        assert outside(ProjectFiles(file), "package.compat.tf") == "tensorflow"
        assert ProjectFiles(file).homes("package") == [tmp_path / "src"]


def test_dots_lead_to_the_folders_above(project: Path) -> None:
    file = project / "inner" / "train.py"
    assert outside(ProjectFiles(file), "..compat.tf") == "tensorflow"
    assert ProjectFiles(file).module("..compat") == project / "compat.py"
    assert ProjectFiles(file).module("..") == project / "__init__.py"
    assert ProjectFiles(file).module("not a module") is None


def test_folders_are_searched_up_to_the_top_of_the_project(project: Path) -> None:
    file = project / "inner" / "train.py"
    assert ProjectFiles(file).homes("package") == [project.parent]
    (project.parent.parent / "outside.py").touch()
    assert ProjectFiles(file).homes("outside") == []


@pytest.mark.parametrize("source", ["import tensorflow as tf\n(", "tf = 1\0", "from .tf import tf"])
def test_a_file_that_says_nothing(tmp_path: Path, source: str) -> None:
    (tmp_path / "tf.py").write_text(source)
    assert outside(ProjectFiles(tmp_path / "train.py"), ".tf.tf") is None
