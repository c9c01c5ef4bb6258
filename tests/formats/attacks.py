# SPDX-License-Identifier: Apache-2.0
"""Artefacts that somebody made to harm whoever verifies them, one function each.

An attack writes an artefact into a folder and returns its path. `says` is what the verifier must
say about it, a regular expression: why it is refused; or "" if it is read, without harm.
"""

from __future__ import annotations

import bz2
import dataclasses
import io
import json
import lzma
import os
import pickle
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from compat_lossscale.formats.tensor_bundle import _MAGIC, _masked_crc
from tests.formats.samples import ARTEFACTS, SGD

CONFIG = {"inner_optimizer": SGD, "dynamic": True, "initial_scale": 8.0}
COMPILED = {"compile_config": {"optimizer": {"class_name": "LossScaleOptimizer", "config": CONFIG}}}
CANARY = "executed"
"""The file that a payload makes if it is executed."""
BOMB = f"open({CANARY!r}, 'w').close()"
MB = 2**20
CONTAINED = "more than .* to read|too much in it"
"""What is said of an artefact that needs more memory or time than the reading process has; one that
needs less is read, without harm."""


@dataclasses.dataclass(frozen=True)
class Attack:
    """A hostile artefact.

    Attributes:
        aims_at: What it tries: "code", "paths", "memory and time".
        make: Writes it into a folder and returns its path.
        says: A regular expression for the reason of the refusal; empty if it is to be read;
            `CONTAINED` if it depends on the limits of memory and time.
    """

    aims_at: str
    make: Callable[[Path], Path]
    says: str


ATTACKS: dict[str, Attack] = {}


def attack(
    aims_at: str, says: str = ""
) -> Callable[[Callable[[Path], Path]], Callable[[Path], Path]]:
    """Lists a function as an attack."""

    def listed(make: Callable[[Path], Path]) -> Callable[[Path], Path]:
        ATTACKS[make.__name__.replace("_", " ")] = Attack(aims_at, make, says)
        return make

    return listed


# --- writing the formats --------------------------------------------------------------------------


def write_json(folder: Path, tree: Any) -> Path:
    return write(folder / "config.json", json.dumps(tree).encode())


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def write_archive(folder: Path, files: dict[str, str | bytes], packing: int = 0) -> Path:
    path = folder / "model.keras"
    with zipfile.ZipFile(path, "w", packing) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return path


def open_model(folder: Path, training: Any = None) -> Any:
    """An open HDF5 model with an empty group for the optimizer's state."""
    file = h5py.File(folder / "model.h5", "w")
    optimizer = {"class_name": "LossScaleOptimizer", "config": CONFIG}
    file.attrs["training_config"] = json.dumps(training or {"optimizer_config": optimizer})
    file.create_group("optimizer_weights")
    return file


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number: int, content: bytes) -> bytes:
    """A protocol buffers field of bytes."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def block(entries: bytes) -> bytes:
    """A block of a table file with its trailer."""
    stored = entries + struct.pack("<LL", 0, 1) + b"\0"
    return stored + struct.pack("<L", _masked_crc(stored))


def record(key: bytes, value: bytes, shared: int = 0) -> bytes:
    return varint(shared) + varint(len(key)) + varint(len(value)) + key + value


def handle(offset: int, size: int) -> bytes:
    return varint(offset) + varint(size)


def write_index(folder: Path, *blocks: bytes, handles: list[bytes] | None = None) -> Path:
    """A checkpoint's table of contents: blocks of records, and where they are."""
    data, places = b"", []
    for entries in blocks:
        stored = block(entries)
        places.append(handle(len(data), len(stored) - 5))
        data += stored
    index = block(b"".join(record(b"x", place) for place in handles or places))
    footer = handle(0, 0) + handle(len(data), len(index) - 5)
    return write(folder / "checkpoint.index", data + index + footer.ljust(40, b"\0") + _MAGIC)


def entry(dtype: int = 1, shard: int = 0, offset: int = 0, size: int = 4) -> bytes:
    """The entry of a scalar in a checkpoint's table."""
    numbers = {1: dtype, 3: shard, 4: offset, 5: size}
    return b"".join(varint(number << 3) + varint(value) for number, value in numbers.items())


