# SPDX-License-Identifier: Apache-2.0
"""Recognizing JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_lossscale.formats import config_json

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("start", [b"{", b"[", b"\n  {", b"\xef\xbb\xbf{", b"\xef\xbb\xbf \n["])
def test_json_is_known_by_its_first_character(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "config"
    path.write_bytes(start)
    assert config_json.matches(str(path))
    path.write_bytes(b"x" + start)
    assert not config_json.matches(str(path))
