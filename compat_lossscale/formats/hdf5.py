# SPDX-License-Identifier: Apache-2.0
"""Reads HDF5 files, which Keras writes as `.h5` and inside of `.keras`.

Only attributes, names and scalars are read, so the size of a file does not matter. Links to other
files, data in other files, and filters are never followed or run. A damaged file can crash the HDF5
library, so this module is used in a separate process only: see `isolated`.
"""

from __future__ import annotations

import importlib
import io
import json
from collections.abc import Iterator
from typing import Any, BinaryIO, TypedDict

from compat_lossscale.errors import MissingExtraError, UnreadableArtefactError

MAX_NAMES = 100_000
"""The largest number of names that are read. A thousand layers have some ten thousand."""
MAX_DEPTH = 30
"""The deepest group that is read."""
MAX_ATTRIBUTE_BYTES = 32 * 2**20
"""The largest attribute that is read, and the largest size of all attributes together."""
MAX_PATH_BYTES = 32 * 2**20
"""The largest length of all paths together. A path repeats the names of its groups."""


_TOO_LARGE = f"the attribute {{}} is larger than {MAX_ATTRIBUTE_BYTES // 2**20} MB"
_LARGEST_NUMBER = 8
"""In bytes. Keras does not write larger ones, which JSON cannot express."""


class Description(TypedDict):
    """The content of one file.

    `attributes` are the text attributes of the root. `scalars` are the numbers below `optimizer`
    groups by their path, `arrays` are the paths of arrays there, and `unread` the paths of scalars
    that are not plain numbers.
    """

    attributes: dict[str, str]
    scalars: dict[str, float | int]
    arrays: list[str]
    unread: list[str]
    truncated: bool


class Window(io.RawIOBase):
    """Part of a file, as a file: a file that a ZIP archive stores uncompressed.

    Args:
        file: The file.
        start: The offset of the part, in bytes.
        size: The size of the part, in bytes.
    """

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file, self._start, self._size, self._position = file, start, size, 0

    def readable(self) -> bool:
        """Returns that it can be read."""
        return True

    def seekable(self) -> bool:
        """Returns that it can seek."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Moves to an offset in the part."""
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = max(0, origin + offset)
        return self._position

    def tell(self) -> int:
        """Returns the offset."""
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Reads into a buffer, up to the end of the part."""
        view = memoryview(buffer).cast("B")
        wanted = min(len(view), max(0, self._size - self._position))
        self._file.seek(self._start + self._position)
        data = self._file.read(wanted)
        view[: len(data)] = data
        self._position += len(data)
        return len(data)


def describe(file: str | BinaryIO | Window) -> Description:
    """Reads everything about loss scaling from an HDF5 file.

    Args:
        file: Its path, or an open file.

    Returns:
        The description, which consists of JSON values only.

    Raises:
        UnreadableArtefactError: It is not an HDF5 file, or is damaged.
        MissingExtraError: h5py is not installed.
    """
    h5py = _h5py()
    try:
        return _described(h5py, file)
    except MemoryError:
        raise
    except Exception as error:
        # h5py raises many kinds of errors for damaged files.
        reason = f"{type(error).__name__}: {error}"
        raise UnreadableArtefactError(f"it is not a readable HDF5 file: {reason}") from None


def _described(h5py: Any, file: str | BinaryIO | Window) -> Description:
    with h5py.File(file, "r") as opened:
        attributes: dict[str, str] = {}
        for name in ("keras_version", "backend", "training_config", "model_config"):
            text = _text_attribute(opened, name)
            if text is not None:
                attributes[name] = text
                if sum(map(len, attributes.values())) > MAX_ATTRIBUTE_BYTES:
                    raise OSError(_TOO_LARGE.format(name))
        description: Description = {
            "attributes": attributes,
            "scalars": {},
            "arrays": [],
            "unread": [],
            "truncated": False,
        }
        for name in ("optimizer_weights", "optimizer", "_optimizer"):
            group = _own_child(opened, name)
            if isinstance(group, h5py.Group):
                _describe_group(group, name, description)
        return description


def _h5py() -> Any:
    # Untyped, and only the separate process needs it.
    try:
        return importlib.import_module("h5py")
    except ImportError:
        raise MissingExtraError("reading HDF5 files needs h5py: pip install h5py") from None


def _describe_group(group: Any, path: str, description: Description) -> None:
    h5py = _h5py()
    length = 0
    for number, (child_path, child) in enumerate(_walk(group, path, set()), 1):
        length += len(child_path)
        if number == MAX_NAMES or length > MAX_PATH_BYTES:
            description["truncated"] = True
            return
        if isinstance(child, h5py.Dataset):
            if child.ndim > 0:
                description["arrays"].append(child_path)
            elif _is_plain_number(child):
                description["scalars"][child_path] = child[()].item()
            else:
                description["unread"].append(child_path)


def _walk(group: Any, path: str, seen: set[int], depth: int = 0) -> Iterator[tuple[str, Any]]:
    h5py = _h5py()
    place = h5py.h5o.get_info(group.id).addr
    if place in seen or depth > MAX_DEPTH:
        return
    # A group can contain itself.
    seen.add(place)
    for name in group:
        child = _own_child(group, name)
        if child is None:
            continue
        child_path = f"{path}/{name}"
        yield child_path, child
        if isinstance(child, h5py.Group):
            yield from _walk(child, child_path, seen, depth + 1)


def _own_child(group: Any, name: str) -> Any:
    """Returns a group's child, unless it is a link, for example to another file."""
    h5py = _h5py()
    if name not in group or not isinstance(group.get(name, getlink=True), h5py.HardLink):
        return None
    return group[name]


def _is_plain_number(dataset: Any) -> bool:
    """Whether a dataset is one number that is stored in the file without a filter."""
    return (
        dataset.shape == ()
        and dataset.dtype.kind in "iuf"
        and dataset.dtype.itemsize <= _LARGEST_NUMBER
        and dataset.chunks is None
        and not dataset.external
        and not dataset.is_virtual
    )


def _text_attribute(holder: Any, name: str) -> str | None:
    if name not in holder.attrs:
        return None
    attribute = holder.attrs.get_id(name)
    if attribute.get_storage_size() > MAX_ATTRIBUTE_BYTES:
        raise OSError(_TOO_LARGE.format(name))
    if attribute.shape != ():
        return None
    value = holder.attrs[name]
    if isinstance(value, bytes):
        return value.decode("utf-8")
    # A numpy string, or an array of something other than text.
    return str(value) if isinstance(value, str) else None


def replace_config(path: str, keys: list[str | int], config: dict[str, Any]) -> None:
    """Writes another config into the `training_config` of a file, which is changed in place.

    Args:
        path: The file, a copy: an error may leave it half-written.
        keys: The keys that lead to the config.
        config: The new config.
    """
    with _h5py().File(path, "r+") as opened:
        training = json.loads(opened.attrs["training_config"])
        holder = training
        for key in keys[:-1]:
            holder = holder[key]
        holder[keys[-1]] = config
        # TensorFlow 2.0 to 2.2 look for it, and later versions do not.
        training.setdefault("sample_weight_mode", None)
        opened.attrs["training_config"] = json.dumps(training).encode("utf-8")