def copy_artefact(folder: Path, version: str, name: str) -> Path:
    source = ARTEFACTS / version / name
    if source.is_dir():
        return Path(shutil.copytree(source, folder / name))
    for part in source.parent.glob(f"{name}.*[0x]*"):
        if not part.name.endswith(".json"):
            shutil.copy(part, folder)
    return folder / name


# --- code -----------------------------------------------------------------------------------------


class Payload:
    """What a pickle runs when it is loaded."""

    def __reduce__(self) -> Any:
        return exec, (BOMB,)


NAMED = {
    "a Lambda layer": {"class_name": "Lambda", "config": {"function": BOMB}},
    "a marshalled Lambda": {
        "class_name": "Lambda",
        "config": {"function": ["4wEAAAAAAAAAAAAAAAAAAAA=", None, None], "function_type": "lambda"},
    },
    "Keras 3's lambda": {"class_name": "__lambda__", "config": {"value": BOMB}},
    "a class of a planted module": {
        "module": "evil",
        "class_name": "Evil",
        "config": {},
        "registered_name": "evil>Evil",
    },
    "a function of os": {
        "module": "os",
        "class_name": "system",
        "registered_name": None,
        "config": {"command": f"touch {CANARY}"},
    },
    "a function by its path": {"module": "builtins", "class_name": "function", "config": "exec"},
}


def _inside(payload: Any) -> dict[str, Any]:
    """Configs that state a loss scale, with a payload in each place that loaders look at."""
    config = {**CONFIG, "inner_optimizer": payload, "hook": payload}
    return {
        **payload,
        "layers": [payload],
        "optimizer_config": {"class_name": "LossScaleOptimizer", "config": config},
        "custom_objects": {"Evil": payload},
    }


def _add_payloads() -> None:
    def as_json(tree: Any) -> Callable[[Path], Path]:
        return lambda folder: write_json(folder, tree)

    def as_h5(tree: Any) -> Callable[[Path], Path]:
        def make(folder: Path) -> Path:
            with open_model(folder, tree) as file:
                file.attrs["model_config"] = json.dumps(tree)
            return folder / "model.h5"

        return make

    def as_archive(tree: Any) -> Callable[[Path], Path]:
        files: dict[str, str | bytes] = {"config.json": json.dumps(tree), "metadata.json": "{}"}
        return lambda folder: write_archive(folder, files)

    def as_saved_model(tree: Any) -> Callable[[Path], Path]:
        def make(folder: Path) -> Path:
            node = field(4, field(3, json.dumps({**tree, "loss_scale": None}).encode()))
            graph = field(2, field(7, field(1, node)))
            return write(folder / "saved_model.pb", graph).parent

        return make

    for name, payload in NAMED.items():
        tree = _inside(payload)
        says = "must be a dictionary" if isinstance(payload["config"], str) else ""
        for form, make in {
            "a JSON config": as_json(tree),
            "an .h5 model": as_h5(tree),
            "a .keras archive": as_archive(tree),
            "a SavedModel": as_saved_model(tree),
        }.items():
            ATTACKS[f"{name} in {form}"] = Attack("code", make, says)


_add_payloads()


@attack("code", "not one of the artefacts that can be read")
def a_pickle_named_keras(folder: Path) -> Path:
    return write(folder / "model.keras", pickle.dumps(Payload()))


@attack("code", "not a readable HDF5 file")
def a_pickle_named_h5(folder: Path) -> Path:
    return write(folder / "model.h5", pickle.dumps(Payload()))


@attack("code", "is not JSON")
def a_pickle_named_json(folder: Path) -> Path:
    return write(folder / "model.json", pickle.dumps(Payload(), 0))


@attack("code", "not one of the artefacts that can be read")
def an_array_of_pickles(folder: Path) -> Path:
    array = np.empty(1, object)
    array[0] = Payload()
    np.save(folder / "array.npy", array, allow_pickle=True)
    return folder / "array.npy"


