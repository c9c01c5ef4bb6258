# SPDX-License-Identifier: Apache-2.0
"""Recordings are read whole, and hostile ones are refused with a reason."""

from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from compat_lossscale.recording import reading
from compat_lossscale.recording.comparison import compare
from compat_lossscale.recording.reading import (
    PrintedLine,
    UnreadableRecordingError,
    observed_kinds,
    read,
)
from compat_lossscale.recording.reports import as_html_page, as_json, as_text
from tests.recording.recordings_by_hand import HEADER, end, optimizer, printed, step, write


def test_a_recording_is_read(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.lsr",
        optimizer([1.0, 2.0]),
        step(0, [0.5, 1.0], s={"momentum": [None]}),
        printed("loss 1.5", 1),
        step(1, [0.5, 1.0], applied=0, v=[0], s={"momentum": [None]}),
        end(),
    )
    recording = read(path)
    one = recording.optimizers[0]
    assert one.title == "LossScaleOptimizer(SGD)"
    assert [s.applied for s in one.steps] == [True, False]
    assert one.steps[0].arrays["variables"] == one.steps[1].arrays["variables"]
    assert one.steps[0].arrays["momentum"] == [None]
    assert recording.printed == [PrintedLine(("train.py:11",), "loss 1.5", 1, 1)]
    assert recording.versions["tensorflow"] == "2.21.0"


def test_a_recording_that_is_broken_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    noise = [printed(str(random.Random(n).random()), 1) for n in range(2000)]
    path = Path(write(tmp_path / "a.lsr", optimizer([1.0]), step(0, [0.5]), *noise, end()))
    path.write_bytes(path.read_bytes()[:-3000])
    recording = read(str(path))
    assert recording.end is None
    assert len(recording.optimizers[0].steps) == 1


def test_a_second_member_of_the_file_belongs_to_the_recording(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "a.lsr", *_run(0.9, "same", "a")))
    assert read(str(path)).unstable is None
    again = Path(write(tmp_path / "b.lsr", *_run(0.8, "same", "b")))
    path.write_bytes(path.read_bytes() + again.read_bytes())
    assert read(str(path)).unstable == {
        (0, "variables", 0): 1,
        (0, "scale", -1): 1,
        (-1, "print", 1): 0,
    }
    assert len(read(str(path)).optimizers[0].steps) == 2


def test_a_second_run_without_the_optimizer_does_not_reproduce_it(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "a.lsr", *_run(0.9)))
    again = Path(write(tmp_path / "b.lsr", end(exit=1)))
    path.write_bytes(path.read_bytes() + again.read_bytes())
    assert read(str(path)).unstable == {(0, "steps", -1): 0, (0, "variables", 0): -1}


def _run(value: float, *lines: str) -> list[Any]:
    second = step(1, [value], scale=1024.0 if value > 0.85 else 512.0)
    return [optimizer([1.0]), step(0, [0.95]), second, *map(printed, lines), end()]


@pytest.mark.parametrize(
    "content",
    [b"", b"none", *map(gzip.compress, (b"{}\n", b"[1]\n", b"\xff\n", b"{" * 100_000 + b"\n"))],
    ids=["empty", "no gzip", "no header", "a list", "no text", "a nest"],
)
def test_what_is_no_recording_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.lsr"
    path.write_bytes(content)
    with pytest.raises(UnreadableRecordingError, match=r"a\.lsr"):
        read(str(path))


def test_another_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = write(tmp_path / "a.lsr", header={**HEADER, "version": 2})
    with pytest.raises(UnreadableRecordingError, match=r"version 2 .* record with the recorder"):
        read(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.lsr", tmp_path):
        with pytest.raises(UnreadableRecordingError, match=str(path)):
            read(str(path))


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableRecordingError, match="no regular file"):
        read(str(tmp_path / "pipe"))


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_BYTES", 2**22)
    path = tmp_path / "a.lsr"
    path.write_bytes(gzip.compress(json.dumps(HEADER).encode() + b"\n" + b" " * 2**23 + b"\n"))
    with pytest.raises(UnreadableRecordingError, match="larger than a recording can be"):
        read(str(path))


_BAD: list[Any] = [None, -1, 7, "text", [], {}, [[]], 1e999, [1], {"a": []}, {"print": 3}, [[1]]]
_OBSERVED = {"t": "observed", "places": [["a.py", 3, "loss_scale", "keras.L", 2]]}
_SAVE = {"t": "save", "name": "model", "at": "a.py:3", "names": {"w": [3]}}
_FIT = {"t": "fit", "at": "a.py:3", "data": "0" * 16}


@pytest.mark.parametrize(
    "which", ["optimizer", "step", "end", "print", "observed", "save", "fit", "again"]
)
def test_wrong_content_is_refused_or_compared_and_never_crashes(which: str, tmp_path: Path) -> None:
    good = {
        "optimizer": optimizer([1.0]), "step": step(0, [0.5]), "print": printed("a 1"),
        "save": _SAVE, "fit": _FIT, "observed": _OBSERVED, "end": end(), "again": HEADER,
    }  # fmt: skip
    whole = read(write(tmp_path / "good.lsr", *good.values()))
    for key in good[which]:
        for bad in _BAD:
            lines = {**good, which: {**good[which], key: bad}}
            try:
                odd = read(write(tmp_path / "a.lsr", *lines.values()))
            except UnreadableRecordingError:
                continue
            for pair in ((whole, odd), (odd, whole)):
                result = compare(*pair)
                assert list(as_text(result))
                json.dumps(as_json(result), allow_nan=False)
                as_html_page(result)
            observed_kinds(odd.observed)
