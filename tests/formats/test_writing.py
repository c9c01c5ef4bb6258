# SPDX-License-Identifier: Apache-2.0
"""Writing converted configs: never over the input, and never a part of a file."""

from __future__ import annotations

import json
import os
import re
import shutil
import zipfile
from pathlib import Path

import h5py
import pytest

from compat_lossscale.formats import UnreadableArtefactError, read, writing
from compat_lossscale.formats.writing import ConversionError, write_converted
from compat_lossscale.spec import Generation
from tests.formats.samples import ARTEFACTS, COMPILED, CONFIG, SGD


def test_an_archive_that_would_unpack_to_absurd_sizes_is_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "bomb.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("config.json", json.dumps(COMPILED))
        target.writestr("assets/bomb", b"\0" * 2**22)
    with pytest.raises(UnreadableArtefactError, match="far larger when unpacked"):
        write_converted(read(path), Generation.TF23, str(tmp_path / "out.keras"))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b"A" * 100, b"B" * 100, "Bad CRC-32 for file 'assets/part'"),
        # The flags, the compression and the time of an entry.
        (b"\0\0\0\0\0\0!\0", b"\1\0\0\0\0\0!\0", "is encrypted"),
        (b"\0\0\0\0\0\0!\0", b"\0\0c\0\0\0!\0", "compression method is not supported"),
    ],
)
def test_an_archive_with_a_part_that_cannot_be_read_is_not_copied(
    old: bytes, new: bytes, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.keras"
    with zipfile.ZipFile(path, "w") as target:
        target.writestr("config.json", json.dumps(COMPILED))
        target.writestr(zipfile.ZipInfo("assets/part"), b"A" * 100)
    path.write_bytes(path.read_bytes().replace(old, new))
    with pytest.raises(UnreadableArtefactError, match=says):
        write_converted(read(path), Generation.TF23, str(tmp_path / "out.keras"))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("how", ["same", "link", "hard link"])
def test_the_input_is_never_written_over(how: str, tmp_path: Path) -> None:
    source, output = tmp_path / "model.h5", tmp_path / "other.h5"
    shutil.copy(ARTEFACTS / "2.3" / "model.h5", source)
    before = source.read_bytes()
    if how == "same":
        output = source
    elif how == "link":
        output.symlink_to(source)
    else:
        os.link(source, output)
    with pytest.raises(ConversionError, match="the input itself"):
        write_converted(read(source), Generation.TF24, str(output))
    assert source.read_bytes() == before


def test_nothing_is_written_into_a_saved_model_that_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "saved_model"
    shutil.copytree(ARTEFACTS / "2.3" / "saved_model", folder)
    for named in (folder, folder / "saved_model.pb"):
        with pytest.raises(ConversionError, match="the input itself"):
            write_converted(read(named), Generation.TF24, str(folder / "config.json"))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("2.21/model.h5", "tf-keras loads the .h5 as it is, and saves it as .keras"),
        ("2.21/weights.index", "--to keras3 --model SCRIPT:FUNCTION --output FILE.keras"),
    ],
)
def test_what_cannot_become_an_archive_says_how_to_get_one(
    name: str, says: str, tmp_path: Path
) -> None:
    with pytest.raises(ConversionError, match=re.escape(says)):
        write_converted(read(ARTEFACTS / name), Generation.TF_KERAS, str(tmp_path / "new.keras"))
    assert list(tmp_path.iterdir()) == []


def test_a_wrapper_without_its_class_is_written_into_an_h5_file(tmp_path: Path) -> None:
    source, output = tmp_path / "bare.h5", tmp_path / "new.h5"
    shutil.copy(ARTEFACTS / "2.4" / "model.h5", source)
    with h5py.File(source, "r+") as file:
        training = json.loads(file.attrs["training_config"])
        training["optimizer_config"] = training["optimizer_config"]["config"]
        file.attrs["training_config"] = json.dumps(training)
    write_converted(read(source), Generation.TF23, str(output))
    (stated,) = read(output).configs
    assert (stated.generation, stated.spec) == (Generation.TF23, read(source).configs[0].spec)


def test_what_would_not_state_the_loss_scale_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, output = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text(json.dumps(CONFIG))
    monkeypatch.setattr(writing, "_write", lambda *parts: parts[-1].write_text("{}"))
    with pytest.raises(ConversionError, match="would state no loss scale"):
        write_converted(read(source), Generation.TF23, str(output))
    assert list(tmp_path.iterdir()) == [source]


def test_variables_alone_say_how_to_get_an_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(ARTEFACTS / "keras3" / "model.keras") as archive:
        (tmp_path / "m.weights.h5").write_bytes(archive.read("model.weights.h5"))
    with pytest.raises(ConversionError, match=r"variables only.* save that as \.keras"):
        write_converted(
            read(tmp_path / "m.weights.h5"), Generation.TF_KERAS, str(tmp_path / "n.weights.h5")
        )


def test_a_whole_model_without_a_loss_scale_says_how_it_is_converted(tmp_path: Path) -> None:
    source = tmp_path / "model.h5"
    shutil.copy(ARTEFACTS / "2.4" / "model.h5", source)
    with h5py.File(source, "r+") as file:
        training = json.loads(file.attrs["training_config"])
        training["optimizer_config"] = SGD
        file.attrs["training_config"] = json.dumps(training)
    with pytest.raises(
        ConversionError, match=r"no loss scale\. --to keras3 .* Keras 3, which loads its own \.h5"
    ):
        write_converted(read(source), Generation.TF23, str(tmp_path / "new.h5"))


def test_an_error_while_writing_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.keras"
    output.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    artefact = read(ARTEFACTS / "2.21" / "model.keras")
    with pytest.raises(ConversionError, match="No space left"):
        write_converted(artefact, Generation.TF24, str(output), overwrite=True)
    assert (output.read_text(), list(tmp_path.iterdir())) == ("old", [output])