@attack("code", "has no config.json")
def an_archive_of_arrays_of_pickles(folder: Path) -> Path:
    array = np.empty(1, object)
    array[0] = Payload()
    np.savez(folder / "arrays.npz", array)
    return folder / "arrays.npz"


@attack("code")
def an_archive_with_pickles_and_modules_beside_the_config(folder: Path) -> Path:
    files: dict[str, str | bytes] = {
        "config.json": json.dumps(COMPILED),
        **dict.fromkeys(("data.pkl", "archive/data.pkl", "weights.npy"), pickle.dumps(Payload())),
        **dict.fromkeys(("__init__.py", "h5py.py", "sitecustomize.py", "conftest.py"), BOMB),
    }
    return write_archive(folder, files)


@attack("code", "not one of the artefacts that can be read")
def a_tag_in_yaml(folder: Path) -> Path:
    text = f"!!python/object/apply:builtins.exec\nargs: [{json.dumps(BOMB)}]\n"
    return write(folder / "model.yaml", text.encode())


@attack("code", "is not JSON")
def a_tag_in_yaml_named_json(folder: Path) -> Path:
    text = f"!!python/object/apply:builtins.exec [{json.dumps(BOMB)}]\n"
    return write(folder / "model.json", text.encode())


@attack("code", "HDF5 file: UnicodeDecodeError")
def pickles_in_attributes_and_datasets(folder: Path) -> Path:
    data = pickle.dumps(Payload())
    with open_model(folder) as file:
        file.attrs["model_config"] = np.void(data)
        file.attrs["keras_version"] = np.bytes_(data.replace(b"\0", b"0"))
        file.attrs["backend"] = np.frombuffer(data, "u1")
        file["optimizer_weights/iter:0"] = np.void(data)
        file["optimizer_weights/good_steps"] = np.bytes_(data)
    return folder / "model.h5"


@attack("code", "HDF5 file: ValueError: format number 1")
def a_type_whose_name_is_code(folder: Path) -> Path:
    # h5py makes a numpy type of the text after "NUMPY:".
    with open_model(folder) as file:
        opaque = h5py.h5t.create(h5py.h5t.OPAQUE, 8)
        opaque.set_tag(f"NUMPY:{BOMB}".encode())
        space = h5py.h5s.create(h5py.h5s.SCALAR)
        h5py.h5d.create(file["optimizer_weights"].id, b"iter:0", opaque, space)
    return folder / "model.h5"


@attack("code")
def operations_that_run_code_in_a_graph(folder: Path) -> Path:
    # meta_graph.graph_def.node: op PyFunc, and a file that is written.
    node = field(1, b"f") + field(2, b"PyFunc") + field(5, field(1, b"token"))
    wrote = field(1, b"g") + field(2, b"WriteFile")
    graph = field(2, field(2, field(1, node) + field(1, wrote)))
    return write(folder / "saved_model.pb", graph).parent


@attack("code")
def modules_beside_an_artefact(folder: Path) -> Path:
    for name in ("h5py", "numpy", "json", "sitecustomize", "usercustomize", "conftest", "click"):
        write(folder / f"{name}.py", BOMB.encode())
    with open_model(folder):
        return folder / "model.h5"


# --- paths ----------------------------------------------------------------------------------------


@attack("paths")
def files_of_an_archive_with_paths_outside(folder: Path) -> Path:
    names = ("../outside", "/tmp/outside", "..\\outside", "assets/../../outside", "C:\\outside")
    files: dict[str, str | bytes] = {"config.json": json.dumps(COMPILED)}
    return write_archive(folder, {**files, **dict.fromkeys(names, b"x")})


@attack("paths", "config.json in the archive is not JSON")
def a_config_in_an_archive_that_is_a_link(folder: Path) -> Path:
    path = folder / "model.keras"
    link = zipfile.ZipInfo("config.json")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as target:
        target.writestr(link, "../secret.json")
    return path


@attack("paths", "is a link out of")
def a_graph_that_is_a_link(folder: Path) -> Path:
    (folder / "model").mkdir()
    copy_artefact(folder, "2.3", "saved_model")
    (folder / "model" / "saved_model.pb").symlink_to(folder / "saved_model" / "saved_model.pb")
    return folder / "model"


