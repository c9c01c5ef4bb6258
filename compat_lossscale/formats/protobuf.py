# SPDX-License-Identifier: Apache-2.0
"""The wire format of protocol buffers, for checkpoints and SavedModels.

Other fields are skipped without being copied, so a large file is read quickly.
"""

from __future__ import annotations

from collections.abc import Iterator

from compat_lossscale.formats.artefact import UnreadableArtefactError

MAX_FIELDS = 3_000_000
"""The largest number of fields in one file. A SavedModel of a large model has some 100,000."""
MAX_TEXT = 1000
"""The number of bytes of a text that are read."""
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_SIZES = {FIXED64: 8, FIXED32: 4}


def varint(data: memoryview | bytes, position: int) -> tuple[int, int]:
    """Reads a variable-length whole number.

    Args:
        data: The bytes.
        position: The offset of the number.

    Returns:
        The number, and the offset after it.

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


class Budget:
    """The number of fields that may still be read."""

    def __init__(self, left: int = MAX_FIELDS) -> None:
        self._left = left

    def spend(self) -> None:
        """Counts one field.

        Raises:
            UnreadableArtefactError: There are too many fields.
        """
        self._left -= 1
        if self._left < 0:
            raise UnreadableArtefactError(f"it has more than {MAX_FIELDS} fields")


def fields(
    message: memoryview, budget: Budget | None = None
) -> Iterator[tuple[int, int, memoryview | int]]:
    """Yields a message's fields, one after another.

    Args:
        message: The bytes of the message.
        budget: The number of fields that may be read, in this message and others.

    Yields:
        The field's number; its wire type; and its value, as bytes or as a whole number.

    Raises:
        UnreadableArtefactError: The bytes are not a message, or there are too many fields.
    """
    budget = budget or Budget()
    position, size = 0, len(message)
    while position < size:
        budget.spend()
        tag, position = varint(message, position)
        number, wire_type = tag >> 3, tag & 7
        if wire_type == VARINT:
            value, position = varint(message, position)
            yield number, wire_type, value
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
        if wire_type == BYTES:
            yield number, wire_type, value_bytes
        else:
            yield number, wire_type, int.from_bytes(value_bytes, "little")


def messages(
    message: memoryview, number: int, budget: Budget | None = None
) -> Iterator[memoryview]:
    """Yields the bytes of each of a message's fields with a number: messages, strings or bytes."""
    for field, _, value in fields(message, budget):
        if field == number and isinstance(value, memoryview):
            yield value


def text(value: memoryview) -> str:
    """Returns the first characters of a string field. Invalid UTF-8 is replaced."""
    return bytes(value[:MAX_TEXT]).decode("utf-8", "replace")
