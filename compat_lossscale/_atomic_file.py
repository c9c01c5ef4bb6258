# SPDX-License-Identifier: Apache-2.0
"""Writes a file that is always whole: what was there before, or all of the new one."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Gives a file beside `path` that takes its place at the end, or goes away after an error.

    Args:
        path: The file to write; it need not exist.

    Yields:
        The file to fill. It is flushed to the disk before it takes its place, with the mode that a
        new file gets.
    """
    place = Path(path).absolute()
    with file_beside(place, prefix=f".{place.stem[:100]}-") as temporary:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        # A file beside is for its owner only; a new file is what the umask makes it.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(place)


@contextlib.contextmanager
def file_beside(place: Path, prefix: str) -> Iterator[Path]:
    """Makes an empty file in the same folder, for its owner only, and removes it after an error.

    Args:
        place: What the file is to replace, or to become.
        prefix: How the file's name begins.

    Yields:
        The file. If there is no error, the caller has renamed it.
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
