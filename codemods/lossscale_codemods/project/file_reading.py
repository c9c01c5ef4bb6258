# SPDX-License-Identifier: Apache-2.0
"""Reading files, as quickly as can be."""

from __future__ import annotations

import errno
import os
import stat

from lossscale_codemods.vocabulary.records import Result, Status

LARGEST_SETTINGS = 1_000_000


def read(name: str) -> bytes:
    """Returns a file's bytes."""
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123  # a path object costs more
        return file.read()


def read_settings(path: str | os.PathLike[str]) -> bytes:
    """Returns the bytes of a file with settings, which a stranger may have put there.

    Args:
        path: The file. A pipe, a device or a huge file in its place would hang the run.

    Raises:
        OSError: It cannot be read, is no regular file, or has more than `LARGEST_SETTINGS` bytes.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", path)
        if status.st_size > LARGEST_SETTINGS:
            raise OSError(errno.EFBIG, "it is too large", path)
        return file.read(LARGEST_SETTINGS)


def unreadable(error: OSError) -> Result:
    """Returns what is to be said of a file that cannot be read."""
    problem = f"It cannot be read: {error.strerror or error}."
    return Result(b"", b"", Status.UNREADABLE, problem=problem)
