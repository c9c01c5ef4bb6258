# SPDX-License-Identifier: Apache-2.0
"""The repositories, and the files of each that a migration looks at."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path, PurePosixPath

LIST = Path(__file__).with_name("repositories.json")
"""The name of each repository on GitHub, and the commit that is migrated."""
_SUFFIXES = {".py", ".ipynb", ".toml", ".cfg", ".ini"}
_NAMES = {".gitignore", ".flake8", ".style.yapf"}


def listed() -> dict[str, str]:
    """Returns the commit of each repository."""
    commits: dict[str, str] = json.loads(LIST.read_text(encoding="utf-8"))
    return commits


def git_folder(folder: Path, name: str) -> Path | None:
    """Returns where a repository's git directory is in a folder of clones, if it is there.

    Args:
        folder: Holds a clone of each repository, with a work tree or bare.
        name: `owner/name`. The clone is `owner/name`, or `owner+name`.
    """
    clones = [folder / name, folder / name.replace("/", "+")]
    for clone in [*clones, *(clone / "repo" for clone in clones)]:
        for git in (clone / ".git", clone):
            if (git / "HEAD").is_file():
                return git
    return None


def clone(folder: Path, name: str, commit: str) -> Path:
    """Gets one commit of a repository from GitHub, and returns the git directory."""
    git = folder / name
    git.mkdir(parents=True, exist_ok=True)
    _git(git, "init", "--quiet", "--bare", str(git))
    _git(git, "fetch", "--quiet", "--depth=1", f"https://github.com/{name}.git", commit)
    return git


def extract(git: Path, commit: str, target: Path, more: Collection[str] = ()) -> int:
    """Writes the Python files, notebooks and configuration of a commit.

    Args:
        git: The git directory.
        commit: The commit.
        target: Where to write them.
        more: Suffixes of other files to write.

    Returns:
        How many of them the clone lacks, as one without its large files does.
    """
    objects: dict[PurePosixPath, str] = {}
    for line in _git(git, "ls-tree", "-r", "-z", commit).decode("utf-8", "replace").split("\0"):
        if not line:
            continue
        mode, kind, rest = line.split(" ", 2)
        name, path = rest.split("\t", 1)
        one = PurePosixPath(path)
        wanted = one.suffix in _SUFFIXES or one.suffix in more or one.name in _NAMES
        if kind == "blob" and mode != "120000" and wanted:
            objects[one] = name
    lacking = 0
    with subprocess.Popen(
        ["git", f"--git-dir={git}", "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as blobs:
        assert blobs.stdin is not None
        assert blobs.stdout is not None
        for path, blob in objects.items():
            blobs.stdin.write(f"{blob}\n".encode())
            blobs.stdin.flush()
            header = blobs.stdout.readline().split()
            if header[-1] == b"missing":
                lacking += 1
                continue
            content = blobs.stdout.read(int(header[-1]))
            blobs.stdout.read(1)
            file = target / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        blobs.stdin.close()
    (target / ".git").mkdir(exist_ok=True)
    return lacking


def _git(git: Path, *arguments: str) -> bytes:
    command = ["git", f"--git-dir={git}", *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
