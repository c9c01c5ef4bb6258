# SPDX-License-Identifier: Apache-2.0
"""Reads hostile files safely: regular files of the artefact only, and JSON of limited depth."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

from compat_lossscale.formats.artefact import UnreadableArtefactError

MAX_JSON_DEPTH = 200
"""The deepest nesting that is read. Real configs have some twenty levels."""
_TOO_DEEP = f"{{}} is nested more than {MAX_JSON_DEPTH} deep, far more than a config is"

_POINTER = b"version https://git-lfs"


def open_regular(path: str) -> BinaryIO:
    """Opens a regular file for reading. Links are followed, because the user named them.

    Raises:
        OSError: It cannot be opened.
        UnreadableArtefactError: It is a pipe, a device or a folder, or a pointer of Git LFS.
    """
    # A pipe without a writer must not block.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableArtefactError(f"{Path(path).name} is no regular file")
    file = os.fdopen(descriptor, "rb")
    if file.peek(len(_POINTER)).startswith(_POINTER):
        file.close()
        raise UnreadableArtefactError(
            f"{Path(path).name} is a pointer to a file that Git LFS has not brought: git lfs pull"
        )
    return file


def open_part(path: str, folder: str) -> BinaryIO:
    """Opens one of the files of an artefact in a folder.

    A link that leads out of it is not followed, because the user did not name it.

    Raises:
        OSError: It cannot be opened.
        UnreadableArtefactError: As for `open_regular`; or it is such a link.
    """
    if not Path(path).resolve().is_relative_to(Path(folder).resolve()):
        raise UnreadableArtefactError(
            f"{Path(path).name} is a link out of the artefact's folder, and is not read; "
            "verify a copy with its links resolved, made by cp -RL"
        )
    return open_regular(path)


def read_start(path: str, size: int) -> bytes:
    """Returns the first `size` bytes of a file, fewer if it is shorter, none if it has no bytes."""
    try:
        with open_regular(path) as file:
            return file.read(size)
    except (OSError, ValueError):
        return b""


def parse_json(text: str | bytes, what: str) -> Any:
    """Parses JSON of limited depth.

    Raises:
        UnreadableArtefactError: It is not JSON, not UTF-8, or is nested too deeply.
    """
    try:
        # `json` itself takes UTF-16 and UTF-32, too.
        value = json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except ValueError as error:
        raise UnreadableArtefactError(f"{what} is not JSON: {error}") from None
    except RecursionError:
        raise UnreadableArtefactError(_TOO_DEEP.format(what)) from None
    level = [value]
    for _ in range(MAX_JSON_DEPTH):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
    if level:
        raise UnreadableArtefactError(_TOO_DEEP.format(what))
    return value