@attack("paths", "is a link out of")
def metadata_that_is_a_link(folder: Path) -> Path:
    model = copy_artefact(folder, "2.21", "saved_model")
    (model / "keras_metadata.pb").replace(folder / "secret")
    (model / "keras_metadata.pb").symlink_to(folder / "secret")
    return model


@attack("paths", "is a link out of")
def variables_in_a_folder_that_is_a_link(folder: Path) -> Path:
    model = copy_artefact(folder, "2.3", "saved_model")
    (model / "variables").replace(folder / "secret")
    (model / "variables").symlink_to(folder / "secret")
    return model


@attack("paths", "is a link out of")
def a_shard_that_is_a_link(folder: Path) -> Path:
    (folder / "inside").mkdir()
    prefix = copy_artefact(folder / "inside", "2.3", "saver")
    shard = prefix.with_name("saver.data-00000-of-00001")
    shard.replace(folder / "secret")
    shard.symlink_to(folder / "secret")
    return prefix


@attack("paths", "cannot be read: No such file")
def a_shard_of_an_absurd_number(folder: Path) -> Path:
    return write_index(folder, record(b"current_loss_scale", entry(shard=2**64 - 1)))


@attack("paths", "is too short")
def a_place_beyond_all_files(folder: Path) -> Path:
    write(folder / "checkpoint.data-00000-of-00001", b"1234")
    return write_index(folder, record(b"current_loss_scale", entry(offset=2**64 - 1)))


@attack("paths", "not one of the artefacts that can be read")
def a_checkpoint_file_that_names_another(folder: Path) -> Path:
    text = 'model_checkpoint_path: "../../../../etc/passwd"\n'
    return write(folder / "checkpoint", text.encode())


@attack("paths")
def names_of_variables_that_are_paths(folder: Path) -> Path:
    keys = (b"../../../etc/passwd", b"/etc/passwd", b"a/current_loss_scale\0../x")
    return write_index(folder, b"".join(record(key, entry()) for key in sorted(keys)))


@attack("paths")
def links_from_one_hdf5_file_to_another(folder: Path) -> Path:
    # Whoever opens a pipe that nobody writes into waits for ever.
    os.mkfifo(folder / "pipe.h5")
    with open_model(folder) as file:
        group = file["optimizer_weights"]
        for name in ("iter:0", "good_steps", "current_loss_scale"):
            group[name] = h5py.ExternalLink(str(folder / "pipe.h5"), "/x")
        file["optimizer"] = h5py.ExternalLink(str(folder / "pipe.h5"), "/")
    return folder / "model.h5"


@attack("paths")
def data_of_an_hdf5_file_in_other_files(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    with open_model(folder) as file:
        group = file["optimizer_weights"]
        group.create_dataset("iter:0", (1,), "i8", external=[(str(folder / "pipe"), 0, 8)])
        layout = h5py.VirtualLayout((), "i8")
        layout[()] = h5py.VirtualSource(str(folder / "pipe"), "x", ())
        group.create_virtual_dataset("good_steps", layout)
    return folder / "model.h5"


@attack("paths", "no regular file")
def a_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "model.h5")
    return folder / "model.h5"


@attack("paths", "no regular file")
def a_link_to_a_device(folder: Path) -> Path:
    (folder / "config.json").symlink_to("/dev/zero")
    return folder / "config.json"


@attack("paths", "no regular file")
def a_graph_that_is_a_pipe(folder: Path) -> Path:
    model = copy_artefact(folder, "2.21", "saved_model")
    (model / "keras_metadata.pb").unlink()
    os.mkfifo(model / "keras_metadata.pb")
    return model


# --- memory and time ------------------------------------------------------------------------------


@attack("memory and time", "is not JSON")
def a_flat_zip_bomb(folder: Path) -> Path:
    path = folder / "model.keras"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target,
        target.open("config.json", "w", force_zip64=True) as file,
    ):
        for _ in range(200):
            file.write(bytes(MB))
    return path


