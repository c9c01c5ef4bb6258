# SPDX-License-Identifier: Apache-2.0
"""What is ignored is what git ignores."""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

import pytest
from lossscale_codemods.project.discovery import IgnoreFile, ignoring

FOLDERS = ("", "a", "b", "a/b", "a/ab", "c/a")
NAMES = ("a", "b", "c", "ab", "a.py", "x", "[", "*", "-", "]", " ")
PARTS = (
    *("a", "b", "c", "x", "*", "**", "?", "a*", "*b", "*.py", "?*", "a?", "**a", "a**"),
    *("[ab]", "[!a]", "[^b]", "[]a]", "[a-c]", "[a-]", "[*]", "[[]", "\\["),
    *("[\\]]", "[a-\\c]", "\\a", "\\*", "{a,b}", "(a)", "+", "$", "."),
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    subprocess.run(["git", "init", "-q", root], check=True)
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for folder in FOLDERS:
        for name in NAMES:
            if not (root / folder / name).exists():
                (root / folder / name).touch()
    return root


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    command = ["git", "check-ignore", "--no-index", "-z", "--stdin"]
    given = "\0".join(paths).encode()
    done = subprocess.run(command, cwd=root, input=given, capture_output=True, check=False)
    return {path for path in done.stdout.decode().split("\0") if path}


def is_ignored(root: Path, path: Path) -> bool:
    """Whether a path, or a folder that it is in, is ignored."""
    files = {folder: IgnoreFile.read(root / folder / ".gitignore") for folder in path.parents}
    for part in (*reversed(path.parents[:-1]), path):
        above = [
            (file, str(part.relative_to(folder)))
            for folder in reversed(part.parents)
            if (file := files[folder]) is not None
        ]
        if ignoring(above, is_folder=(root / part).is_dir()) is not None:
            return True
    return False


def check(root: Path, patterns: str, inner: str = "") -> None:
    (root / ".gitignore").write_text(patterns, newline="")
    (root / "a" / ".gitignore").write_text(inner, newline="")
    paths = [path.relative_to(root) for path in sorted(root.rglob("*")) if ".git" not in path.parts]
    expected = ignored_by_git(root, list(map(str, paths)))
    assert {str(path) for path in paths if is_ignored(root, path)} == expected, (patterns, inner)


@pytest.mark.parametrize("pattern", PARTS)
def test_each_part_by_itself_and_below_a_folder(tree: Path, pattern: str) -> None:
    check(tree, f"{pattern}\n")
    check(tree, f"a/{pattern}\n")
    check(tree, f"*\n!{pattern}/\n")


@pytest.mark.parametrize(
    "patterns",
    [
        "a \nb\\ \n\\ \n",
        "a\t\n",
        "a\r\nb\r\n",
        "# a\n\\#\n!\n/\n//\n\n",
        "\ufeffa\n",
        "a\x0bb\x0cc\n",
        "a\u2028b\n",
        "*\n!*.py\n!a/\n",
        "x//\n/a/\n**/\n!b\n",
        "a/**\n!a/b\n",
        "**/a/**/b\n",
    ],
)
def test_lines_and_their_ends(tree: Path, patterns: str) -> None:
    check(tree, patterns)


@pytest.mark.parametrize("seed", range(40))
def test_generated_files(tree: Path, seed: int) -> None:
    choose = random.Random(seed)

    def line() -> str:
        parts = ["".join(choose.choices(PARTS, k=choose.randint(1, 2))) for _ in range(2)]
        text = "/".join(parts[: choose.randint(1, 2)])
        return choose.choice(["", "", "!", "/"]) + text + choose.choice(["", "", "/", " "])

    lines = [line() for _ in range(choose.randint(1, 6))]
    check(tree, "\n".join(lines), "\n".join(lines[::-2]))


@pytest.mark.parametrize(
    "line", ["*a" * 60 + "b", "**/a/" * 60 + "b", "**/*a*a/" * 20 + "b", "a/" * 400_000]
)
def test_no_line_hangs_the_run(line: str, tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text(f"{line}\n" * min(50, 900_000 // len(line)))
    file = IgnoreFile.read(tmp_path / ".gitignore")
    assert file is not None
    began = time.process_time()
    for path in ("a" * 255, "a/" * 200 + "a"):
        assert file.match(path, is_folder=False) is None
    assert time.process_time() - began < 2


def test_names_beyond_ascii(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("\xe9\n", "utf-8")
    file = IgnoreFile.read(tmp_path / ".gitignore")
    assert file is not None
    assert file.match("a/\xe9", is_folder=False) is not None


@pytest.mark.parametrize("line", ["[c-a]", "[", "\\", "[[:alpha:]]", "[\\"])
def test_a_line_that_git_reads_otherwise_is_no_error(line: str, tmp_path: Path) -> None:
    assert IgnoreFile.of(tmp_path, [line]).match("b", is_folder=False) is None


@pytest.mark.parametrize("what", ["pipe", "device"])
def test_no_other_thing_in_its_place_hangs_the_run(what: str, tmp_path: Path) -> None:
    path = tmp_path / ".gitignore"
    if what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(OSError, match="it is no regular file"):
        IgnoreFile.read(path)
