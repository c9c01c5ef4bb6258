# SPDX-License-Identifier: Apache-2.0
"""The index of error messages: each is raised, said or reported, and the cures cure."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.fences import ROOT
from tests.support import python

PAGE = (ROOT / "docs" / "errors.md").read_text("utf-8")
_ENTRY = re.compile(
    r"^<!-- (raised by|said by|reported in): (.+?) -->\n(?:<!-- cured by: (.+?) -->\n)?"
    r"### `{1,2}(.+?)`{1,2}$",
    re.MULTILINE,
)
RUN_EACH = """
import json, os, sys
if {installed}:
    import compat_lossscale
    compat_lossscale.install()
for code in json.load(sys.stdin):
    try:
        exec(code, {{"__name__": "program"}})
    except Exception as error:
        print(json.dumps(f"{{type(error).__name__}}: {{error}}"))
    else:
        print(json.dumps("no error"))
"""


class Entry(NamedTuple):
    """One message.

    Attributes:
        how: `raised by`, `said by` or `reported in`.
        source: The code that raises it, the file that says it, or where it is reported.
        cure: The code that works instead, or `run`: the same code with the old names installed.
        message: The message.
    """

    how: str
    source: str
    cure: str
    message: str


ENTRIES = [Entry(*(part.strip() for part in parts)) for parts in _ENTRY.findall(PAGE)]
RAISED = [one for one in ENTRIES if one.how == "raised by"]
SAID = [one for one in ENTRIES if one.how == "said by"]
REPORTED = [one for one in ENTRIES if one.how == "reported in"]


def run_each(programs: list[str], folder: Path, *, installed: bool = False) -> list[str]:
    """Runs programs one after the other, and returns the error of each."""
    # Without TF_USE_LEGACY_KERAS, as in a new user's shell.
    done = python(
        "-c",
        RUN_EACH.format(installed=installed),
        cwd=folder,
        given=json.dumps(programs),
        tensorflow_may_be_imported=not installed,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('"')]


def test_every_message_says_where_it_comes_from() -> None:
    assert len(ENTRIES) == len(re.findall("^### ", PAGE, re.MULTILINE)) >= 60


@pytest.mark.slow
def test_what_others_raise_is_what_they_raise_today(tmp_path: Path) -> None:
    errors = run_each([one.source for one in RAISED], tmp_path)
    assert [
        (one.message, error)
        for one, error in zip(RAISED, errors, strict=True)
        if one.message not in error
    ] == []


@pytest.mark.slow
def test_the_cures_raise_nothing(tmp_path: Path) -> None:
    cured = [one for one in ENTRIES if one.cure and one.cure != "run"]
    errors = run_each([one.cure for one in cured], tmp_path)
    found = {one.message: error for one, error in zip(cured, errors, strict=True)}
    assert {message: error for message, error in found.items() if error != "no error"} == {}


@pytest.mark.slow
def test_run_cures_what_it_is_said_to_cure(tmp_path: Path) -> None:
    cured = [one for one in ENTRIES if one.cure == "run"]
    errors = run_each([one.source for one in cured], tmp_path, installed=True)
    found = {one.message: error for one, error in zip(cured, errors, strict=True)}
    assert {message: error for message, error in found.items() if error != "no error"} == {}


@pytest.mark.parametrize("entry", REPORTED, ids=lambda one: one.source.rpartition("/")[2])
def test_what_is_reported_has_the_address_of_the_report(entry: Entry) -> None:
    assert re.fullmatch(r"https://github\.com/[\w-]+/[\w-]+/issues/\d+", entry.source)


@pytest.mark.parametrize("entry", SAID, ids=lambda one: one.message)
def test_what_this_package_says_stands_in_its_source(entry: Entry) -> None:
    source = (ROOT / entry.source).read_text("utf-8")
    words = re.sub(r'"\s*f?"', "", source)  # literals that are joined
    kind, _, said = entry.message.rpartition(": ")
    assert not kind or kind.partition(":")[0] in words or kind in source
    for part in said.split("..."):
        assert part.strip() in words
