# SPDX-License-Identifier: Apache-2.0
"""`.keras` archives: ZIP files that TensorFlow 2.12 and later, tf-keras and Keras 3 write.

Reading the configs needs only the standard library. Reading the optimizer's state needs h5py.
"""

from __future__ import annotations

import dataclasses
import io
import zipfile
import zlib
from typing import IO, Any, BinaryIO, cast

from compat_lossscale.errors import MissingExtraError
from compat_lossscale.formats import automatic
from compat_lossscale.formats.artefact import (
    Artefact,
    LiveState,
    StatedConfig,
    UnreadableArtefactError,
    layout_of,
)
from compat_lossscale.formats.bounded import (
    MAX_JSON_BYTES,
    decode,
    open_regular,
    parse_json,
    read_start,
)
from compat_lossscale.formats.config import read_wrapper_config
from compat_lossscale.formats.finding import ConfigSearch
from compat_lossscale.formats.hdf5 import Description, Window, describe
from compat_lossscale.formats.optimizer_state import live_state, missing, wrapper_of
from compat_lossscale.spec import Generation

FORMAT = "Keras archive (.keras)"
SUFFIXES = (".keras",)
CONFIG, METADATA, WEIGHTS = "config.json", "metadata.json", "model.weights.h5"
MAX_ENTRIES = 100_000
"""The largest number of files in an archive. Keras writes three files, and assets."""
MAX_UNPACKED_BYTES = 256 * 2**20
"""The largest compressed weights that are unpacked. Keras does not compress them."""
MAX_DIRECTORY_BYTES = 8 * 2**20
"""The largest list of files."""
_LOCAL_HEADER = 30
_CHUNK = 2**20


def matches(path: str) -> bool:
    """Recognizes the first bytes."""
    try:
        return read_start(path, 4) in (b"PK\x03\x04", b"PK\x05\x06")
    except UnreadableArtefactError:
        return False


def read(path: str) -> Artefact:
    """Reads the configs and the optimizer's state from a `.keras` archive."""
    with open_regular(path) as file, open_archive(file) as archive:
        config = parse_json(read_text(archive, CONFIG), CONFIG)
        found = ConfigSearch().search(config, CONFIG)
        configs = tuple(found.configs)
        version = _version(archive)
        description: Description | None = None
        note: tuple[str, ...] = ()
        is_stated = bool(configs or found.lost)
        if is_stated or automatic.may_be_wrapped(config):
            description, note = _described(file, archive)
    if not is_stated or _is_wrapped_besides(configs, description):
        configs = automatic.find_config(config, CONFIG, version, description) or configs
    artefact = Artefact(
        path=path,
        format=FORMAT,
        layout=layout_of(configs),
        writer=f"Keras {version}" if version else None,
        configs=configs,
        missing=note,
        lost=tuple(found.lost),
    )
    if note or not (configs or found.lost):
        # Without h5py. The configs, which are most important, do not need it.
        return artefact
    state = LiveState(WEIGHTS) if description is None else live_state(description, WEIGHTS)
    return dataclasses.replace(
        artefact,
        states=() if state == LiveState(WEIGHTS) else (state,),
        missing=(*automatic.missing(configs), *missing(configs, state, description)),
    )


def _described(
    file: BinaryIO, archive: zipfile.ZipFile
) -> tuple[Description | None, tuple[str, ...]]:
    """Returns the content of the weights, `None` if there are none; and why they were not read."""
    if WEIGHTS not in archive.namelist():
        return None, ()
    try:
        return _describe_weights(file, archive), ()
    except UnreadableArtefactError as error:
        raise UnreadableArtefactError(f"{WEIGHTS} in the archive: {error}") from None
    except MissingExtraError as error:
        return None, (f"the optimizer's state, which was not read: {error}",)


def open_archive(file: BinaryIO) -> zipfile.ZipFile:
    """Opens a ZIP archive.

    Raises:
        UnreadableArtefactError: It is damaged, or has more than `MAX_ENTRIES` files.
    """
    try:
        archive = zipfile.ZipFile(cast("IO[bytes]", _Frugal(file)))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise UnreadableArtefactError(f"it is not a readable ZIP archive: {error}") from None
    if len(archive.infolist()) > MAX_ENTRIES:
        raise UnreadableArtefactError(f"it is an archive of more than {MAX_ENTRIES} files")
    return archive


