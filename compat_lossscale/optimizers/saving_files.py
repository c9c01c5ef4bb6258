# SPDX-License-Identifier: Apache-2.0
"""Makes saved models keep the state that tf-keras loses, by public names of tf-keras alone.

`save_model`, `load_model` and the methods for weights do what they did. The loss scale is added to
the file when it is written, and read when the model is there.
"""

from __future__ import annotations

import contextlib
import io
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tf_keras

from compat_lossscale import _patching
from compat_lossscale._atomic_file import replacing
from compat_lossscale.optimizers import saved_state, stock
from compat_lossscale.optimizers.base import LossScaleOptimizer

_IN_ARCHIVE = "model.weights.h5"
_WEIGHTS = "optimizer/vars"
_LOSS_SCALE = "optimizer/loss_scale/vars"


def _save_model(
    original: Callable[..., None], model: Any, filepath: Any, *args: Any, **kwargs: Any
) -> None:
    original(model, filepath, *args, **kwargs)
    _add(getattr(model, "optimizer", None), filepath)


def _load_model(original: Callable[..., Any], filepath: Any, *args: Any, **kwargs: Any) -> Any:
    model = original(filepath, *args, **kwargs)
    if not _read(model, filepath):
        saved_state.restore_from_saved_model(model, filepath)
    return model


def _save_weights(
    original: Callable[..., None], model: Any, filepath: Any, *args: Any, **kwargs: Any
) -> None:
    original(model, filepath, *args, **kwargs)
    if str(filepath).endswith(".weights.h5"):
        _add(getattr(model, "optimizer", None), filepath)


def _load_weights(
    original: Callable[..., Any], model: Any, filepath: Any, *args: Any, **kwargs: Any
) -> Any:
    status = original(model, filepath, *args, **kwargs)
    if str(filepath).endswith((".weights.h5", ".keras")):
        _read(model, filepath)
    return status


def _add(optimizer: Any, path: Any) -> None:
    """Adds the loss scale's state to a file, and the weights that tf-keras leaves out."""
    if not isinstance(optimizer, LossScaleOptimizer):
        return
    with _opened(path, "r+") as file:
        if file is None:
            return  # A SavedModel has it, for it has a checkpoint.
        state = saved_state.read_from(optimizer)
        if "model_weights" not in file:
            if isinstance(optimizer, stock.LegacyLossScaleOptimizer):
                optimizer.save_own_variables(file.require_group(_WEIGHTS))
            file.require_group(_LOSS_SCALE).update(state)
        elif "training_config" in file.attrs:  # It was saved with its optimizer.
            file.require_group(saved_state.H5_GROUP).update(state)


def _read(model: Any, path: Any) -> bool:
    """Reads what `_add` added; returns whether the path leads to a file that can have it."""
    optimizer = getattr(model, "optimizer", None)
    with _opened(path, "r") as file:
        if file is None:
            return False
        if isinstance(optimizer, LossScaleOptimizer):
            if isinstance(optimizer, stock.LegacyLossScaleOptimizer) and _WEIGHTS in file:
                optimizer._create_all_weights(model.trainable_variables)
                optimizer.load_own_variables(file[_WEIGHTS])
            for group in (_LOSS_SCALE, saved_state.H5_GROUP):
                state = file.get(group, {}).items()
                saved_state.give_to(optimizer, {name: np.asarray(value) for name, value in state})
    return True


@contextlib.contextmanager
def _opened(path: Any, mode: str) -> Iterator[Any]:
    """The HDF5 file that a path leads to, or that is in the archive there; `None` without one."""
    import h5py  # noqa: PLC0415  # tf-keras has imported it by now; nothing else here needs it

    if isinstance(path, h5py.File):
        yield path
    elif not Path(str(path)).is_file():
        yield None
    elif h5py.is_hdf5(path):
        with h5py.File(path, mode) as file:
            yield file
    else:
        with zipfile.ZipFile(path) as archive:
            contents = {member: archive.read(member) for member in archive.namelist()}
        weights = io.BytesIO(contents[_IN_ARCHIVE])
        with h5py.File(weights, mode) as file:
            yield file
        if mode == "r+":
            contents[_IN_ARCHIVE] = weights.getvalue()
            with replacing(path) as place, zipfile.ZipFile(place, "w") as archive:
                for member, content in contents.items():
                    archive.writestr(member, content)


def patches() -> tuple[_patching.FunctionPatch, ...]:
    """The patches of tf-keras' public functions and methods."""
    return (
        *_wherever(tf_keras.models.save_model, _save_model),
        *_wherever(tf_keras.models.load_model, _load_model),
        (stock.Model, "save_weights", _save_weights),
        (stock.Model, "load_weights", _load_weights),
    )


def _wherever(function: Any, replacement: Callable[..., Any]) -> list[_patching.FunctionPatch]:
    """A patch for every module of Keras that has a public function, under whatever name."""
    return [
        (module, name, replacement)
        for title, module in list(sys.modules.items())
        if title.split(".")[0] in ("tf_keras", "tensorflow")
        for name, value in list(getattr(module, "__dict__", {}).items())
        if value is function
    ]
