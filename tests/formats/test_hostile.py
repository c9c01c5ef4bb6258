# SPDX-License-Identifier: Apache-2.0
"""Hostile and damaged files: no code runs, nothing outside is read, time and memory are bounded."""

from __future__ import annotations

import io
import json
import os
import pickle
import shutil
import struct
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compat_lossscale.cli.verify import text_of
from compat_lossscale.formats import UnreadableArtefactError, bounded, isolated, protobuf, read
from compat_lossscale.formats.readers import keras_archive
from compat_lossscale.formats.reading import find
from compat_lossscale.formats.verification import (
    ArtefactStatus,
    as_json,
    printable,
    verify_artefact,
)
from compat_lossscale.formats.writing import ConversionError, write_converted
from compat_lossscale.spec import Generation
from tests.formats.fuzz import fuzz
from tests.formats.samples import ARTEFACTS, SGD, import_tf_keras

h5py = pytest.importorskip("h5py", reason="HDF5 files are made with h5py")
CONFIG = {"inner_optimizer": SGD, "dynamic": True, "initial_scale": 8.0}
COMPILED = {"compile_config": {"optimizer": {"class_name": "LossScaleOptimizer", "config": CONFIG}}}


def archive(path: Path, **files: str | bytes) -> Path:
    with zipfile.ZipFile(path, "w") as target:
        for name, content in files.items():
            target.writestr(name.replace("__", "."), content)
    return path


def model(path: Path) -> Any:
    """An open HDF5 model whose optimizer's state a test puts in."""
    file = h5py.File(path, "w")
    training = {"optimizer_config": {"class_name": "LossScaleOptimizer", "config": CONFIG}}
    file.attrs["training_config"] = json.dumps(training)
    file.create_group("optimizer_weights")
    return file


def reason(path: Path | str) -> str:
    """Why something is unreadable; fails if it is readable."""
    result = verify_artefact(str(path))
    assert result.status is ArtefactStatus.UNREADABLE, result
    return result.error


def test_a_short_run_of_the_fuzzer_finds_nothing() -> None:
    counts, failures = fuzz(150, seed=1)
    assert failures == []
    assert sum(counts.values()) >= 150


# --- payloads -------------------------------------------------------------------------------------

