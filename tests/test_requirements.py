# SPDX-License-Identifier: Apache-2.0
"""What is pinned for development is what pyproject.toml asks for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = PROJECT["dependency-groups"]
BASE = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["tf"]]


LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
ONLY_BETAS = {"sphinx-basic-ng"}
"""Packages without any final release, which others need."""


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("dev.txt", [*BASE, *(r for g in GROUPS if g != "tools" for r in GROUPS[g])]),
        ("tf2.16.txt", [*BASE, *GROUPS["test"], *GROUPS["build"], "tensorflow==2.16.*"]),
        ("tf2.18.txt", [*BASE, *GROUPS["test"], *GROUPS["build"], "tensorflow==2.18.*"]),
        ("tools.txt", GROUPS["tools"]),
        ("action.txt", [*PROJECT["project"]["dependencies"], *GROUPS["build"]]),
    ],
)
def test_every_requirement_is_pinned(lock: str, wanted: list[str]) -> None:
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([a-z0-9.-]+)==([^ ;]+)", text, re.MULTILINE))
    for requirement in map(Requirement, wanted):
        version = pinned.get(requirement.name)
        advice = f"{requirement} is not what requirements/{lock} pins ({version}): make lock"
        assert version is not None, advice
        assert requirement.specifier.contains(version, prereleases=True), advice


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_no_release_candidate_is_pinned_and_every_pin_has_hashes(lock: Path) -> None:
    pins = re.split(r"\n(?=[a-z0-9])", lock.read_text(encoding="utf-8"))[1:]
    assert pins
    for pin in pins:
        match = re.match(r"([a-z0-9.-]+)==([^ ;]+)", pin)
        assert match, pin
        assert "--hash=sha256:" in pin, match[0]
        assert not Version(match[2]).is_prerelease or match[1] in ONLY_BETAS, match[0]


def test_make_lock_takes_nothing_that_was_uploaded_within_a_week() -> None:
    commands = subprocess.run(
        ["make", "--dry-run", "--always-make", "lock"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    compiling = [line for line in commands.splitlines() if "uv pip compile" in line]
    assert len(compiling) >= 4
    assert all("--exclude-newer '7 days'" in line for line in compiling)
