# SPDX-License-Identifier: Apache-2.0
"""Replaces a file so that it is always whole: the old one, or the new one.

The new text is written beside the file, flushed to the disk, and renamed over it. The mode stays,
and the owner where the system allows it. A link is followed, within the folder that was named. Of a
file with several hard links, the name at hand gets the new file and the others keep the old one.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path


class WriteRefusedError(Exception):
    """The file was not written and is as it was; the message says why."""


def write_atomically(path: Path, before: bytes, after: bytes, root: Path) -> None:
    """Replaces a file's contents.

    Args:
        path: The file, or a link to it.
        before: What was read from it; if it holds anything else by now, it is left alone.
        after: What it is to hold.
        root: The real path of a folder outside which nothing is written.

    Raises:
        WriteRefusedError: The file is as it was, and why.
    """
    target = Path(os.path.realpath(path))
    if path.is_symlink() and root not in target.parents:
        raise WriteRefusedError(
            f"It is a link to {target}, outside of {root}. Run on that file itself."
        )
    try:
        status = target.stat()
        if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
            raise WriteRefusedError("It is read-only. Make it writable, then run again.")
        if target.read_bytes() != before:
            raise WriteRefusedError("It changed while it was being migrated. Run again.")
        _replace(target, after, status)
    except OSError as error:
        raise WriteRefusedError(f"It cannot be written: {error.strerror or error}.") from error


def _replace(target: Path, after: bytes, status: os.stat_result) -> None:
    beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError, AttributeError):
            os.chown(beside, status.st_uid, status.st_gid)
        beside.chmod(stat.S_IMODE(status.st_mode))
        beside.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