BOMB = "open('executed', 'w')"
PAYLOADS: list[dict[str, Any]] = [
    {"class_name": "Lambda", "config": {"function": BOMB}},
    {"module": "evil", "class_name": "Evil", "config": {}, "registered_name": "evil>Evil"},
    {"module": "os", "class_name": "system", "config": {"command": "touch executed"}},
    {"class_name": "__lambda__", "config": {"value": BOMB}},
]


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: payload["class_name"])
@pytest.mark.parametrize("form", ["json", "h5", "keras"])
def test_a_planted_payload_stays_inert(
    payload: dict[str, Any], form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A module that marks its import, in the folder that a careless import would look in.
    (tmp_path / "evil.py").write_text(f"{BOMB}\nclass Evil: ...\n")
    (tmp_path / "h5py.py").write_text(f"{BOMB}\n")
    (tmp_path / "numpy.py").write_text(f"{BOMB}\n")
    monkeypatch.chdir(tmp_path)
    isolated.stop()
    config = {**CONFIG, "inner_optimizer": payload, "hook": payload}
    path = tmp_path / f"model.{form}"
    if form == "json":
        path.write_text(json.dumps(config))
    elif form == "h5":
        with model(path) as file:
            file.attrs["model_config"] = json.dumps({"layers": [payload]})
            file.attrs["training_config"] = json.dumps({"optimizer_config": config})
    else:
        tree = {"layers": [payload], "compile_config": {"optimizer": config}}
        archive(path, config__json=json.dumps(tree), metadata__json="{}")
    result = verify_artefact(str(path))
    assert result.status is not ArtefactStatus.UNREADABLE, result.error
    assert not (tmp_path / "executed").exists()


def test_a_pickle_is_not_read(tmp_path: Path) -> None:
    class Payload:
        def __reduce__(self) -> Any:
            return os.system, (f"touch {tmp_path}/executed",)

    path = tmp_path / "model.keras"
    path.write_bytes(pickle.dumps(Payload()))
    assert "is no artefact that can be read here" in reason(path)
    assert not (tmp_path / "executed").exists()


def test_deep_comparison_imports_nothing_that_a_config_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_tf_keras()
    from compat_lossscale.equivalence import StockOutcome, compare_with_stock

    (tmp_path / "evil_module.py").write_text(f"{BOMB}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    evil = {"module": "evil_module", "class_name": "Evil", "config": {}, "registered_name": None}
    sgd = {"learning_rate": evil, "momentum": 0.0}
    for inner in (evil, {**SGD, "module": "keras.optimizers.legacy", "config": sgd}):
        config = {**CONFIG, "inner_optimizer": inner}
        assert compare_with_stock(config, steps=1).outcome is StockOutcome.NOT_COMPARED
    in_old_name = {**SGD, "config": {"lr": evil, "learning_rate": 1.0}}
    compare_with_stock({**CONFIG, "inner_optimizer": in_old_name}, seeds=(0,), steps=1)
    assert not (tmp_path / "executed").exists()


# --- other files ----------------------------------------------------------------------------------


def test_data_that_an_hdf5_file_keeps_in_another_file_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(struct.pack("<q", 1234567))
    path = tmp_path / "model.h5"
    with model(path) as file:
        group = file["optimizer_weights"]
        group.create_dataset("iter:0", (1,), "i8", external=[(str(secret), 0, 8)])
    assert all(state.iterations is None for state in read(path).states)


def test_links_from_an_hdf5_file_to_another_are_not_followed(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["iter:0"] = 1234567
    path = tmp_path / "model.h5"
    with model(path) as file:
        file["optimizer_weights/iter:0"] = h5py.ExternalLink("secret.h5", "/iter:0")
        file["optimizer_weights/good_steps"] = h5py.SoftLink("/elsewhere")
    assert read(path).states == ()


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


def test_links_that_leave_a_folder_are_not_walked(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "a.json").write_text(json.dumps(CONFIG))
    (outside / "b.json").write_text(json.dumps(CONFIG))
    (inside / "file.json").symlink_to(outside / "b.json")
    (inside / "folder").symlink_to(outside)
    (inside / "loop.json").symlink_to(inside / "loop.json")
    (inside / "same.json").symlink_to(inside / "a.json")
    assert [Path(path).name for path in find(str(inside))] == ["a.json", "same.json"]


def test_a_folder_that_may_not_be_looked_into_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    scandir = os.scandir

    def refuse(path: Any) -> Any:
        if os.fspath(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(closed))
        return scandir(path)

    # The tests may run as a user who may look into everything.
    monkeypatch.setattr(os, "scandir", refuse)
    assert list(find(str(tmp_path))) == [str(closed)]
    assert "Permission denied" in reason(closed)


def test_folders_of_any_depth_are_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    depth = 1500
    monkeypatch.chdir(tmp_path)
    for _ in range(depth):
        Path("d").mkdir()
        os.chdir("d")
    Path("a.json").write_text("{}")
    assert [Path(path).name for path in find(str(tmp_path))] == ["a.json"]
    # pytest cannot remove what is so deep.
    Path("a.json").unlink()
    for _ in range(depth):
        os.chdir("..")
        Path("d").rmdir()


def test_a_link_that_is_named_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(CONFIG))
    (tmp_path / "b.json").symlink_to(tmp_path / "a.json")
    assert read(tmp_path / "b.json").has_loss_scale


def test_pipes_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    for name in ("pipe.json", "pipe.h5", "pipe", "pipe.index"):
        os.mkfifo(tmp_path / name)
        assert "no regular file" in reason(tmp_path / name)
    assert "no regular file" in reason("/dev/zero")


# --- sizes ----------------------------------------------------------------------------------------


def test_a_zip_bomb_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("config.json", b" " * (bounded.MAX_JSON_BYTES + 2))
    assert path.stat().st_size < 200_000
    assert "larger than 32 MB" in reason(path)


def test_a_bomb_in_the_weights_is_refused_and_not_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keras_archive, "MAX_UNPACKED_BYTES", 2**20)
    path = tmp_path / "bomb.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("config.json", json.dumps(COMPILED))
        target.writestr("model.weights.h5", b"\0" * (2**20 + 1))
    assert "compressed and larger than" in reason(path)


def test_an_archive_that_would_unpack_to_absurd_sizes_is_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "bomb.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("config.json", json.dumps(COMPILED))
        target.writestr("assets/bomb", b"\0" * 2**22)
    with pytest.raises(UnreadableArtefactError, match="absurd sizes"):
        write_converted(read(path), Generation.TF23, str(tmp_path / "out.keras"))
    assert list(tmp_path.iterdir()) == [path]


def test_an_archive_of_too_many_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keras_archive, "MAX_ENTRIES", 1)
    path = archive(tmp_path / "many.keras", config__json="{}", metadata__json="{}")
    assert "more than 1 files" in reason(path)


