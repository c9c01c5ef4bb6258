# SPDX-License-Identifier: Apache-2.0
"""Writes a file that is always whole: what stood there before, or all of the new one."""

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
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.stem[:100]}-")
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        # mkstemp's files are for their owner only; a new file is what the umask makes it.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
