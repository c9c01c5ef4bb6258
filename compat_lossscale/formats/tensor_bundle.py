# SPDX-License-Identifier: Apache-2.0
"""Reads TensorFlow's checkpoint files without TensorFlow: the names, and the values of scalars.

A checkpoint `PREFIX` is a table `PREFIX.index` of names, types and offsets, and the values in
`PREFIX.data-00000-of-00001` and so on. Sources: `tensorflow/core/lib/io/format.cc` and
`tensorflow/core/protobuf/tensor_bundle.proto`; the format is the same from 1.0 to 2.21.
"""

from __future__ import annotations

import collections
import dataclasses
import os
import struct
from collections.abc import Iterator
from pathlib import Path

from compat_lossscale.formats.artefact import UnreadableArtefactError
from compat_lossscale.formats.bounded import open_part

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_SIZES = {FIXED64: 8, FIXED32: 4}


def varint(data: memoryview | bytes, position: int) -> tuple[int, int]:
    """Reads a variable-length whole number, and returns it and the offset after it.

    Raises:
        UnreadableArtefactError: It does not end, or is longer than 64 bits.
    """
    result = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            raise UnreadableArtefactError("it ends in the middle of a number")
        byte = data[position]
        position += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result & 0xFFFFFFFFFFFFFFFF, position
    raise UnreadableArtefactError("it has a number of more than 64 bits")


