# SPDX-License-Identifier: Apache-2.0
"""What is printed cannot control a terminal, whatever is in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from compat_lossscale.cli.doctor import doctor
from compat_lossscale.cli.migrate import migrate
from compat_lossscale.pages import escaped

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
FINDING = OLD.replace("float32", "infer")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("train é.py", "train é.py"),
        ("a\nb\x1b[2J", "a\\nb\\x1b[2J"),
        ("\u202eyp.evil", "\\u202eyp.evil"),
        ("\udcff.py", "\\udcff.py"),
    ],
)
def test_control_characters_are_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_some_may_be_kept() -> None:
    assert escaped("\ta\x1b", keep="\t") == "\ta\\x1b"


def test_names_of_files_cannot_control_the_terminal(tmp_path: Path) -> None:
    for name, source in (("change", OLD), ("finding", FINDING), ("broken", f"{OLD}(")):
        (tmp_path / f"{name}\n\x1b[2J.py").write_text(source)
    (tmp_path / "missing\x1b[2J.py").symlink_to("nothing")
    outputs = [
        CliRunner().invoke(migrate, [str(tmp_path), "--check"]).output,
        CliRunner().invoke(doctor, [str(tmp_path)]).output,
    ]
    assert "change\\n\\x1b[2J.py: would change" in outputs[0]
    for output in outputs:
        assert "\x1b" not in output
        assert "broken\\n\\x1b[2J.py" in output
    assert "\x1b" not in CliRunner().invoke(migrate, [str(tmp_path), "--github"]).output
    report = CliRunner().invoke(migrate, [str(tmp_path), "--json"]).output
    assert any("\x1b" in file["path"] for file in json.loads(report)["files"])
