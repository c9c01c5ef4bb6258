# SPDX-License-Identifier: Apache-2.0
"""A comparison as text, JSON and HTML says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_lossscale.recording.comparison import RecordingComparison, compare
from compat_lossscale.recording.reading import read
from compat_lossscale.recording.reports import as_html_page, as_json, as_text
from tests.recording.recordings_by_hand import end, optimizer, step, write
from tests.schemas import ours

FINDINGS = [("src/train.py", 12, "LS301 opt.loss_scale: read it"), ("other.py", 9, "LS101")]


@pytest.fixture
def result(tmp_path: Path) -> RecordingComparison:
    """Two recordings that part at the second step."""
    evil = "<script>alert(1)</script>"
    sides = []
    for name, value, scale in (("b", 0.5, 1024.0), ("a", 0.7, 512.0)):
        steps = [step(0, [0.9]), step(1, [value], scale=scale, applied=int(name == "b"))]
        lines = [optimizer([1.0], names=[evil]), *steps, end()]
        sides.append(read(write(tmp_path / f"{name}.lsr", *lines)))
    return compare(*sides)


def test_the_text_says_what_when_where_and_how_much(result: RecordingComparison) -> None:
    text = "\n".join(as_text(result, FINDINGS))
    assert "Different from step 2 on: decision." in text
    assert "before: applied   (train.py:9)" in text
    assert "after:  skipped   (train.py:9)" in text
    assert "loss scale" in text
    assert "relative difference" in text
    assert "The step itself parted first" in text
    assert "src/train.py:12: LS301" in text
    assert "other.py" not in text


def test_the_text_says_when_nothing_differs(tmp_path: Path) -> None:
    side = read(write(tmp_path / "a.lsr", optimizer([1.0]), step(0, [0.9]), end()))
    assert "Same to the bit for 1 step." in as_text(compare(side, side))


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    side = read(write(tmp_path / "a.lsr", optimizer([1.0]), step(0, [0.9]), end()))
    result = compare(side, side)
    result.left_out = ["kernel", "kernel", *(f"bias_{n}" for n in range(9))]
    text = "\n".join(as_text(result))
    assert "Left out, for the program does not reproduce it: kernel, 2 times\n" in text
    assert text.count("Left out, for") == 8
    assert "Left out for that, too: 2 more" in text


def test_the_json_is_what_its_schema_says(result: RecordingComparison) -> None:
    data = as_json(result, FINDINGS)
    ours.check(data, "compare")
    assert data["verdict"] == "different"
    assert data["first"]["step"] == 2
    assert data["exit_code"] == 1


def test_the_page_shows_both_scales_and_escapes_what_is_hostile(
    result: RecordingComparison,
) -> None:
    page = as_html_page(result, FINDINGS)
    assert page.count('class="line') == 3
    assert "skipped before" in page
    assert "<script>alert" not in page
    assert "By variable and slot" in page
    assert "LS301" in page
