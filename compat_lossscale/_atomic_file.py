# SPDX-License-Identifier: Apache-2.0
"""Writes a file atomically: it has its complete old content or its complete new content."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Creates a temporary file that replaces `path` at the end, and is removed after an error.

    Args:
        path: The file to write. It need not exist.

    Yields:
        The path of the temporary file, to write to. The file is flushed to the disk before it
        replaces `path`, and gets the mode of a new file.
    """
    place = Path(path).absolute()
    with file_beside(place, prefix=f".{place.stem[:100]}-") as temporary:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        # Only the owner can read the temporary file; the umask decides about a new file.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(place)


@contextlib.contextmanager
def file_beside(place: Path, prefix: str) -> Iterator[Path]:
    """Creates an empty file in the same folder, for its owner only, and removes it after an error.

    Yields:
        The path of the file. Unless there is an error, the caller must rename it.
    """
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=prefix, suffix=".tmp")
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