def test_a_huge_list_of_files_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.keras"
    size = 2**34
    with path.open("wb") as file:
        file.write(b"PK\x03\x04")
        file.seek(size)
        # The 64-bit record, where it is, and the old record that says to look there.
        file.write(struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 9, 9, size, 0))
        file.write(struct.pack("<4sLQL", b"PK\6\7", 0, size, 1))
        file.write(struct.pack("<4s4H2LH", b"PK\5\6", *([0xFFFF] * 4), *([0xFFFFFFFF] * 2), 0))
    assert "whose list of files exceeds 8 MB" in reason(path)


@pytest.mark.parametrize(
    ("tree", "seconds"),
    [
        ([CONFIG] * 2000, 10),
        ({**CONFIG, "inner_optimizer": {**SGD, "config": {str(n): n for n in range(50_000)}}}, 20),
    ],
    ids=["many configs", "many settings"],
)
def test_time_does_not_explode_with_what_a_file_says(
    tree: Any, seconds: float, tmp_path: Path
) -> None:
    path = tmp_path / "many.json"
    path.write_text(json.dumps(tree))
    started = time.process_time()
    verify_artefact(str(path))
    assert time.process_time() - started < seconds


def test_a_graph_of_absurdly_many_fields_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protobuf.Budget.__init__, "__defaults__", (1000,))
    (tmp_path / "saved_model.pb").write_bytes(b"\x08\x01" * 2000)
    assert "fields" in reason(tmp_path)


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"inner_optimizer":{"config":'])
def test_deep_nesting_is_refused(opening: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text(opening * 100_000)
    assert "nested" in reason(path) or "no JSON" in reason(path)
    closing = "]" if opening == "[" else "}" * opening.count("{")
    path.write_text(opening * 300 + "1" + closing * 300)
    assert "nested more than 200 deep" in reason(path)


def test_a_large_file_of_another_kind_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2**36)
    started = time.process_time()
    assert "is no artefact" in reason(path)
    for name in ("large.json", "large.index", "large.h5", "large.keras"):
        path = path.rename(tmp_path / name)
        assert reason(path)
    assert time.process_time() - started < 10


def test_a_scalar_that_claims_a_huge_chunk_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "model.h5"
    with model(path) as file:
        group = file["optimizer_weights"]
        group.create_dataset("iter:0", (1,), "i8", chunks=(2**24,), maxshape=(None,), compression=9)
    assert all(state.iterations is None for state in read(path).states)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(np.longdouble(64), id="long double"),
        pytest.param(np.longdouble("1e4000"), id="a long double beyond all floats"),
        pytest.param(np.complex64(64), id="complex"),
        pytest.param(np.bool_(True), id="bool"),
        pytest.param(np.bytes_(b"64"), id="bytes"),
        pytest.param("64", id="text"),
        pytest.param(np.void(b"64"), id="opaque"),
        pytest.param(np.zeros((), [("a", "f4")]), id="compound"),
        pytest.param(h5py.Empty("f4"), id="empty"),
        pytest.param(np.zeros((2, 2), "f4"), id="array"),
    ],
)
@pytest.mark.parametrize("name", ["current_loss_scale:0", "good_steps"])
def test_a_state_of_a_strange_type_is_not_read_and_that_is_said(
    tmp_path: Path, name: str, value: Any
) -> None:
    with model(tmp_path / "model.h5") as file:
        file[f"optimizer_weights/{name}"] = value
        file["optimizer_weights/iter:0"] = 3
    artefact = read(tmp_path / "model.h5")
    assert artefact.states[0].loss_scale is artefact.states[0].good_steps is None
    (said,) = artefact.missing
    assert said.startswith(f"{name.removesuffix(':0')}: it is there, but no number as Keras writes")