class _Frugal:
    """A file that returns at most `MAX_DIRECTORY_BYTES` at once.

    `zipfile` reads the list of files at once, with the length that the archive states.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, size: int = -1) -> bytes:
        """Reads, or raises an error."""
        limit = MAX_DIRECTORY_BYTES
        data = self._file.read(size if 0 <= size <= limit else limit + 1)
        if len(data) > limit:
            raise UnreadableArtefactError(
                f"it is an archive whose list of files exceeds {limit // 2**20} MB"
            )
        return data


def open_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    """Opens a file in an archive.

    Raises:
        UnreadableArtefactError: It has a compression that `zipfile` can only unpack at once.
    """
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableArtefactError("it is compressed in a way that Keras does not use")
    return archive.open(entry)


def read_text(archive: zipfile.ZipFile, name: str) -> str:
    """Reads a text file from an archive, at most `MAX_JSON_BYTES`.

    Raises:
        UnreadableArtefactError: It is missing, damaged, encrypted, larger, or not UTF-8.
    """
    try:
        entry = archive.getinfo(name)
    except KeyError:
        raise UnreadableArtefactError(
            f"it has no {name}, so it is a ZIP archive but not a Keras model"
        ) from None
    data = io.BytesIO()
    try:
        with open_entry(archive, entry) as packed:
            _copy(packed, data, MAX_JSON_BYTES + 1)
    except (UnreadableArtefactError, *_DAMAGED) as error:
        raise UnreadableArtefactError(f"{name} in the archive cannot be read: {error}") from None
    return decode(data.getvalue(), f"{name} in the archive")


def _copy(source: IO[bytes], target: IO[bytes], limit: int) -> None:
    """Copies in small parts, until the limit is reached or exceeded."""
    while limit > 0 and (chunk := source.read(_CHUNK)):
        target.write(chunk)
        limit -= len(chunk)


# The errors of zipfile for damage, encryption and unknown compression.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    OverflowError,
)


def _version(archive: zipfile.ZipFile) -> str | None:
    if METADATA not in archive.namelist():
        return None
    metadata = parse_json(read_text(archive, METADATA), METADATA)
    version = metadata.get("keras_version") if isinstance(metadata, dict) else None
    return version if isinstance(version, str) else None


def _is_wrapped_besides(configs: tuple[StatedConfig, ...], description: Description | None) -> bool:
    """Whether Keras 3 has wrapped an optimizer that has a `loss_scale_factor` already."""
    if not configs or description is None or wrapper_of(description) is not Generation.KERAS3:
        return False
    return all(not read_wrapper_config(stated.config).is_wrapper for stated in configs)


def _describe_weights(file: BinaryIO, archive: zipfile.ZipFile) -> Description:
    info = archive.getinfo(WEIGHTS)
    if info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & 1:
        file.seek(info.header_offset)
        header = file.read(_LOCAL_HEADER)
        if len(header) < _LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
            raise UnreadableArtefactError("its header is damaged")
        names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        start = info.header_offset + _LOCAL_HEADER + names
        return describe(Window(file, start, info.file_size))
    unpacked = io.BytesIO()
    try:
        with open_entry(archive, info) as packed:
            _copy(packed, unpacked, MAX_UNPACKED_BYTES + 1)
    except _DAMAGED as error:
        raise UnreadableArtefactError(str(error)) from None
    if unpacked.tell() > MAX_UNPACKED_BYTES:
        raise UnreadableArtefactError(
            f"it is compressed and larger than {MAX_UNPACKED_BYTES // 2**20} MB"
        )
    return describe(unpacked)


def read_config(path: str) -> Any:
    """Reads a model's config from a `.keras` archive."""
    with open_regular(path) as file, open_archive(file) as archive:
        return parse_json(read_text(archive, CONFIG), CONFIG)
