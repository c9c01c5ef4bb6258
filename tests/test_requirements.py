# SPDX-License-Identifier: Apache-2.0
"""What is pinned for development is what pyproject.toml asks for."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = PROJECT["dependency-groups"]
BASE = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["tf"]]


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("dev.txt", [*BASE, *(r for g in GROUPS if g != "tools" for r in GROUPS[g])]),
        ("tf2.16.txt", [*BASE, *GROUPS["test"], *GROUPS["build"], "tensorflow==2.16.*"]),
        ("tf2.18.txt", [*BASE, *GROUPS["test"], *GROUPS["build"], "tensorflow==2.18.*"]),
        ("tf2.22.txt", [*BASE, *GROUPS["test"], *GROUPS["build"], "tensorflow==2.22.*"]),
        ("tools.txt", GROUPS["tools"]),
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
