# SPDX-License-Identifier: Apache-2.0
"""Reading hostile text: regular files only, of limited size, depth and time."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from compat_lossscale.formats import read
from tests.formats.samples import CONFIG, reason


def test_pipes_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    for name in ("pipe.json", "pipe.h5", "pipe", "pipe.index"):
        os.mkfifo(tmp_path / name)
        assert "no regular file" in reason(tmp_path / name)
    assert "no regular file" in reason("/dev/zero")


def test_a_pointer_of_git_lfs_is_said_to_be_one(tmp_path: Path) -> None:
    for name in ("model.keras", "model.h5", "config.json"):
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
        (tmp_path / name).write_text(pointer)
        assert f"{name} is a pointer to a file that Git LFS has not" in reason(tmp_path / name)


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"inner_optimizer":{"config":'])
def test_deep_nesting_is_refused(opening: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text(opening * 100_000)
    assert "nested" in reason(path) or "no JSON" in reason(path)
    closing = "]" if opening == "[" else "}" * opening.count("{")
    path.write_text(opening * 300 + "1" + closing * 300)
    assert "nested more than 200 deep" in reason(path)


def test_text_that_is_not_utf8_is_refused_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes(b'{"name": "\xe9"}')
    assert "byte 0xe9 in position 10" in reason(path)


def test_a_byte_order_mark_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "bom"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(CONFIG).encode())
    assert read(path).has_loss_scale


def test_a_number_of_too_many_digits_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text('{"initial_scale": ' + "9" * 100_000 + "}")
    assert re.search("integer string conversion|too large", reason(path))