@attack("memory and time", "the attempt to read it failed")
def a_zip_bomb_in_bzip2(folder: Path) -> Path:
    return _strange_bomb(folder, zipfile.ZIP_BZIP2, bz2.compress(b" " * (64 * MB), 1))


@attack("memory and time", "the attempt to read it failed")
def a_zip_bomb_in_lzma(folder: Path) -> Path:
    # ZIP's LZMA data begin with a version and the five bytes of properties.
    filters = [{"id": lzma.FILTER_LZMA1, "preset": 0, "dict_size": 2**16}]
    packed = lzma.compress(b" " * (64 * MB), lzma.FORMAT_RAW, filters=filters)
    properties = b"\x09\x04\x05\x00" + bytes([0x5D]) + struct.pack("<L", 2**16)
    return _strange_bomb(folder, zipfile.ZIP_LZMA, properties + packed)


@attack("memory and time", "the attempt to read it failed")
def weights_that_are_a_zip_bomb_in_bzip2(folder: Path) -> Path:
    packed = bz2.compress(bytes(64 * MB), 1)
    return _strange_bomb(folder, zipfile.ZIP_BZIP2, packed, "model.weights.h5")


def _strange_bomb(folder: Path, packing: int, packed: bytes, name: str = "config.json") -> Path:
    path = folder / "model.keras"
    with zipfile.ZipFile(path, "w") as target:
        if name != "config.json":
            target.writestr("config.json", json.dumps(COMPILED))
        target.writestr(name, packed)
        info = target.getinfo(name)
        place = info.header_offset
        info.compress_type, info.file_size = packing, 2**31
    data = bytearray(path.read_bytes())
    struct.pack_into("<H", data, place + 8, packing)
    return write(path, bytes(data))


@attack("memory and time", "not a readable HDF5 file")
def weights_that_are_a_zip_bomb(folder: Path) -> Path:
    path = folder / "model.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("config.json", json.dumps(COMPILED))
        with target.open("model.weights.h5", "w") as file:
            for _ in range(257):
                file.write(bytes(MB))
    return path


@attack("memory and time")
def a_nested_zip_bomb(folder: Path) -> Path:
    data = bytes(16 * MB)
    for level in range(6):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
            for number in range(16 if level else 1):
                target.writestr(f"{number}.zip", data)
        data = packed.getvalue()
    return write_archive(folder, {"config.json": json.dumps(COMPILED), "assets/bomb.zip": data})


@attack("memory and time", "is not JSON|the attempt to read it failed")
def a_zip_bomb_of_overlapping_files(folder: Path) -> Path:
    """Thirty thousand files that share their bytes, each quoting the next one's header."""
    path = folder / "model.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("config.json", bytes(64 * MB))
        info = target.getinfo("config.json")
        for number in range(30_000):
            other = zipfile.ZipInfo(f"{number:05d}")
            for name in ("header_offset", "compress_size", "file_size", "CRC", "compress_type"):
                setattr(other, name, getattr(info, name))
            target.filelist.append(other)
    return path


@attack("memory and time", "has no config.json")
def an_archive_of_half_a_million_files(folder: Path) -> Path:
    path = folder / "model.keras"
    count = 500_000
    central = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 0, *(0,) * 3, 1, *(0,) * 6)
    with path.open("wb") as file:
        file.write(b"PK\x03\x04".ljust(30, b"\0"))
        for _ in range(count):
            file.write(central + b"x")
        end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, 47 * count, 30, 0)
        file.write(end)
    return path


@attack("memory and time", CONTAINED)
def a_list_of_files_whose_record_is_far_away(folder: Path) -> Path:
    path = folder / "model.keras"
    size, extra = 2**33, 2**20
    with path.open("wb") as file:
        file.write(b"PK\x03\x04")
        file.seek(size)
        # The 64-bit record with a megabyte of extra data.
        file.write(struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44 + extra, 45, 45, 0, 0, 9, 9, size, 0))
        file.seek(size + 56 + extra)
        file.write(struct.pack("<4sLQL", b"PK\6\7", 0, size, 1))
        file.write(struct.pack("<4s4H2LH", b"PK\5\6", *([0xFFFF] * 4), *([0xFFFFFFFF] * 2), 0))
    return path