@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8", ">f4", "i1", "<u8", ">i4"])
def test_a_state_of_any_plain_type_is_read(tmp_path: Path, kind: str) -> None:
    with model(tmp_path / "model.h5") as file:
        file["optimizer_weights/current_loss_scale:0"] = np.array(64, kind)
    assert read(tmp_path / "model.h5").states[0].loss_scale == 64.0


def test_groups_that_contain_themselves_end(tmp_path: Path) -> None:
    path = tmp_path / "model.h5"
    with model(path) as file:
        file["optimizer_weights/again"] = file["optimizer_weights"]
        file["optimizer_weights/once_more"] = file["optimizer_weights"]
        file["optimizer_weights/iter:0"] = 3
    assert read(path).states[0].iterations == 3


# --- the process that reads HDF5 ------------------------------------------------------------------


def test_a_file_on_which_the_library_hangs_is_unreadable_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolated, "TIMEOUT", 0.5)
    with model(tmp_path / "model.h5"):
        pass
    isolated.stop()
    monkeypatch.setattr(isolated, "_START", "import time; time.sleep(60)")
    assert "longer than 0.5 seconds" in reason(tmp_path / "model.h5")
    monkeypatch.undo()
    assert read(tmp_path / "model.h5").has_loss_scale


def test_a_file_on_which_the_library_crashes_is_unreadable_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model(tmp_path / "model.h5"):
        pass
    isolated.stop()
    monkeypatch.setattr(isolated, "_START", "import os; os.abort()")
    assert "crashed" in reason(tmp_path / "model.h5")
    monkeypatch.undo()
    assert read(tmp_path / "model.h5").has_loss_scale


def test_without_h5py_models_say_what_to_install_and_archives_still_give_their_config(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    isolated.stop()
    without = isolated._START.replace(";", "; sys.modules['h5py'] = None;", 1)
    monkeypatch.setattr(isolated, "_START", without)
    assert "pip install 'compat-lossscale[verify]'" in reason(ARTEFACTS / "2.21" / "model.h5")
    artefact = read(ARTEFACTS / "2.21" / "model.keras")
    assert artefact.configs[0].spec.initial_scale == 64.0
    assert "not looked at" in artefact.missing[0]
    isolated.stop()


# --- damage ---------------------------------------------------------------------------------------


def test_text_that_is_not_utf8_is_refused_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes(b'{"name": "\xe9"}')
    assert "byte 10 is 0xe9" in reason(path)


def test_a_byte_order_mark_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "bom"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(CONFIG).encode())
    assert read(path).has_loss_scale


