# SPDX-License-Identifier: Apache-2.0
"""Finds artefacts, recognizes their format, and reads them."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import types
from collections.abc import Iterator
from pathlib import Path

from compat_lossscale.formats import (
    checkpoint,
    config_json,
    hdf5,
    isolated,
    keras_archive,
    saved_model,
)
from compat_lossscale.formats.artefact import Artefact, UnreadableArtefactError
from compat_lossscale.formats.bounded import open_regular

READERS: tuple[types.ModuleType, ...] = (checkpoint, config_json, hdf5, keras_archive, saved_model)
"""The modules of the formats, in the order in which they are asked.

Each has `FORMAT`, the name of the format for users; `SUFFIXES` of the files that are searched for
in folders; `matches(path)`, whether a file or folder has the format, by its content if possible;
and `read(path)`, which returns an `Artefact` or raises an `UnreadableArtefactError`.
"""


def read(path: str | os.PathLike[str]) -> Artefact:
    """Reads the loss-scale configuration and state of one artefact.

    Nothing is built, executed or imported. Only the metadata of a large file is read, in a process
    of its own with limited memory and time.

    Args:
        path: A config (JSON), `.h5` or `.keras` model, SavedModel folder, or TensorFlow checkpoint
            (its prefix, its `.index` file or its `.data-...` file).

    Returns:
        The content. `Artefact.has_loss_scale` says whether it states a loss scale.

    Raises:
        UnreadableArtefactError: It is not one of these, or is damaged. The message says where and
            why, and does not begin with the path.
    """
    path = os.fspath(path)
    artefact = isolated.READER.call(Artefact, f"{__name__}:read_in_this_process", path)
    return dataclasses.replace(artefact, path=path)


def read_in_this_process(path: str) -> Artefact:
    """Does what `read` does, in the other process."""
    try:
        # The error for a path without access names the path as it was passed. A checkpoint's
        # prefix is not a file. For an invalid name, opening it gives a better error.
        with contextlib.suppress(FileNotFoundError, ValueError):
            Path(path).stat()
        if Path(path).is_file() and not Path(path).stat().st_size:
            raise UnreadableArtefactError("the file is empty: whatever wrote it did not finish")
        for reader in READERS:
            if reader.matches(path):
                artefact: Artefact = reader.read(path)
                return artefact
        if Path(path).is_dir():
            os.scandir(path).close()
            raise UnreadableArtefactError(
                "it is a folder without saved_model.pb, so it is not a SavedModel, and has no "
                "artefacts in it"
            )
        with open_regular(path):
            pass
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise MemoryError from None
        part = os.fsdecode(error.filename or path)
        which = "it" if part == path else Path(part).name
        reason = f"{which} cannot be read: {error.strerror or error}"
        raise UnreadableArtefactError(reason) from None
    raise UnreadableArtefactError(
        "it is not one of the artefacts that can be read: a config (JSON), an .h5 or .keras "
        "model, a SavedModel folder, or a TensorFlow checkpoint"
    )


def find(root: str) -> Iterator[str]:
    """Finds the artefacts in a folder and all folders below it.

    Symbolic links to folders are not followed, nor are links to files outside the folder.

    Yields:
        Paths for `read`, in the order of their names. A SavedModel or a checkpoint is one path.
        Folders that cannot be opened come last, so that reading them gives the error.
    """
    if _is_artefact_folder(Path(root)):
        yield root
        return
    inside = Path(root).resolve()
    closed: list[str] = []
    # Not os.walk, which calls itself for each level before Python 3.12.
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError:
            closed.append(folder)
            continue
        deeper = []
        for entry in entries:
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                if _is_artefact_folder(path):
                    yield entry.path
                else:
                    deeper.append(entry.path)
            elif (
                any(entry.name.endswith(reader.SUFFIXES) for reader in READERS)
                and not os.path.isdir(path)
                and _resolved(path).is_relative_to(inside)
            ):
                yield entry.path
        folders += reversed(deeper)
    yield from closed


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        # A link that leads to itself does not lead into the folder.
        return Path("/")


def _is_artefact_folder(path: Path) -> bool:
    try:
        return (path / "saved_model.pb").is_file() and not path.is_symlink()
    except OSError:
        return False