@attack("memory and time", CONTAINED)
def millions_of_empty_lists(folder: Path) -> Path:
    return write(folder / "config.json", b"[" + b"[]," * (10 * MB) + b"[]]")


@attack("memory and time", CONTAINED)
def millions_of_objects_in_an_archive(folder: Path) -> Path:
    text = '{"a":[' + '{"":0},' * (4 * MB) + "0]}"
    return write_archive(folder, {"config.json": text}, zipfile.ZIP_DEFLATED)


@attack("memory and time", "nested")
def nesting_of_a_million(folder: Path) -> Path:
    return write(folder / "config.json", b"[" * 10**6 + b"]" * 10**6)


@attack("memory and time", "integer string conversion")
def a_number_of_thirty_million_digits(folder: Path) -> Path:
    return write(folder / "config.json", b'{"initial_scale":' + b"9" * (30 * MB) + b"}")


@attack("memory and time", CONTAINED)
def a_key_of_thirty_megabytes(folder: Path) -> Path:
    inner = {**SGD, "config": {"k" * (30 * MB): 1}}
    return write_json(folder, {**CONFIG, "inner_optimizer": inner})


@attack("memory and time", CONTAINED)
def a_thousand_configs_of_thirty_kilobytes(folder: Path) -> Path:
    settings = {str(number): number for number in range(1000)}
    return write_json(folder, [{**CONFIG, "inner_optimizer": {**SGD, "config": settings}}] * 1000)


@attack("memory and time", CONTAINED)
def a_million_configs(folder: Path) -> Path:
    return write(folder / "c.json", b"[" + b'{"loss_scale_value":8},' * MB + b"0]")


@attack("memory and time", CONTAINED)
def a_graph_of_a_hundred_million_fields(folder: Path) -> Path:
    return write(folder / "saved_model.pb", b"\x08\x01" * (100 * MB)).parent


@attack("memory and time", "a length in it is wrong")
def a_message_that_claims_to_be_huge(folder: Path) -> Path:
    return write(folder / "saved_model.pb", b"\x12" + varint(2**60)).parent


@attack("memory and time", CONTAINED)
def a_hundred_thousand_different_configs_in_a_graph(folder: Path) -> Path:
    config = '{{"inner_optimizer":{{"class_name":"SGD","config":{{"x":{}}}}},"dynamic":true}}'
    nodes = (field(1, field(5, config.format(n).encode())) for n in range(100_000))
    write(folder / "keras_metadata.pb", b"".join(nodes))
    return write(folder / "saved_model.pb", b"\x08\x01").parent


@attack("memory and time", CONTAINED)
def gigabytes_of_metadata_that_take_no_disk(folder: Path) -> Path:
    size = 31 * MB
    with (folder / "keras_metadata.pb").open("wb") as file:
        for _ in range(100):
            head = field(5, b"")[:1] + varint(size)
            file.write(b"\x0a" + varint(len(head) + size) + head + b"loss_scale")
            file.seek(size - 10, 1)
        file.truncate(file.tell())
    write(folder / "saved_model.pb", b"\x08\x01")
    return folder


@attack("memory and time", CONTAINED)
def a_version_of_gigabytes(folder: Path) -> Path:
    size = 3 * 2**30
    version = varint(5 << 3 | 2) + varint(size)
    info = varint(1 << 3 | 2) + varint(len(version) + size) + version
    with (folder / "saved_model.pb").open("wb") as file:
        file.write(varint(2 << 3 | 2) + varint(len(info) + size) + info)
        file.truncate(file.tell() + size)
    return folder


@attack("memory and time", CONTAINED)
def an_index_whose_names_grow(folder: Path) -> Path:
    """Each name is the one before and a character more: gigabytes out of megabytes."""
    first = record(b"a" * (4 * MB), entry())
    others = (record(b"b", entry(), shared=4 * MB + n) for n in range(20_000))
    return write_index(folder, first + b"".join(others))


