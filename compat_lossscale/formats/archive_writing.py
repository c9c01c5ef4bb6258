# SPDX-License-Identifier: Apache-2.0
"""Writes a converted copy of a `.keras` archive."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from compat_lossscale._version import __version__
from compat_lossscale.errors import UnreadableArtefactError
from compat_lossscale.formats import isolated
from compat_lossscale.formats.bounded import open_regular, parse_json
from compat_lossscale.formats.models.weights import VariablePlan
from compat_lossscale.formats.readers import keras_archive
from compat_lossscale.spec import Generation

MAX_RATIO = 200
"""The largest ratio of a file's unpacked and packed size. Keras does not compress."""
_OLDEST = {Generation.KERAS3: "3.6.0", Generation.TF_KERAS: "2.15.0"}
"""The oldest version of each Keras with which converted archives are tested."""


def write_archive(
    path: str,
    model: Mapping[str, Any],
    plan: VariablePlan | None,
    target: Generation | None,
    output: Path,
) -> None:
    """Writes a copy of an archive.

    Args:
        path: The archive.
        model: What becomes of its `config.json`.
        plan: What becomes of its variables; `None` to leave them as they are.
        target: The Keras that it is now an archive of; `None` if that stays the same.
        output: Where to write it.

    Raises:
        UnreadableArtefactError: It cannot be read, or unpacks to an absurd size.
        MissingExtraError: h5py is not installed, and the variables change.
    """
    with open_regular(path) as file, keras_archive.open_archive(file) as source:
        size = os.fstat(file.fileno()).st_size
        entries = source.infolist()
        if sum(entry.compress_size for entry in entries) > size or any(
            entry.file_size > MAX_RATIO * max(entry.compress_size, 1) for entry in entries
        ):
            raise UnreadableArtefactError(
                "its files are far larger when unpacked, so it is not copied"
            )
        texts = {keras_archive.CONFIG: json.dumps(model)}
        if target is not None and keras_archive.METADATA in source.namelist():
            texts[keras_archive.METADATA] = json.dumps(_metadata(source, target))
        with zipfile.ZipFile(output, "w") as copy:
            for entry in entries:
                if entry.filename in texts:
                    copy.writestr(entry, texts[entry.filename])
                    continue
                with (
                    keras_archive.open_entry(source, entry) as packed,
                    _rearranged(packed, entry, plan) as content,
                    copy.open(_fresh(entry), "w") as copied,
                ):
                    shutil.copyfileobj(content, copied)


def _metadata(source: zipfile.ZipFile, target: Generation) -> dict[str, Any]:
    name = keras_archive.METADATA
    metadata = parse_json(keras_archive.read_text(source, name), name)
    before = dict(metadata) if isinstance(metadata, Mapping) else {}
    by = f"compat-lossscale {__version__}"
    return {
        **before,
        "keras_version": _OLDEST[target],
        keras_archive.CONVERTED_FROM: str(before.get("keras_version")),
        keras_archive.CONVERTED_BY: by,
    }


@contextlib.contextmanager
def _rearranged(
    packed: IO[bytes], entry: zipfile.ZipInfo, plan: VariablePlan | None
) -> Iterator[IO[bytes]]:
    """Gives a file of the archive; if it is the weights, with the variables rearranged."""
    if entry.filename != keras_archive.WEIGHTS or plan is None:
        yield packed
        return
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder, "weights.h5")
        with weights.open("wb") as unpacked:
            shutil.copyfileobj(packed, unpacked)
        isolated.call("rearrange", str(weights), plan.as_json())
        with weights.open("rb") as content:
            yield content


def _fresh(entry: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Describes the same file of perhaps another size."""
    fresh = zipfile.ZipInfo(entry.filename, entry.date_time)
    fresh.compress_type, fresh.external_attr = entry.compress_type, entry.external_attr
    # Near it, by which zipfile decides on the header of a large file.
    fresh.file_size = entry.file_size
    return fresh
