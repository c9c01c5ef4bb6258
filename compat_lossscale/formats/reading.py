# SPDX-License-Identifier: Apache-2.0
"""Finds artefacts, tells what they are, and reads them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from compat_lossscale.formats.artefact import Artefact, UnreadableArtefactError
from compat_lossscale.formats.bounded import open_regular
from compat_lossscale.formats.readers import Reader, readers


def reader_of(path: str) -> Reader | None:
    """Returns the module that reads a file or folder; `None` if none does."""
    return next((reader for reader in readers() if reader.matches(path)), None)


def read(path: str | os.PathLike[str]) -> Artefact:
    """Reads the loss-scale configuration and state of one artefact.

    Nothing is built, executed or imported, and of a large file only the metadata is read.

    Args:
        path: A config (JSON), `.h5` or `.keras` model, SavedModel folder, or TensorFlow checkpoint
            (its prefix, its `.index` file or its `.data-...` file).

    Returns:
        What it says; `Artefact.has_loss_scale` tells whether it states a loss scale at all.

    Raises:
        UnreadableArtefactError: It is not one of these, or damaged. The message says where and why,
            and begins without the path.
    """
    path = os.fspath(path)
    try:
        # What cannot be accessed is named as it was given. A checkpoint's prefix is no file, and
        # of a name that no file can have, opening it says more.
        with contextlib.suppress(FileNotFoundError, ValueError):
            Path(path).stat()
        reader = reader_of(path)
        if reader is not None:
            return reader.read(path)
        if Path(path).is_dir():
            os.scandir(path).close()
            raise UnreadableArtefactError(
                "it is a folder and no SavedModel: it has no saved_model.pb, and no artefacts in it"
            )
        with open_regular(path):
            pass
    except RecursionError:
        raise UnreadableArtefactError("it is nested too deeply to be read") from None
    except (OSError, MemoryError) as error:
        raise UnreadableArtefactError(f"it cannot be read: {error}") from None
    raise UnreadableArtefactError(
        "it is no artefact that can be read here: a config (JSON), an .h5 or .keras model, a "
        "SavedModel folder, or a TensorFlow checkpoint"
    )


def find(root: str) -> Iterator[str]:
    """Finds the artefacts in a folder and all folders below it.

    Symbolic links to folders are not followed, nor are links to files outside the folder.

    Args:
        root: The folder.

    Yields:
        Paths for `read`, in the order of their names; a SavedModel or checkpoint is one. At last,
        the folders that cannot be opened, so that reading them says so.
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
            if _is_folder(path):
                if _is_artefact_folder(path):
                    yield entry.path
                elif not entry.is_symlink():
                    deeper.append(entry.path)
            elif _is_candidate(entry.name) and (
                not entry.is_symlink() or _resolved(path).is_relative_to(inside)
            ):
                yield entry.path
        folders += reversed(deeper)
    yield from closed


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        # A link that leads to itself leads nowhere inside.
        return Path("/")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        # It cannot be asked. Reading it says so.
        return False


def _is_artefact_folder(path: Path) -> bool:
    try:
        return (path / "saved_model.pb").is_file() and not path.is_symlink()
    except OSError:
        return False


def _is_candidate(name: str) -> bool:
    return name.endswith((".h5", ".hdf5", ".keras", ".json", ".index"))
