# SPDX-License-Identifier: Apache-2.0
"""Writes a converted config: as JSON, or into a copy of its model.

A file is written completely or not at all, and never replaces the file that was read.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from compat_lossscale._atomic_file import replacing
from compat_lossscale.errors import (
    ConversionError,
    InexpressibleLossScaleError,
    UnreadableArtefactError,
)
from compat_lossscale.formats import isolated
from compat_lossscale.formats.artefact import Artefact, StatedConfig
from compat_lossscale.formats.bounded import open_regular, parse_json
from compat_lossscale.formats.config import read_wrapper_config
from compat_lossscale.formats.conversion import Conversion, convert
from compat_lossscale.formats.readers import h5, keras_archive, saved_model
from compat_lossscale.formats.state_mapping import keras3_numbers, why_lost
from compat_lossscale.spec import Generation

MAX_RATIO = 200
"""The largest ratio of a file's unpacked and packed size. Keras does not compress."""


def write_converted(
    artefact: Artefact,
    target: Generation,
    output: str,
    *,
    lossy: bool = True,
    overwrite: bool = False,
) -> Conversion:
    """Writes an artefact's config in another generation's form.

    Args:
        artefact: The artefact.
        target: The generation.
        output: The file to write. A `.json` file gets the config alone. An `.h5` or `.keras` file
            gets a copy of the artefact, which must have the same format, with the converted config.
        lossy: Whether to write it if something is lost.
        overwrite: Whether to replace another existing file.

    Returns:
        The conversion.

    Raises:
        InexpressibleLossScaleError: The target cannot express the loss scale; or, without `lossy`,
            something else is lost.
        ConversionError: The artefact has no config or several different ones; or `output` is the
            artefact itself, exists already, has an unknown suffix, or cannot be written.
    """
    stated = _only_config(artefact)
    conversion = convert(stated.config, target)
    if conversion.config is None or (conversion.lost and not lossy):
        reasons = "; ".join(f"{field.name}: {field.reason}" for field in conversion.lost)
        hint = "; without --strict (lossy=True) it is written in spite of that"
        raise InexpressibleLossScaleError(
            f"nothing is written, because this would be lost: {reasons}"
            f"{hint if conversion.config is not None else ''}"
        )
    _refuse_input(artefact.path, output)
    _refuse_existing(output, overwrite=overwrite)
    try:
        with replacing(output) as temporary:
            _write(artefact, stated, conversion, output, temporary)
    except OSError as error:
        raise ConversionError(f"{output} cannot be written: {error.strerror or error}") from None
    return conversion


def _only_config(artefact: Artefact) -> StatedConfig:
    if not artefact.configs:
        raise ConversionError(
            f"there is no config to convert in this {artefact.format}"
            + (": it holds variables only. Convert that of its model" if artefact.states else "")
        )
    first, *others = artefact.configs
    different = [other for other in others if other.config != first.config]
    if different:
        places = ", ".join(config.where or "the file itself" for config in artefact.configs[:5])
        raise ConversionError(
            f"there are {len(artefact.configs)} loss-scale configs in it ({places}, ...); convert "
            "a file that has one"
        )
    return first


def _refuse_input(path: str, output: str) -> None:
    with contextlib.suppress(OSError):
        input_path, wanted = Path(path), Path(output)
        folder = input_path.parent if input_path.name == saved_model.GRAPH else input_path
        inside = folder.is_dir() and wanted.resolve().is_relative_to(folder.resolve())
        if inside or input_path.samefile(wanted):
            raise ConversionError(f"the output {output} is the input itself; choose another file")
    if os.path.isdir(output):
        raise ConversionError(f"the output {output} is a folder; choose a file")


def _refuse_existing(output: str, *, overwrite: bool) -> None:
    try:
        mode = os.lstat(output).st_mode
    except OSError:
        # It does not exist, or writing it gives the error.
        return
    if not stat.S_ISREG(mode):
        raise ConversionError(f"the output {output} is not a regular file; choose another one")
    if not overwrite:
        raise ConversionError(
            f"the output {output} exists already; choose another file, or use --overwrite "
            "(overwrite=True)"
        )


