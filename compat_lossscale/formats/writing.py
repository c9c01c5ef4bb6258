# SPDX-License-Identifier: Apache-2.0
"""Writes a converted config: as JSON, or into a copy of its model.

A file is written completely or not at all, and never replaces the file that was read.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import os
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compat_lossscale._atomic_file import replacing
from compat_lossscale.errors import (
    ConversionError,
    InexpressibleLossScaleError,
    UnreadableArtefactError,
)
from compat_lossscale.formats import checkpoint, hdf5, isolated, keras_archive, saved_model
from compat_lossscale.formats.artefact import Artefact, StatedConfig, is_of_layers, put_config
from compat_lossscale.formats.bounded import open_regular
from compat_lossscale.formats.conversion import Conversion, convert_artefact
from compat_lossscale.formats.reading import read
from compat_lossscale.spec import Generation
from compat_lossscale.spec.wrapper_configs import read_wrapper_config

_VARIABLES_ONLY = (
    ": it holds variables only, and which of them is which slot stands in its model's config. {}"
)
_CHECKPOINT = (
    "Name a function that builds the model, and write an archive: --to keras3 --model "
    "SCRIPT:FUNCTION --output FILE.keras"
)
_WEIGHTS = "Load it into the model where it is from, save that as .keras, and convert the archive"
_WEIGHTS_ALONE = (
    ": it holds no optimizer. model.load_weights(FILE) reads it, in Keras 3 too, if a .weights.h5 "
    "of TensorFlow before 2.12 is renamed to .h5"
)
_WHOLE = (
    ": it has no loss scale. --to keras3 --output FILE.keras converts a whole model of tf-keras, "
    "and --to tf-keras a .keras archive of Keras 3, which loads its own .h5 and saves it as .keras"
)
_AS_ARCHIVE = (
    "an HDF5 model is written as .keras for Keras 3 only: tf-keras loads the .h5 as it is, and "
    "saves it as .keras"
)
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
    """Does what `models.write` does, and copies the layers and the variables as they are.

    A `.json` file gets the config alone. An `.h5` or `.keras` file gets a copy of the artefact,
    which must have the same format, with the converted config.

    Raises:
        InexpressibleLossScaleError: See `writing`.
        ConversionError: The artefact has no config or several different ones; or `output` has
            another suffix; or see `writing`.
    """
    stated = only_config(artefact)
    conversion = convert_artefact(artefact, stated, target, as_archive=False)
    with writing(artefact.path, output, conversion, lossy=lossy, overwrite=overwrite) as temporary:
        _write(artefact, stated, conversion, output, temporary)
        _check(conversion, temporary, Path(output).suffix.lower())
    return conversion


@contextlib.contextmanager
def writing(
    path: str, output: str, conversion: Conversion, *, lossy: bool, overwrite: bool
) -> Iterator[Path]:
    """Opens the output of `models.write`, which is written completely or not at all.

    Raises:
        InexpressibleLossScaleError: The target cannot express the loss scale; or, without `lossy`,
            something else is lost.
        ConversionError: `output` is the artefact itself, exists already, or cannot be written.
    """
    if conversion.config is None or (conversion.lost and not lossy):
        reasons = "; ".join(f"{field.name}: {field.reason}" for field in conversion.lost)
        hint = "; without --strict (lossy=True) it is written in spite of that"
        raise InexpressibleLossScaleError(
            f"nothing is written, because this would be lost: {reasons}"
            f"{hint if conversion.config is not None else ''}"
        )
    _check_output(path, output, overwrite=overwrite)
    try:
        with replacing(output) as temporary:
            yield temporary
    except OSError as error:
        raise ConversionError(f"{output} cannot be written: {error.strerror or error}") from None


def only_config(artefact: Artefact) -> StatedConfig:
    """Returns the loss-scale config of an artefact, that of its optimizer if it has one.

    Raises:
        ConversionError: It has none, or several different ones.
    """
    if not artefact.configs:
        if artefact.lost:
            raise ConversionError(artefact.lost[0])
        how = _WEIGHTS_ALONE if artefact.format == hdf5.WEIGHTS_FORMAT else _WHOLE
        if artefact.states and artefact.format in (checkpoint.FORMAT, hdf5.WEIGHTS_FORMAT):
            is_checkpoint = artefact.format == checkpoint.FORMAT
            how = _VARIABLES_ONLY.format(_CHECKPOINT if is_checkpoint else _WEIGHTS)
        raise ConversionError(f"there is no config to convert in this {artefact.format}{how}")
    configs = [one for one in artefact.configs if not is_of_layers(one, artefact)]
    first, *others = configs
    different = [other for other in others if other.config != first.config]
    if different:
        places = ", ".join(config.where or "the file itself" for config in configs[:5])
        raise ConversionError(
            f"there are {len(configs)} loss-scale configs in it ({places}, ...); convert "
            "a file that has one"
        )
    return first


def _check_output(path: str, output: str, *, overwrite: bool) -> None:
    with contextlib.suppress(OSError):
        input_path, wanted = Path(path), Path(output)
        folder = input_path.parent if input_path.name == saved_model.GRAPH else input_path
        inside = folder.is_dir() and wanted.resolve().is_relative_to(folder.resolve())
        if inside or input_path.samefile(wanted):
            raise ConversionError(f"the output {output} is the input itself; choose another file")
    if os.path.isdir(output):
        raise ConversionError(f"the output {output} is a folder; choose a file")
    if not os.path.lexists(output):
        return  # Or writing it gives the error.
    if not stat.S_ISREG(os.lstat(output).st_mode):
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
    elif kind in (".h5", ".hdf5") and artefact.format == hdf5.FORMAT:
        _write_h5(artefact.path, stated, config, temporary)
    elif kind == ".keras" and artefact.format == keras_archive.FORMAT:
        _write_archive(artefact.path, stated, config, temporary)
    elif kind == ".keras" and artefact.format == hdf5.FORMAT:
        raise ConversionError(_AS_ARCHIVE)
    else:
        raise ConversionError(
            f"a {artefact.format} cannot be written as {kind or 'a file without an extension'}: "
            "write its config as .json, or a copy of it with its own extension"
        )


def _check(conversion: Conversion, written: Path, kind: str) -> None:
    """Reads what was written, as a reader would: it must state the loss scale."""
    with tempfile.TemporaryDirectory() as folder:
        named = Path(folder, f"written{kind}")
        named.symlink_to(written.absolute())
        stated = [config.spec for config in read(named).configs]
    assert conversion.config is not None
    expected = read_wrapper_config(conversion.config).spec
    if not stated or any(spec != expected for spec in stated):
        raise ConversionError(
            f"the converted file would state {stated or 'no loss scale'}, and not {expected}; "
            "report this"
        )


_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError)
"""What `zipfile` raises for damage, encryption and unknown compression, beside `OSError`."""


def _write_archive(path: str, stated: StatedConfig, config: Any, output: Path) -> None:
    """Writes a copy of an archive with another config."""
    with open_regular(path) as file, zipfile.ZipFile(file) as source:
        size = os.fstat(file.fileno()).st_size
        entries = source.infolist()
        if sum(entry.compress_size for entry in entries) > size or any(
            entry.file_size > MAX_RATIO * max(entry.compress_size, 1) for entry in entries
        ):
            raise UnreadableArtefactError(
                "its files are far larger when unpacked, so it is not copied"
            )
        model = keras_archive.config_in(source)
        put_config(model, stated.keys, config)
        with zipfile.ZipFile(output, "w") as copied:
            for entry in entries:
                if entry.filename == keras_archive.CONFIG:
                    copied.writestr(entry, json.dumps(model))
                    continue
                try:
                    with source.open(entry) as packed, copied.open(entry, "w") as content:
                        shutil.copyfileobj(packed, content)
                except _DAMAGED as error:
                    raise UnreadableArtefactError(f"it cannot be copied: {error}") from None


def _write_h5(path: str, stated: StatedConfig, config: dict[str, Any], temporary: Path) -> None:
    if not stated.where.startswith("training_config."):
        raise ConversionError(f"the config at {stated.where} is not that of an optimizer")
    with open_regular(path) as source, temporary.open("wb") as target:
        shutil.copyfileobj(source, target)
    if "class_name" in config:
        # No version writes the wrapper's module into an HDF5 file.
        config = {key: config[key] for key in ("class_name", "config")}
    replace = "compat_lossscale.formats.hdf5:replace_config"
    isolated.READER.call(type(None), replace, str(temporary), stated.keys, config)