@attack("memory and time", "overlap")
def an_index_that_lists_one_block_a_million_times(folder: Path) -> Path:
    entries = b"".join(record(b"%06d" % n, entry()) for n in range(10_000))
    return write_index(folder, entries, handles=[handle(0, len(entries) + 8)] * 100_000)


@attack("memory and time", CONTAINED)
def an_index_of_millions_of_fields(folder: Path) -> Path:
    return write_index(folder, record(b"a", b"\x08\x01" * (4 * MB)))


@attack("memory and time", CONTAINED)
def an_index_of_gigabytes(folder: Path) -> Path:
    path = write_index(folder, record(b"a", entry()))
    with path.open("rb+") as file:
        footer = file.read()[-48:]
        file.truncate(2**33)
        file.seek(0, 2)
        file.write(footer)
    return path


@attack("memory and time", "lies outside")
def a_block_of_an_absurd_size(folder: Path) -> Path:
    entries = record(b"a", entry())
    return write_index(folder, entries, handles=[handle(2**63, 2**63 - 1)])


@attack("memory and time", "wrong size")
def a_scalar_of_exabytes(folder: Path) -> Path:
    return write_index(folder, record(b"current_loss_scale", entry(size=2**60)))


@attack("memory and time")
def datasets_of_exabytes(folder: Path) -> Path:
    with open_model(folder) as file:
        group = file["optimizer_weights"]
        for name in ("iter:0", "good_steps"):
            group.create_dataset(name, (2**60,), "i1", chunks=(2**20,))
        file["optimizer"] = h5py.Empty("f4")
        group.create_dataset("current_loss_scale", (2**20, 2**20, 2**18), "f4", chunks=(1, 1, 99))
    return folder / "model.h5"


@attack("memory and time", CONTAINED)
def an_attribute_of_gigabytes_in_parts(folder: Path) -> Path:
    """Text of variable length, whose own size is that of a pointer."""
    with open_model(folder) as file:
        file.attrs["training_config"] = "[" + " " * (100 * MB) + "]"
    return folder / "model.h5"


@attack("memory and time")
def an_attribute_that_repeats_one_text(folder: Path) -> Path:
    with open_model(folder) as file:
        kind = h5py.string_dtype()
        file.attrs.create("model_config", ["x" * (8 * MB)] * 100, dtype=kind)
    return folder / "model.h5"


@attack("memory and time", CONTAINED)
def a_hundred_thousand_long_names_in_nested_groups(folder: Path) -> Path:
    with open_model(folder) as file:
        group = file["optimizer_weights"]
        for _ in range(25):
            group = group.create_group("g" * 50_000)
        first = group.create_dataset("0" * 1000, data=1.5)
        for number in range(1, 3000):
            group[f"{number:01000d}"] = first
    return folder / "model.h5"


@attack("memory and time")
def groups_that_contain_each_other(folder: Path) -> Path:
    with open_model(folder) as file:
        groups = [file.create_group(f"optimizer_weights/{n}") for n in range(30)]
        for group in groups:
            for number, other in enumerate(groups):
                group[f"to {number}"] = other
    return folder / "model.h5"


# --- values ---------------------------------------------------------------------------------------


@attack("memory and time", "not a number of steps")
def counters_that_are_infinite_in_hdf5(folder: Path) -> Path:
    with open_model(folder) as file:
        file["optimizer_weights/good_steps"] = np.float32("inf")
        file["optimizer_weights/iter:0"] = np.float32("nan")
        file["optimizer_weights/current_loss_scale"] = np.longdouble("1e4000")
    return folder / "model.h5"


@attack("memory and time", "not a number of steps")
def counters_that_are_infinite_in_a_checkpoint(folder: Path) -> Path:
    values = struct.pack("<ff", 8.0, float("inf"))
    write(folder / "checkpoint.data-00000-of-00001", values)

    def checked(offset: int) -> bytes:
        crc = _masked_crc(values[offset : offset + 4])
        return entry(offset=offset) + varint(6 << 3 | 5) + struct.pack("<L", crc)

    return write_index(
        folder, record(b"current_loss_scale", checked(0)) + record(b"good_steps", checked(4))
    )