def _write(
    artefact: Artefact, stated: StatedConfig, conversion: Conversion, output: str, temporary: Path
) -> None:
    config = conversion.config
    assert config is not None
    kind = Path(output).suffix.lower()
    if kind == ".json":
        temporary.write_text(f"{json.dumps(config, indent=2)}\n", encoding="utf-8")
    elif kind in (".h5", ".hdf5") and artefact.format == h5.FORMAT:
        _write_h5(artefact.path, stated, config, temporary)
    elif kind == ".keras" and artefact.format == keras_archive.FORMAT:
        numbers = _numbers_for_keras3(artefact, stated, conversion)
        _write_keras(artefact.path, stated, config, temporary, numbers)
    else:
        raise ConversionError(
            f"a {artefact.format} cannot be written as {kind or 'a file without an extension'}: "
            "write its config as .json, or a copy of it with its own extension"
        )


def _with_config(tree: Any, stated: StatedConfig, config: dict[str, Any]) -> str:
    tree = copy.deepcopy(tree)
    holder = tree
    for key in stated.keys[:-1]:
        holder = holder[key]
    holder[stated.keys[-1]] = config
    return json.dumps(tree)


def _write_h5(path: str, stated: StatedConfig, config: dict[str, Any], temporary: Path) -> None:
    if not stated.where.startswith("training_config."):
        raise ConversionError(f"the config at {stated.where} is not that of an optimizer")
    with open_regular(path) as source, temporary.open("wb") as target:
        shutil.copyfileobj(source, target)
    # No version writes the wrapper's module into an HDF5 file.
    plain = {key: config[key] for key in ("class_name", "config")}
    attributes = isolated.call("describe", str(temporary))["attributes"]
    training = parse_json(attributes["training_config"], "training_config")
    isolated.call("replace_training_config", str(temporary), _with_config(training, stated, plain))


def _numbers_for_keras3(
    artefact: Artefact, stated: StatedConfig, conversion: Conversion
) -> dict[str, Any] | None:
    """Returns the values for numbering the variables as in Keras 3; `None` to leave them."""
    parts, target = read_wrapper_config(stated.config), conversion.target
    is_mapped = conversion.changes_family and why_lost(parts, target, artefact) is None
    return keras3_numbers(parts, artefact) if is_mapped and artefact.states else None


def _write_keras(
    path: str,
    stated: StatedConfig,
    config: dict[str, Any],
    temporary: Path,
    numbers: dict[str, Any] | None,
) -> None:
    with open_regular(path) as file, keras_archive.open_archive(file) as source:
        size = os.fstat(file.fileno()).st_size
        entries = source.infolist()
        if sum(entry.compress_size for entry in entries) > size or any(
            entry.file_size > MAX_RATIO * max(entry.compress_size, 1) for entry in entries
        ):
            raise UnreadableArtefactError(
                "its files are far larger when unpacked, so it is not copied"
            )
        name = keras_archive.CONFIG
        tree = parse_json(keras_archive.read_text(source, name), name)
        with zipfile.ZipFile(temporary, "w") as target:
            for entry in entries:
                if entry.filename == name:
                    target.writestr(entry, _with_config(tree, stated, config))
                    continue
                with (
                    keras_archive.open_entry(source, entry) as packed,
                    _renumbered(packed, entry, numbers) as content,
                    target.open(_fresh(entry), "w") as copied,
                ):
                    shutil.copyfileobj(content, copied)


@contextlib.contextmanager
def _renumbered(
    packed: IO[bytes], entry: zipfile.ZipInfo, numbers: dict[str, Any] | None
) -> Iterator[IO[bytes]]:
    """Opens a file of the archive; in the weights, the optimizer's variables are renumbered."""
    if entry.filename != keras_archive.WEIGHTS or numbers is None:
        yield packed
        return
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder, "weights.h5")
        with weights.open("wb") as unpacked:
            shutil.copyfileobj(packed, unpacked)
        isolated.call("number_as_keras3", str(weights), *numbers.values())
        with weights.open("rb") as content:
            yield content


def _fresh(entry: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Returns the entry of a file in the archive, with another size."""
    fresh = zipfile.ZipInfo(entry.filename, entry.date_time)
    fresh.compress_type, fresh.external_attr = entry.compress_type, entry.external_attr
    # zipfile decides by the size whether it needs the header of a large file.
    fresh.file_size = entry.file_size
    return fresh
