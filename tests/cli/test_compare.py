# SPDX-License-Identifier: Apache-2.0
"""`compare` prints what comparing gave, and exits with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from compat_lossscale.cli.compare import compare
from tests.recording.recordings_by_hand import end, optimizer, step, write
from tests.schemas import ours


@pytest.fixture
def recordings(tmp_path: Path) -> dict[str, str]:
    """A recording, one like it but for a variable, and one without steps."""
    return {
        "one": write(tmp_path / "one.lsr", optimizer([1.0]), step(0, [0.9]), end()),
        "other": write(tmp_path / "other.lsr", optimizer([1.0]), step(0, [0.5]), end()),
        "empty": write(tmp_path / "empty.lsr", end()),
    }


@pytest.mark.parametrize(
    ("second", "code", "words"),
    [
        ("one", 0, "Same to the bit for 1 step."),
        ("other", 1, "Different from step 1 on: variable."),
        ("empty", 2, "Cannot be told: no optimizer took a step"),
    ],
)
def test_the_exit_code_is_the_verdict(
    second: str, code: int, words: str, recordings: dict[str, str]
) -> None:
    done = CliRunner().invoke(compare, [recordings["one"], recordings[second]])
    assert (done.exit_code, words in done.output) == (code, True)


def test_json_and_html_are_written(recordings: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    arguments = [recordings["one"], recordings["other"], "--json", "--html", str(page)]
    done = CliRunner().invoke(compare, arguments)
    data = json.loads(done.stdout)
    ours.check(data, "compare")
    assert data["exit_code"] == done.exit_code == 1
    assert "Where they part" in page.read_text()


def test_findings_near_the_difference_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(
        "import tensorflow as tf\n\n\ndef show(opt):\n"
        "    assert isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer)\n"
        "    opt = f()\n    print(opt.loss_scale())\n"
    )
    one = write(tmp_path / "a.lsr", optimizer([1.0]), step(0, [0.9]), end())
    other = write(tmp_path / "b.lsr", optimizer([1.0]), step(0, [0.5]), end())
    done = CliRunner().invoke(compare, [one, other])
    assert "migrate reports near it: train.py:7: LS301" in done.output, done.output
    Path("train.py").unlink()
    assert "migrate reports" not in CliRunner().invoke(compare, [one, other]).output


def test_a_tolerance_is_taken(recordings: dict[str, str]) -> None:
    arguments = [recordings["one"], recordings["other"], "--rtol", "1"]
    assert CliRunner().invoke(compare, arguments).exit_code == 0


def test_what_rounding_does_is_taken(recordings: dict[str, str]) -> None:
    arguments = [recordings["one"], recordings["other"], "--nudged", recordings["one"]]
    assert "It differs by more than four times" in CliRunner().invoke(compare, arguments).output
    done = CliRunner().invoke(compare, [*arguments, "--rtol", "1"])
    assert done.exit_code not in (0, 1)
    assert "--rtol and --nudged are two ways" in done.output


def test_what_is_no_recording_cannot_be_told(recordings: dict[str, str], tmp_path: Path) -> None:
    from tests.support import python

    (tmp_path / "text").write_text("no recording")
    done = python("-m", "compat_lossscale", "compare", recordings["one"], str(tmp_path / "text"))
    assert done.returncode == 2
    assert "is no recording" in done.stderr
    done = python("-m", "compat_lossscale", "compare", recordings["one"], str(tmp_path / "none"))
    assert done.returncode == 64
    assert "does not exist" in done.stderr