@pytest.mark.parametrize("name", ["model.h5", "model.keras", "checkpoint-1.index", "configs.json"])
def test_a_cut_off_file_is_refused_wherever_it_is_cut(name: str, tmp_path: Path) -> None:
    source = ARTEFACTS / "2.21" / name
    shutil.copy(ARTEFACTS / "2.21" / "checkpoint-1.data-00000-of-00001", tmp_path)
    data = source.read_bytes()
    for size in range(0, len(data) - 1, len(data) // 40):
        path = tmp_path / name
        path.write_bytes(data[:size])
        assert reason(path)


def test_a_checkpoint_without_its_data_file_says_which_is_missing(tmp_path: Path) -> None:
    shutil.copy(ARTEFACTS / "2.3" / "saver.index", tmp_path)
    assert reason(tmp_path / "saver").startswith(
        "the data file saver.data-00000-of-00001 cannot be opened: No such file"
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


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"metadata__json": "{}"}, "has no config.json, so it is a ZIP archive but no Keras model"),
        ({"config__json": "{"}, "config.json is no JSON"),
        ({"config__json": b"\xff"}, "config.json in the archive is not UTF-8"),
        (
            {"config__json": json.dumps(COMPILED), "model__weights__h5": b"no HDF5"},
            "model.weights.h5 in the archive: it is no HDF5 file",
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


@pytest.mark.parametrize("name", ["nowhere.h5", "a\0b", "nowhere/saved_model"])
def test_what_is_not_there_is_unreadable(name: str, tmp_path: Path) -> None:
    assert "cannot be opened" in reason(f"{tmp_path}/{name}") or "file name" in reason(
        f"{tmp_path}/{name}"
    )


def test_a_folder_without_artefacts_says_what_is_missing(tmp_path: Path) -> None:
    assert "no saved_model.pb" in reason(tmp_path)


@pytest.mark.parametrize("class_name", [[], {}, 3, None])
def test_a_class_name_that_is_no_text_is_refused(class_name: Any, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(
        json.dumps({"optimizer": SGD, "loss_scale": {"class_name": class_name, "config": {}}})
    )
    assert "neither FixedLossScale nor DynamicLossScale" in reason(path)


@pytest.mark.parametrize("number", ["Infinity", "NaN", "1e999"])
def test_an_infinite_multiplier_is_valid_json_in_the_report(number: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(f'{{"initial_loss_scale": 8, "multiplier": {number}}}')
    json.dumps(as_json([verify_artefact(str(path))]), allow_nan=False)


def test_a_name_that_is_half_a_character_is_printed_escaped(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    inner = {**SGD, "config": {"\udce1\x1b[2J": 1}}
    path.write_text(json.dumps({"inner_optimizer": inner, "dynamic": True}))
    lines = list(text_of([verify_artefact(str(path))]))
    assert all(line.isprintable() for line in lines)
    assert any(r"\udce1\x1b[2J" in line for line in lines)


def test_a_number_of_too_many_digits_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text('{"initial_scale": ' + "9" * 100_000 + "}")
    assert "number too long" in reason(path) or "too large" in reason(path)


def test_what_is_printed_of_a_file_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[2J\n\u202eb") == r"a\x1b[2J\n\u202eb"
    assert len(printable("x" * 10_000)) == 600


# --- writing --------------------------------------------------------------------------------------


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
    with pytest.raises(ConversionError, match="is the input itself"):
        write_converted(read(source), Generation.TF24, str(output))
    assert source.read_bytes() == before


def test_nothing_is_written_into_a_saved_model_that_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "saved_model"
    shutil.copytree(ARTEFACTS / "2.3" / "saved_model", folder)
    for named in (folder, folder / "saved_model.pb"):
        with pytest.raises(ConversionError, match="is the input itself"):
            write_converted(read(named), Generation.TF24, str(folder / "config.json"))


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


def test_windows_into_a_file_end_where_they_should() -> None:
    from compat_lossscale.formats.hdf5 import Window

    window = Window(io.BytesIO(b"0123456789"), 2, 5)
    assert (window.read(3), window.tell(), window.read()) == (b"234", 3, b"56")
    assert (window.seek(-1, io.SEEK_END), window.read()) == (4, b"6")
    assert (window.seek(99), window.read()) == (99, b"")
