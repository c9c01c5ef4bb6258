# SPDX-License-Identifier: Apache-2.0
"""Files have their complete old content or their complete new content."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from compat_lossscale._atomic_file import replacing

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("before", [None, b"old"])
def test_a_file_is_replaced_at_the_end(before: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "file"
    if before is not None:
        path.write_bytes(before)
    with replacing(path) as temporary:
        temporary.write_bytes(b"new")
        assert (path.read_bytes() if path.exists() else None) == before
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("before", [None, b"old"])
def test_an_error_leaves_the_old_file_and_no_other(before: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "file"
    if before is not None:
        path.write_bytes(before)

    def fail() -> None:
        with replacing(path) as temporary:
            temporary.write_bytes(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    left = [one.read_bytes() for one in tmp_path.iterdir()]
    assert left == ([] if before is None else [before])


def test_only_the_owner_reads_it_before_and_the_umask_decides_after(tmp_path: Path) -> None:
    path = tmp_path / "file"
    mask = os.umask(0o027)
    try:
        with replacing(path):
            (temporary,) = tmp_path.iterdir()
            assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
