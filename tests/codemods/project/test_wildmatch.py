# SPDX-License-Identifier: Apache-2.0
"""Globs as regular expressions; `test_gitignore.py` holds them against git."""

from __future__ import annotations

import re
import time

import pytest
from lossscale_codemods.project.gitignore import NeverMatchesError, translate


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


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("*a*a*b", "aXaXb", True),
        ("*a*a*b", "aXa/b", False),
        ("*ab*ab", "abXaab", True),
        ("a*b/c*d*e", "axb/cddxe", True),
        ("**/a*/**/b", "x/a1/a2/y/b", True),
        ("**/a*/**/b", "x/1a/y/b", False),
        ("x**y/**/**/z", "xqy/z", True),
    ],
)
def test_several_stars(glob: str, path: str, matches: bool) -> None:
    assert bool(re.fullmatch(translate(glob), path)) is matches


@pytest.mark.parametrize("glob", ["*a" * 60 + "b", "**/a/" * 60 + "b", "**/*a*a/" * 20 + "b"])
def test_many_stars_take_no_time_that_explodes(glob: str) -> None:
    began = time.process_time()
    for path in ("a" * 255, "a/" * 255, "a" * 100 + "/" + "aaa/" * 100):
        assert not re.fullmatch(translate(glob), path)
    assert time.process_time() - began < 2
