# SPDX-License-Identifier: Apache-2.0
"""A run looks at the Python files and notebooks of a tree, and says what it leaves out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.project.discovery import DiscoveredFile, Skipped, discover

if TYPE_CHECKING:
    from pathlib import Path


def files(tree: Path, *paths: str, **options: object) -> list[str]:
    """The files below the paths, relative to a tree."""
    found = discover([tree / path for path in paths or ("",)], **options)  # type: ignore[arg-type]
    return [os.path.relpath(one.name, tree) for one in found if isinstance(one, DiscoveredFile)]


def skipped(tree: Path, *paths: str) -> dict[str, Skipped]:
    """What is left out with a reason, by its path."""
    found = discover([tree / path for path in paths or ("",)])
    return {one.path.name: one for one in found if isinstance(one, Skipped)}


def make(tree: Path, *names: str) -> None:
    """Makes empty files."""
    for name in names:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).touch()


def test_python_files_notebooks_and_scripts_in_the_order_of_their_names(tmp_path: Path) -> None:
    make(tmp_path, "b.py", "a/c.pyi", "a/n.ipynb", "a/data.txt", "data")
    script = tmp_path / "train"
    script.write_text("#!/usr/bin/env python3\n")
    script.chmod(0o755)
    (tmp_path / "shell").write_text("#!/bin/sh\n")
    assert files(tmp_path) == ["a/c.pyi", "a/n.ipynb", "b.py", "train"]


def test_scripts_without_a_suffix_are_told_by_their_first_line(tmp_path: Path) -> None:
    lines = {
        "copied": "#!/usr/bin/python -u\nimport x\n",
        "env": "#! /usr/bin/env -S python3.8\n",
        "shell": "#!/bin/sh\npython train\n",
        "late": "\n#!/usr/bin/env python\n",
        "words": "python\n",
        "some.cfg": "#!/usr/bin/env python\n",
        "ignored": "#!/usr/bin/env python\n",
        ".hidden": "#!/usr/bin/env python\n",
    }
    for name, text in lines.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "executable").write_bytes(b"\x7fELF")
    (tmp_path / "executable").chmod(0o755)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("copied")
    (tmp_path / "broken").symlink_to("nothing")
    (tmp_path / ".gitignore").write_text("ignored\n")
    assert files(tmp_path) == ["copied", "env"]
    assert files(tmp_path, no_ignore=True) == ["copied", "env", "ignored"]


def test_each_file_once(tmp_path: Path) -> None:
    make(tmp_path, "a/b.py")
    (tmp_path / "link.py").symlink_to("a/b.py")
    assert files(tmp_path, "a", "a/b.py", "link.py") == ["a/b.py"]


def test_folders_of_tools_and_ignored_files_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, "a.py", ".venv/b.py", "build/c.py", "d/e.py", "d/f.py")
    (tmp_path / ".gitignore").write_text("build/\n")
    (tmp_path / "d" / ".gitignore").write_text("*\n!f.py\n")
    assert files(tmp_path) == ["a.py", "d/f.py"]
    assert files(tmp_path, exclude=["d"]) == ["a.py"]
    everything = [".venv/b.py", "a.py", "build/c.py", "d/e.py", "d/f.py"]
    assert files(tmp_path, no_ignore=True) == everything


@pytest.mark.parametrize(
    ("name", "reason", "failed"),
    [
        ("missing.py", "no such file", True),
        ("broken.py", "link to nothing", False),
        ("pipe.py", "no regular file", False),
        ("ignored.py", "'ignored.py'; --no-ignore overrides", False),
    ],
)
def test_a_path_that_is_left_out_has_a_reason(
    tmp_path: Path, name: str, reason: str, *, failed: bool
) -> None:
    make(tmp_path, "ignored.py")
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    (tmp_path / "broken.py").symlink_to("nothing")
    os.mkfifo(tmp_path / "pipe.py")
    left = skipped(tmp_path, name)[name]
    assert reason in left.reason
    assert left.failed is failed


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    make(tmp_path, "a/b.py")
    (tmp_path / "a" / "again.py").symlink_to(tmp_path)
    assert files(tmp_path) == ["a/b.py"]
    assert "link" in skipped(tmp_path)["again.py"].reason
