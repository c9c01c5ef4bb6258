# SPDX-License-Identifier: Apache-2.0
"""Converts whole models between tf-keras and Keras 3, by the libraries' own loaders.

A process of its own loads the file as `compat-lossscale run` does, builds the model again in the
other library, gives it the state, writes it, and compares what that library loads with the old
model.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from compat_lossscale._require import require_keras_3, require_tensorflow
from compat_lossscale.errors import ConversionError, InexpressibleLossScaleError, MissingExtraError
from compat_lossscale.formats import checkpoint
from compat_lossscale.formats.artefact import Artefact
from compat_lossscale.formats.conversion import Conversion, is_whole
from compat_lossscale.formats.isolated import from_json
from compat_lossscale.formats.writing import write_converted, writing
from compat_lossscale.spec import Generation

__all__ = ["is_installed", "is_whole", "write"]

TIMEOUT = 1800.0
"""Seconds for one model."""
_NEEDS = "converting a whole model"


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

    Args:
        artefact: The artefact.
        target: The generation.
        output: The file to write. A `.keras` file of Keras 3, or of tf-keras from one of Keras 3,
            is a whole model; see `formats.writing.write_converted` for the others.
        function: `SCRIPT:FUNCTION` that builds the compiled model with `tf.keras`, for a
            checkpoint.
        lossy: Whether to write it if something is lost.
        overwrite: Whether to replace another existing file.

    Returns:
        The conversion.

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
        conversion = _converted(artefact, target, function, Path(folder))
        with writing(artefact.path, output, conversion, lossy=lossy, overwrite=overwrite) as file:
            shutil.copyfile(Path(folder, "model.keras"), file)
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
    artefact: Artefact, target: Generation, function: str | None, folder: Path
) -> Conversion:
    request = {
        "path": str(Path(artefact.path).absolute()),
        "target": target.value,
        "function": function,
        "output": str(folder / "model.keras"),
    }
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "KERAS_BACKEND": "tensorflow",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
        "PYTHONSAFEPATH": "1",
    }
    with (folder / "output").open("wb") as log:
        try:
            done = subprocess.run(
                [sys.executable, "-m", "compat_lossscale.models.process", str(folder)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ConversionError(f"converting it takes more than {TIMEOUT:g} seconds") from None
    try:
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        last = (folder / "output").read_bytes().decode("utf-8", "replace").splitlines()[-1:]
        raise ConversionError(
            f"converting it crashed (exit status {done.returncode}): {''.join(last)}"
        ) from None
    if "error" in result:
        kind = InexpressibleLossScaleError if result.get("is_lost") else ConversionError
        raise kind(result["error"])
    return from_json(Conversion, result["conversion"])
