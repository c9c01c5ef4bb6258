# SPDX-License-Identifier: Apache-2.0
"""Reading damaged checkpoints."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import pytest

from compat_lossscale.formats import read
from compat_lossscale.formats.tensor_bundle import _MAGIC, _masked_crc, _table
from tests.formats.attacks import handle, record, varint
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


def snappy(data: bytes) -> bytes:
    """Compresses, with each form of literals and copies that there is."""
    packed, position = varint(len(data)) + b"\xf0\x4f" + data[:80], 80
    while position < len(data):
        for length in range(min(64, len(data) - position), 3, -1):
            found = data.find(data[position : position + length], 0, position + length - 1)
            if found >= 0:
                offset = position - found
                if length < 12 and offset < 2048:
                    packed += bytes([offset >> 8 << 5 | length - 4 << 2 | 1, offset & 255])
                elif length < 30:
                    packed += bytes([length - 1 << 2 | 2]) + offset.to_bytes(2, "little")
                else:
                    packed += bytes([length - 1 << 2 | 3]) + offset.to_bytes(4, "little")
                position += length
                break
        else:
            packed += b"\0" + data[position : position + 1]
            position += 1
    return packed


def compressed(name: str, folder: Path) -> Path:
    """A checkpoint of the artefacts with its index as Google's builds of TensorFlow write it."""
    source = ARTEFACTS / name
    values = f"{source.name}.data-00000-of-00001"
    shutil.copy(source.with_name(values), folder / values)
    table = source.with_name(f"{source.name}.index").read_bytes()
    records = b"".join(record(key, bytes(value)) for key, value in _table(table))
    block = snappy(records + struct.pack("<LL", 0, 1)) + b"\1"
    data = block + struct.pack("<L", _masked_crc(block))
    index = record(b"x", handle(0, len(block) - 1)) + struct.pack("<LL", 0, 1) + b"\0"
    footer = handle(0, 0) + handle(len(data), len(index) - 1)
    data += index + struct.pack("<L", _masked_crc(index)) + footer.ljust(40, b"\0") + _MAGIC
    written = folder / f"{source.name}.index"
    written.write_bytes(data)
    return written


@pytest.mark.parametrize("name", ["2.3/saver", "2.3/weights", "2.4/checkpoint-1"])
def test_a_compressed_index_says_the_same(name: str, tmp_path: Path) -> None:
    packed, plain = read(compressed(name, tmp_path)), read(ARTEFACTS / name)
    assert packed.states == plain.states != ()


@pytest.mark.slow
def test_tensorflow_reads_what_is_compressed_here(tmp_path: Path) -> None:
    import tensorflow as tf

    path = str(compressed("2.4/checkpoint-1", tmp_path).with_suffix(""))
    old = str(ARTEFACTS / "2.4" / "checkpoint-1")
    assert tf.train.list_variables(path) == tf.train.list_variables(old)


@pytest.mark.parametrize(
    "packed",
    [
        varint(9) + b"\x04abc",  # Shorter than it says.
        varint(9) + b"\x04ab\x05\x09",  # A copy of what is before the start.
        varint(9) + b"\x04ab\x05",  # Cut off in a copy.
    ],
)
def test_a_block_that_cannot_be_unpacked_is_damage(packed: bytes, tmp_path: Path) -> None:
    block = packed + b"\1"
    data = block + struct.pack("<L", _masked_crc(block))
    footer = handle(0, 0) + handle(0, len(packed))
    path = tmp_path / "checkpoint.index"
    path.write_bytes(data + footer.ljust(40, b"\0") + _MAGIC)
    assert reason(path) == "its index is damaged: a block cannot be unpacked"
