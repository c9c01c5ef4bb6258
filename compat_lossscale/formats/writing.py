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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compat_lossscale._atomic_file import replacing
from compat_lossscale.errors import ConversionError, InexpressibleLossScaleError
from compat_lossscale.formats import isolated
from compat_lossscale.formats.archive_writing import write_archive
from compat_lossscale.formats.artefact import Artefact, StatedConfig
from compat_lossscale.formats.artefact_conversion import (
    ArtefactConversion,
    convert_artefact,
    convert_unscaled,
)
from compat_lossscale.formats.bounded import open_regular, parse_json
from compat_lossscale.formats.conversion import Conversion
from compat_lossscale.formats.readers import h5, keras_archive, saved_model
from compat_lossscale.spec import Generation

_VARIABLES_ONLY = (
    ": it holds variables only, and which of them is which slot stands in the config of its model. "
    "Load it into the model where it is from, save that as .keras, and convert the archive"
)
_NO_ARCHIVE = (
    "an HDF5 model cannot be written as .keras: load it where it is from, save it as .keras, and "
    "convert the archive, which keeps its layers and its state"
)


def write_converted(
    artefact: Artefact,
    target: Generation,
    output: str,
    *,
    lossy: bool = True,
    overwrite: bool = False,
) -> Conversion:
    """Writes an artefact's config in another generation's form.

    Between tf-keras and Keras 3, a `.keras` archive is written as a whole: its layers, its
    optimizer and the variables of both. That needs no loss scale in it.

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
    stated, converted = _converted(artefact, target)
    conversion = converted.conversion
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
            _write(artefact, stated, converted, output, temporary)
    except OSError as error:
        raise ConversionError(f"{output} cannot be written: {error.strerror or error}") from None
    return conversion


def _converted(
    artefact: Artefact, target: Generation
) -> tuple[StatedConfig | None, ArtefactConversion]:
    if not artefact.configs and artefact.format == keras_archive.FORMAT:
        unscaled = convert_unscaled(artefact, target)
        if unscaled is not None:
            return None, unscaled
    stated = _only_config(artefact)
    return stated, convert_artefact(artefact, stated, target)


def _only_config(artefact: Artefact) -> StatedConfig:
    if not artefact.configs:
        raise ConversionError(
            f"there is no config to convert in this {artefact.format}"
            + (_VARIABLES_ONLY if artefact.states else "")
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
    artefact: Artefact,
    stated: StatedConfig | None,
    converted: ArtefactConversion,
    output: str,
    temporary: Path,
) -> None:
    config = converted.conversion.config
    assert config is not None
    kind = Path(output).suffix.lower()
    if kind == ".json" and stated is not None:
        temporary.write_text(f"{json.dumps(config, indent=2)}\n", encoding="utf-8")
    elif kind in (".h5", ".hdf5") and artefact.format == h5.FORMAT and stated is not None:
        _write_h5(artefact.path, stated, config, temporary)
    elif kind == ".keras" and artefact.format == keras_archive.FORMAT:
        _write_keras(artefact.path, stated, converted, temporary)
    elif kind == ".keras" and artefact.format == h5.FORMAT:
        raise ConversionError(_NO_ARCHIVE)
    else:
        raise ConversionError(
            f"a {artefact.format} cannot be written as {kind or 'a file without an extension'}: "
            "write its config as .json, or a copy of it with its own extension"
        )


def _write_keras(
    path: str, stated: StatedConfig | None, converted: ArtefactConversion, temporary: Path
) -> None:
    target = converted.conversion.target
    if converted.model is not None:
        write_archive(path, converted.model, converted.plan, target, temporary)
        return
    assert stated is not None
    assert converted.conversion.config is not None
    model = _with_config(keras_archive.read_config(path), stated, converted.conversion.config)
    write_archive(path, model, None, None, temporary)


def _with_config(tree: Any, stated: StatedConfig, config: Mapping[str, Any]) -> dict[str, Any]:
    tree = copy.deepcopy(tree)
    holder = tree
    for key in stated.keys[:-1]:
        holder = holder[key]
    holder[stated.keys[-1]] = config
    whole: dict[str, Any] = tree
    return whole


def _write_h5(path: str, stated: StatedConfig, config: dict[str, Any], temporary: Path) -> None:
    if not stated.where.startswith("training_config."):
        raise ConversionError(f"the config at {stated.where} is not that of an optimizer")
    with open_regular(path) as source, temporary.open("wb") as target:
        shutil.copyfileobj(source, target)
    # No version writes the wrapper's module into an HDF5 file.
    plain = {key: config[key] for key in ("class_name", "config")}
    attributes = isolated.call("describe", str(temporary))["attributes"]
    training = parse_json(attributes["training_config"], "training_config")
    text = json.dumps(_with_config(training, stated, plain))
    isolated.call("replace_training_config", str(temporary), text)
