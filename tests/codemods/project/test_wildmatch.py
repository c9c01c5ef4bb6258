# SPDX-License-Identifier: Apache-2.0
"""Globs as regular expressions; `test_gitignore.py` holds them against git."""

from __future__ import annotations

import re

import pytest
from lossscale_codemods.project.wildmatch import NeverMatchesError, translate


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "a/b.py", False),
        ("**/a", "b/c/a", True),
        ("a/**", "a/b/c", True),
        ("a/**/b", "a/b", True),
        ("[!a]", "/", False),
        ("[[:digit:]x]", "7", True),
        ("[a-c]", "b", True),
        ("[\\]]", "]", True),
    ],
)
def test_what_a_glob_matches(glob: str, path: str, matches: bool) -> None:
    assert bool(re.fullmatch(translate(glob), path)) is matches


def test_two_stars_of_a_name_stop_at_folders() -> None:
    assert re.fullmatch(translate("a**"), "a/b")
    assert not re.fullmatch(translate("a**", is_path=False), "a/b")


@pytest.mark.parametrize("glob", ["[", "a[b", "[]", "\\", "[a\\", "[[:nothing:]]"])
def test_a_malformed_glob_matches_nothing(glob: str) -> None:
    with pytest.raises(NeverMatchesError):
        translate(glob)
