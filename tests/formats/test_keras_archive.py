# SPDX-License-Identifier: Apache-2.0
"""Reading .keras archives."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compat_lossscale.formats import keras_archive, read
from compat_lossscale.formats.writing import write_converted
from compat_lossscale.spec import Generation
from tests.formats.samples import COMPILED, archive, reason

if TYPE_CHECKING:
    from pathlib import Path


def test_files_of_an_archive_that_point_outside_are_not_unpacked(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / "model.keras"
    with zipfile.ZipFile(path, "w") as target:
        target.writestr("config.json", json.dumps(COMPILED))
        target.writestr("../outside", "content")
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        target.writestr(link, "/etc/passwd")
    output = folder / "out.keras"
    write_converted(read(path), Generation.TF23, str(output))
    assert sorted(tmp_path.rglob("*")) == [folder, path, output]
    with zipfile.ZipFile(output) as copied:
        assert copied.read("link") == b"/etc/passwd"


def test_a_huge_list_of_files_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.keras"
    size = 2**34
    with path.open("wb") as file:
        file.write(b"PK\x03\x04")
        file.seek(size)
        # The 64-bit record, where it is, and the old record that says to look there.
        file.write(struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 9, 9, size, 0))
        file.write(struct.pack("<4sLQL", b"PK\6\7", 0, size, 1))
        file.write(struct.pack("<4s4H2LH", b"PK\5\6", *([0xFFFF] * 4), *([0xFFFFFFFF] * 2), 0))
    assert "more than 2 GB of memory" in reason(path)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"metadata__json": "{}"}, "has no config.json"),
        ({"config__json": "{"}, "config.json in the archive is not JSON"),
        ({"config__json": b"\xff"}, "config.json in the archive is not JSON: 'utf-8' codec"),
        (
            {"config__json": json.dumps(COMPILED), "model__weights__h5": b"no HDF5"},
            "model.weights.h5 in the archive is not a readable HDF5 file",
        ),
    ],
)
def test_a_damaged_archive_says_which_of_its_files_is_at_fault(
    files: dict[str, Any], message: str, tmp_path: Path
) -> None:
    assert message in reason(archive(tmp_path / "model.keras", **files))


def test_an_encrypted_archive_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "model.keras", config__json=json.dumps(COMPILED))
    data = bytearray(path.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1
    path.write_bytes(data)
    assert "encrypted" in reason(path)


def test_the_weights_of_a_model_without_a_loss_scale_are_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(keras_archive.CONFIG, json.dumps({"class_name": "Sequential"}))
        archive.writestr(keras_archive.WEIGHTS, b"no HDF5")
    artefact = read(path)
    assert (artefact.configs, artefact.states, artefact.missing) == ((), (), ())
