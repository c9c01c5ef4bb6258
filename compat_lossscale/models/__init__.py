# SPDX-License-Identifier: Apache-2.0
"""Converts whole models between tf-keras and Keras 3, by the libraries' own loaders.

A process of its own loads the file as `compat-lossscale run` does, builds the model again in the
other library, gives it the state, writes it, and compares what that library loads with the old
model.
"""

from __future__ import annotations

import glob
import shutil
import tempfile
from pathlib import Path

from compat_lossscale._require import require_keras_3, require_tensorflow
from compat_lossscale.errors import ConversionError, MissingExtraError
from compat_lossscale.formats import checkpoint
from compat_lossscale.formats.artefact import Artefact
from compat_lossscale.formats.conversion import Conversion, is_whole
from compat_lossscale.formats.isolated import Worker
from compat_lossscale.formats.writing import write_converted, writing
from compat_lossscale.spec import Generation

__all__ = ["is_installed", "is_whole", "write"]

_NEEDS = "converting a whole model"
_SECONDS = 1800
"""For one model."""
MEMORY = 16 * 2**30
"""Bytes of address space for a small model and the libraries, which reserve several GB."""
MEMORY_FOR_A_BYTE = 16
"""Bytes of address space in addition for a byte of the file: the model is there three times, with
the state of its optimizer."""


def write(
    artefact: Artefact,
    target: Generation,
    output: str,
    *,
    function: str | None = None,
    lossy: bool = True,
    overwrite: bool = False,
) -> Conversion:
    """Writes an artefact in another generation's form: a model as a whole if that is needed.

    A `.keras` file of Keras 3, or of tf-keras from one of Keras 3, is a whole model; see
    `formats.writing.write_converted` for the others. `function` is `SCRIPT:FUNCTION`, which builds
    the compiled model of a checkpoint with `tf.keras`.

    Raises:
        InexpressibleLossScaleError: The target cannot express the loss scale; or, without `lossy`,
            something else is lost.
        ConversionError: It cannot be converted or written.
        MissingExtraError: TensorFlow, tf-keras or Keras 3 is not installed.
    """
    if not _is_whole(artefact, target, output, function):
        if function is not None:
            raise ConversionError(
                "--model needs a TensorFlow checkpoint, --to keras3 and an output FILE.keras"
            )
        return write_converted(artefact, target, output, lossy=lossy, overwrite=overwrite)
    _require()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model.keras")
        conversion = _converted(artefact, target, function, model)
        with writing(artefact.path, output, conversion, lossy=lossy, overwrite=overwrite) as file:
            shutil.copyfile(model, file)
    return conversion


def _is_whole(artefact: Artefact, target: Generation, output: str, function: str | None) -> bool:
    if Path(output).suffix.lower() != ".keras":
        return False
    if artefact.format == checkpoint.FORMAT:
        return target is Generation.KERAS3 and function is not None
    source = Generation.KERAS3 if artefact.is_of_keras3 else Generation.TF_KERAS
    return function is None and is_whole(artefact.format, source, target)


def is_installed() -> bool:
    """Whether the libraries that convert whole models are installed."""
    try:
        _require()
    except MissingExtraError:
        return False
    return True


def _require() -> None:
    require_tensorflow(_NEEDS)
    require_keras_3(_NEEDS)


def _converted(
    artefact: Artefact, target: Generation, function: str | None, output: Path
) -> Conversion:
    convert = "compat_lossscale.models.process:convert_model"
    memory = MEMORY + MEMORY_FOR_A_BYTE * _size(Path(artefact.path))
    worker = Worker("convert", _SECONDS, ConversionError)
    try:
        return worker.call(
            Conversion, convert, artefact.path, target.value, function, str(output), memory=memory
        )
    finally:
        worker.stop()


def _size(path: Path) -> int:
    """Returns the bytes of a file, a folder, or the files of a checkpoint."""
    if path.is_dir():
        return sum(one.stat().st_size for one in path.rglob("*") if one.is_file())
    return sum(one.stat().st_size for one in path.parent.glob(f"{glob.escape(path.name)}*"))
