# SPDX-License-Identifier: Apache-2.0
"""Reading damaged checkpoints."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

from tests.formats.samples import ARTEFACTS, reason


def test_a_checkpoint_without_its_data_file_says_which_is_missing(tmp_path: Path) -> None:
    shutil.copy(ARTEFACTS / "2.3" / "saver.index", tmp_path)
    assert reason(tmp_path / "saver").startswith(
        "saver.data-00000-of-00001 cannot be read: No such file"
    )


def test_a_flipped_bit_in_a_checkpoints_scale_is_found_by_its_checksum(tmp_path: Path) -> None:
    for part in (ARTEFACTS / "2.3").glob("saver.*0*"):
        shutil.copy(part, tmp_path)
    shutil.copy(ARTEFACTS / "2.3" / "saver.index", tmp_path)
    data = tmp_path / "saver.data-00000-of-00001"
    place = data.read_bytes().index(struct.pack("<f", 32.0))
    changed = bytearray(data.read_bytes())
    changed[place + 3] ^= 1
    data.write_bytes(changed)
    assert "the checksum of current_loss_scale is wrong" in reason(tmp_path / "saver")