def fields(message: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """Yields the number of each field of a message, and its value, as bytes or a whole number.

    Raises:
        UnreadableArtefactError: The bytes are not a message.
    """
    position, size = 0, len(message)
    while position < size:
        tag, position = varint(message, position)
        number, wire_type = tag >> 3, tag & 7
        if wire_type == VARINT:
            value, position = varint(message, position)
            yield number, value
            continue
        if wire_type == BYTES:
            length, position = varint(message, position)
        elif wire_type in _SIZES:
            length = _SIZES[wire_type]
        else:
            raise UnreadableArtefactError(f"it has a field of the unknown wire type {wire_type}")
        if length > size - position:
            raise UnreadableArtefactError("it is cut off, or a length in it is wrong")
        value_bytes = message[position : position + length]
        position += length
        yield number, value_bytes if wire_type == BYTES else int.from_bytes(value_bytes, "little")


def messages(message: memoryview, number: int, *numbers: int) -> Iterator[memoryview]:
    """Yields the bytes of each of a message's fields with a number: messages, strings or bytes.

    With more numbers, of the fields of these fields, and so on.
    """
    for field, value in fields(message):
        if field == number and isinstance(value, memoryview):
            yield from messages(value, *numbers) if numbers else [value]


def text(value: memoryview) -> str:
    """Returns a string field. Invalid UTF-8 is replaced."""
    return bytes(value).decode("utf-8", "replace")


def _numbers(message: memoryview) -> dict[int, int]:
    """Returns a message's whole numbers by their fields."""
    return {field: value for field, value in fields(message) if isinstance(value, int)}


def _texts(message: memoryview) -> dict[int, str]:
    """Returns a message's strings by their fields."""
    return {field: text(value) for field, value in fields(message) if not isinstance(value, int)}


_FOOTER = 48
_MAGIC = 0xDB4775248B80FB57.to_bytes(8, "little")
_TRAILER = 5
_STRING, _CHECKSUM = 7, 4
_NUMBERS = {1: "f", 2: "d", 3: "i", 9: "q", 22: "I", 23: "Q"}
"""The types of scalars that are read, by TensorFlow's number of the type."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One tensor of a checkpoint.

    Attributes:
        dtype: TensorFlow's number of its type.
        shape: Its dimensions.
        shard: The number of its data file.
        offset: Its offset in the data file, in bytes.
        size: Its size, in bytes.
        checksum: The masked CRC-32C of its bytes.
    """

    dtype: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    checksum: int


class TensorBundle:
    """A checkpoint's table of contents.

    Links that lead out of the folder of the artefact are not followed.

    Raises:
        UnreadableArtefactError: Its index is missing or damaged.
    """

    def __init__(self, prefix: str, folder: str | None = None) -> None:
        self._prefix = prefix
        self._folder = str(Path(prefix).parent) if folder is None else folder
        with open_part(f"{prefix}.index", self._folder) as file:
            data = file.read()
        self.entries: dict[str, Entry] = {}
        self._shards, self._byte_order = 1, "<"
        for key, value in _table(data):
            if key:
                self.entries[key.decode("utf-8", "replace")] = _entry(value)
            else:
                header = _numbers(value)
                self._shards = header.get(1, 1)
                self._byte_order = ">" if header.get(2) == 1 else "<"

    def number(self, name: str) -> float | int | None:
        """Returns a scalar's value, or `None` if there is none or it is not a number.

        Raises:
            UnreadableArtefactError: Its data file is missing or damaged.
        """
        entry = self.entries.get(name)
        if entry is None or entry.dtype not in _NUMBERS or entry.shape not in ((), (1,)):
            return None
        form = self._byte_order + _NUMBERS[entry.dtype]
        if entry.size != struct.calcsize(form):
            raise UnreadableArtefactError(f"its index gives {name} a wrong size")
        data = self._content(entry, name)
        self._check(entry, name, data)
        value: float | int = struct.unpack(form, data)[0]
        return value

    def text(self, name: str) -> bytes | None:
        """Returns the bytes of a scalar string, or `None` if there is none.

        Raises:
            UnreadableArtefactError: Its data file is missing or damaged.
        """
        entry = self.entries.get(name)
        if entry is None or entry.dtype != _STRING or entry.shape != ():
            return None
        data = self._content(entry, name)
        _, start = varint(data, 0)
        text = data[start + _CHECKSUM :]
        # The sum is that of the length as a number, of the length's own sum, and of the bytes.
        self._check(entry, name, struct.pack("<L", len(text) & 0xFFFFFFFF) + data[start:])
        return text

    def _shard(self, entry: Entry) -> str:
        return f"{self._prefix}.data-{entry.shard:05d}-of-{self._shards:05d}"

    def _check(self, entry: Entry, name: str, summed: bytes) -> None:
        if _masked_crc(summed) != entry.checksum:
            place = Path(self._shard(entry)).name
            raise UnreadableArtefactError(
                f"the data file {place} is damaged: the checksum of {name} is wrong"
            )

    def _content(self, entry: Entry, name: str) -> bytes:
        shard = self._shard(entry)
        with open_part(shard, self._folder) as file:
            file.seek(min(entry.offset, os.fstat(file.fileno()).st_size))
            data = file.read(entry.size)
        if len(data) < entry.size:
            raise UnreadableArtefactError(
                f"the data file {Path(shard).name} is too short for {name}"
            )
        return data


def _entry(message: memoryview) -> Entry:
    numbers = _numbers(message)
    dtype, shard, offset, size, checksum = (numbers.get(field, 0) for field in (1, 3, 4, 5, 6))
    shape = tuple(_numbers(dimension).get(1, 0) for dimension in messages(message, 2, 2))
    return Entry(dtype, shape, shard, offset, size, checksum)


def _table(data: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """Yields the keys and values of a table file, which has LevelDB's format."""
    if len(data) < _FOOTER or not data.endswith(_MAGIC):
        raise UnreadableArtefactError(
            "its index is cut off, or not that of a TensorFlow checkpoint"
        )
    view = memoryview(data)
    footer = view[-_FOOTER:]
    _, position = _handle(footer, 0)
    index, _ = _handle(footer, position)
    end = 0
    for _, handle in _block(view, *index):
        (offset, size), _ = _handle(handle, 0)
        if offset < end:
            raise UnreadableArtefactError("its index is damaged: its blocks overlap")
        yield from _block(view, offset, size)
        end = offset + size


def _handle(data: memoryview, position: int) -> tuple[tuple[int, int], int]:
    offset, position = varint(data, position)
    size, position = varint(data, position)
    return (offset, size), position


def _block(data: memoryview, offset: int, size: int) -> Iterator[tuple[bytes, memoryview]]:
    if offset + size + _TRAILER > len(data) - _FOOTER:
        raise UnreadableArtefactError("its index is damaged: a block lies outside of it")
    stored = data[offset : offset + size + 1]
    checksum = int.from_bytes(data[offset + size + 1 : offset + size + _TRAILER], "little")
    if _masked_crc(stored) != checksum:
        raise UnreadableArtefactError("its index is damaged: a checksum is wrong")
    # Google's own builds of TensorFlow compress: checkpoints that Google has published are so.
    block = stored[:-1] if stored[-1] == 0 else memoryview(_unpacked(stored[:-1]))
    restarts = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 - 4 * restarts
    if end < 0:
        raise UnreadableArtefactError("its index is damaged: a block is too short")
    entries, position, key = block[:end], 0, b""
    while position < end:
        shared, position = varint(entries, position)
        added, position = varint(entries, position)
        length, position = varint(entries, position)
        if shared > len(key) or added + length > end - position:
            raise UnreadableArtefactError("its index is damaged: a name lies outside of its block")
        key = key[:shared] + bytes(entries[position : position + added])
        position += added
        yield key, entries[position : position + length]
        position += length


def _unpacked(data: memoryview) -> bytes:
    """Unpacks what Snappy has compressed: bytes as they are, and copies of those before."""
    size, position = varint(data, 0)
    unpacked = bytearray()
    while position < len(data):
        tag = data[position]
        kind, length = tag & 3, (tag >> 2) + 1
        # The bytes after it have a longer length, or how far back the copied bytes begin.
        start = position + 1
        position = start + (max(0, length - 60) if kind == 0 else (0, 1, 2, 4)[kind])
        number = int.from_bytes(data[start:position], "little")
        if kind == 0:
            length = number + 1 if length > 60 else length
            unpacked += data[position : position + length]
            position += length
            continue
        if kind == 1:
            length, number = (tag >> 2 & 7) + 4, tag >> 5 << 8 | number
        start = len(unpacked) - number
        if start < 0 or not number:
            break
        unpacked += (unpacked[start : start + length] * (length // number + 1))[:length]
    if len(unpacked) != size:
        raise UnreadableArtefactError("its index is damaged: a block cannot be unpacked")
    return bytes(unpacked)


def _crc_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)  # noqa: PLW2901  # the bits that are left
        table.append(value)
    return table


_CRC = _crc_table()


def _masked_crc(data: bytes | memoryview) -> int:
    """CRC-32C, masked as TensorFlow does so that checksums of checksums differ from data."""
    crc, table = 0xFFFFFFFF, _CRC
    for byte in bytes(data):
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""Where a checkpoint has it."""
_VALUE = "VARIABLE_VALUE"
# Field numbers of the proto.
_NODES, _CHILDREN, _ATTRIBUTES, _SLOTS = 1, 1, 2, 3
_CHILD_ID, _CHILD_NAME = 1, 2
_ATTRIBUTE_NAME, _ATTRIBUTE_KEY = 1, 3


@dataclasses.dataclass
class Node:
    """One object.

    Attributes:
        children: The numbers of other objects, by the names of the attributes that hold them.
        key: The name of its value among the checkpoint's, if it is a variable.
        slots: How many slot variables it has as an optimizer.
        path: The shortest path from the root; empty for the root.
    """

    children: dict[str, int] = dataclasses.field(default_factory=dict)
    key: str | None = None
    slots: int = 0
    path: str = ""


class ObjectGraph:
    """The objects of a checkpoint.

    Args:
        data: The value of `KEY`.

    Raises:
        UnreadableArtefactError: It is damaged.
    """

    def __init__(self, data: bytes) -> None:
        self.nodes = [_node(value) for value in messages(memoryview(data), _NODES)]
        seen, queue = {0}, collections.deque([0] if self.nodes else [])
        while queue:
            node = self.nodes[queue.popleft()]
            for name, number in node.children.items():
                if number >= len(self.nodes):
                    raise UnreadableArtefactError("its object graph is damaged")
                if number not in seen:
                    seen.add(number)
                    queue.append(number)
                    self.nodes[number].path = f"{node.path}/{name}" if node.path else name

    def child(self, node: Node, *names: str) -> Node | None:
        """Returns the object that the first of some attributes holds; `None` if none does."""
        for name in names:
            number = node.children.get(name)
            if number is not None and number < len(self.nodes):
                return self.nodes[number]
        return None

    def holders(self, name: str) -> Iterator[Node]:
        """Yields the objects with an attribute of a name."""
        return (node for node in self.nodes if name in node.children)


def _node(message: memoryview) -> Node:
    node = Node(slots=sum(1 for _ in messages(message, _SLOTS)))
    for child in messages(message, _CHILDREN):
        node.children[_texts(child).get(_CHILD_NAME, "")] = _numbers(child).get(_CHILD_ID, 0)
    for attribute in map(_texts, messages(message, _ATTRIBUTES)):
        if attribute.get(_ATTRIBUTE_NAME) == _VALUE:
            node.key = attribute.get(_ATTRIBUTE_KEY)
    return node
