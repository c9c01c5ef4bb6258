# SPDX-License-Identifier: Apache-2.0
"""The index of error messages: each message is one that is raised, or that this package says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.docs.fences import ROOT
from tests.support import python

PAGE = (ROOT / "docs" / "errors.md").read_text("utf-8")
_ENTRY = re.compile(r"^<!-- (raised|said) by: (.+?) -->\n### `{1,2}(.+?)`{1,2}$", re.MULTILINE)
ENTRIES = [(how, source, message.strip()) for how, source, message in _ENTRY.findall(PAGE)]
RAISE_EACH = """
import json, sys
for code in json.load(sys.stdin):
    try:
        exec(code, {})
    except Exception as error:
        print(json.dumps(f"{type(error).__name__}: {error}"))
    else:
        print(json.dumps("no error"))
"""


def test_every_message_says_where_it_comes_from() -> None:
    assert len(ENTRIES) == len(re.findall("^### ", PAGE, re.MULTILINE)) >= 25


def test_what_others_raise_is_what_they_raise_today(tmp_path: Path) -> None:
    raised = [(source, message) for how, source, message in ENTRIES if how == "raised"]
    # Without TF_USE_LEGACY_KERAS, as in a new user's shell.
    done = python(
        "-c",
        RAISE_EACH,
        cwd=tmp_path,
        given=json.dumps([source for source, _ in raised]),
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stderr
    errors = [json.loads(line) for line in done.stdout.splitlines()]
    assert [
        (message, error)
        for (_, message), error in zip(raised, errors, strict=True)
        if message not in error
    ] == []


@pytest.mark.parametrize(
    ("path", "message"), [(source, message) for how, source, message in ENTRIES if how == "said"]
)
def test_what_this_package_says_stands_in_its_source(path: str, message: str) -> None:
    words = re.sub(r'"\s*f?"', "", (ROOT / path).read_text("utf-8"))  # literals that are joined
    kind, _, said = message.rpartition(": ")
    assert not kind or kind.partition(":")[0] in words or kind in (ROOT / path).read_text("utf-8")
    for part in said.split("..."):
        assert part.strip() in words
