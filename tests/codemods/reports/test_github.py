# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from lossscale_codemods.reports.machine_formats import as_github
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.options import Options

from tests.codemods.runs import OLD, REVIEW, make_project, migrated

COMMAND = re.compile(r"::(notice|warning|error) ?((?:\w+=[^,:\r\n]*,?)*)::([^\r\n]*)")


def unescaped(text: str) -> str:
    """What GitHub's runner makes of a value."""
    for code, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, character)
    return text


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands() -> list[tuple[str, dict[str, str], str]]:
    """The annotations of the current folder's run, read as GitHub's runner reads them."""
    found = []
    for line in as_github(migrated()).split("\n"):
        match = COMMAND.fullmatch(line)
        assert match, line
        pairs = (pair.split("=", 1) for pair in match[2].split(","))
        properties = {key: unescaped(value) for key, value in pairs}
        found.append((match[1], properties, unescaped(match[3])))
    return found


def test_every_line_is_one_command() -> None:
    make_project()
    levels = [level for level, _, _ in commands()]
    assert {level: levels.count(level) for level in set(levels)} == {
        "notice": 4, "warning": 2, "error": 2,
    }  # fmt: skip


def test_no_name_and_no_message_can_say_another_command() -> None:
    name = "a,line=9::error file=b.py::taken%0A\n::error::x: 100%.py"
    Path(name).write_text(REVIEW)
    ((level, properties, message),) = commands()
    assert level == "warning"
    assert properties["file"] == name
    assert properties["line"] == "2"
    assert "Say the dtype that is meant" in message


def test_what_could_not_be_looked_at_is_an_error_and_what_was_left_out_is_not() -> None:
    Path(".git").mkdir()
    Path(".gitignore").write_text("ignored.py\n")
    Path("ignored.py").write_text(OLD)
    report = migrate_files.run([Path("missing,.py"), Path("ignored.py")], Options())
    assert as_github(report) == (
        "::error file=missing%2C.py::not looked at: there is no such file."
    )


def test_a_name_that_is_no_text_is_readable_all_the_same() -> None:
    Path(os.fsdecode(b"caf\xe9.py")).write_text(OLD)
    assert commands()[0][1]["file"] == "caf\ufffd.py"


def test_in_a_notebook_the_message_says_where() -> None:
    make_project()
    ((_, properties, message),) = [c for c in commands() if c[1]["file"] == "notebook.ipynb"]
    assert "line" not in properties
    assert message.startswith("cell 2, line 3: can be rewritten")
