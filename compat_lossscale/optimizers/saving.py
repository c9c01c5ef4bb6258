# SPDX-License-Identifier: Apache-2.0
"""Makes saved models keep the state that tf-keras loses.

A checkpoint holds all the state of an optimizer with loss scaling. A saved model does not: tf-keras
writes no loss scale into `.h5` and `.keras`, visits no legacy optimizer in `.keras`, and restores
no optimizer from a SavedModel. With the patches here, its savers and loaders do so for this
package's optimizers. Files stay readable to tf-keras alone: what is added stands where it does not
look. Where a tf-keras has other savers and loaders, its public functions are patched instead; the
files are the same.
"""

from __future__ import annotations

import contextlib
import io
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from compat_lossscale import _patching
from compat_lossscale._atomic_file import replacing
from compat_lossscale.optimizers import stock
from compat_lossscale.optimizers.base import LossScaleOptimizer

H5_GROUP = "optimizer_weights/loss_scale"
"""Where a `.h5` file of a model has it."""


def read_from(optimizer: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Returns the values of a loss scale's variables by name; none for other optimizers."""
    if not isinstance(optimizer, LossScaleOptimizer):
        return {}
    variables = optimizer._loss_scale.state
    values = tf_keras.backend.batch_get_value(list(variables.values()))
    return dict(zip(variables, map(np.asarray, values), strict=True))


def give_to(optimizer: Any, state: Mapping[str, Any]) -> None:
    """Sets those variables; what other optimizers are given goes nowhere."""
    if isinstance(optimizer, LossScaleOptimizer):
        variables = optimizer._loss_scale.state
        known = [(variables[name], value) for name, value in state.items() if name in variables]
        tf_keras.backend.batch_set_value(known)


def make_variables(optimizer: Any, trained: Any) -> None:
    """Makes all variables of an optimizer, so that their values are not deferred."""
    if isinstance(optimizer, stock.OptimizerV2):
        optimizer._create_all_weights(trained)
    else:
        optimizer.build(trained)


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
    if _read(model, filepath) or not tf.executing_eagerly():
        return model
    optimizer = getattr(model, "optimizer", None)
    if isinstance(optimizer, LossScaleOptimizer):
        # A SavedModel has its state in a checkpoint of its own.
        make_variables(optimizer, model.trainable_variables)
        variables = Path(str(filepath)) / "variables" / "variables"
        tf.train.Checkpoint(model).read(str(variables)).expect_partial()
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
    with _opened_anywhere(path, "r+") as file:
        if file is None:
            return  # A SavedModel has it, for it has a checkpoint.
        state = read_from(optimizer)
        if "model_weights" not in file:
            if isinstance(optimizer, stock.LegacyLossScaleOptimizer):
                optimizer.save_own_variables(file.require_group(_WEIGHTS))
            file.require_group(_LOSS_SCALE).update(state)
        elif "training_config" in file.attrs:  # It was saved with its optimizer.
            file.require_group(H5_GROUP).update(state)


def _read(model: Any, path: Any) -> bool:
    """Reads what `_add` added; returns whether the path leads to a file that can have it."""
    optimizer = getattr(model, "optimizer", None)
    with _opened_anywhere(path, "r") as file:
        if file is None:
            return False
        if isinstance(optimizer, LossScaleOptimizer):
            if isinstance(optimizer, stock.LegacyLossScaleOptimizer) and _WEIGHTS in file:
                optimizer._create_all_weights(model.trainable_variables)
                optimizer.load_own_variables(file[_WEIGHTS])
            for group in (_LOSS_SCALE, H5_GROUP):
                state = file.get(group, {}).items()
                give_to(optimizer, {name: np.asarray(value) for name, value in state})
    return True


@contextlib.contextmanager
def _opened_anywhere(path: Any, mode: str) -> Iterator[Any]:
    """The HDF5 file that a path leads to, or that is in the archive there; `None` without one."""
    import h5py  # noqa: PLC0415  # tf-keras has imported it by now; nothing else here needs it

    is_open = hasattr(path, "read")  # tf-keras opens what may be on another machine.
    if isinstance(path, h5py.File):
        yield path
    elif not (is_open or Path(str(path)).is_file()):
        yield None
    elif is_open or h5py.is_hdf5(path):
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
    modules = {
        id(module): module
        for title, module in list(sys.modules.items())
        if title.split(".")[0] in ("tf_keras", "tensorflow")
    }
    return [
        (module, name, replacement)
        for module in modules.values()
        for name, value in list(getattr(module, "__dict__", {}).items())
        if value is function
    ]


def _is_keras_trackable(original: Callable[[Any], bool], obj: Any) -> bool:
    """Lets `.keras` files visit legacy optimizers with loss scaling."""
    return original(obj) or isinstance(obj, LossScaleOptimizer)


def _save_state(
    original: Callable[..., None],
    trackable: Any,
    weights_store: Any,
    assets_store: Any,
    inner_path: str,
    visited_trackables: set[int],
) -> None:
    """Adds the loss scale's state to a `.keras` file, below its optimizer."""
    is_new = id(trackable) not in visited_trackables
    original(trackable, weights_store, assets_store, inner_path, visited_trackables)
    if is_new and isinstance(trackable, LossScaleOptimizer):
        store = weights_store.make(f"{inner_path}/loss_scale")
        for name, value in read_from(trackable).items():
            store[name] = value


def _load_state(
    original: Callable[..., None],
    trackable: Any,
    weights_store: Any,
    assets_store: Any,
    inner_path: str,
    *args: Any,
    **kwargs: Any,
) -> None:
    """Reads the state that `_save_state` added."""
    optimizer = isinstance(trackable, stock.Model) and getattr(trackable, "optimizer", None)
    if isinstance(optimizer, stock.LegacyLossScaleOptimizer) and trackable.built:
        # The values can only be read into variables that are there.
        optimizer._create_all_weights(trackable.trainable_variables)
    original(trackable, weights_store, assets_store, inner_path, *args, **kwargs)
    if isinstance(trackable, LossScaleOptimizer):
        store = weights_store.get(f"{inner_path}/loss_scale")
        give_to(trackable, {name: np.asarray(store[name]) for name in store})


def _save_optimizer_weights(original: Callable[..., None], group: Any, optimizer: Any) -> None:
    """Adds the loss scale's state to a `.h5` file, beside the weights that are listed in it."""
    original(group, optimizer)
    for name, value in read_from(optimizer).items():
        group.require_group(H5_GROUP).create_dataset(name, data=value)


_PRIVATE: tuple[_patching.FunctionPatch, ...] = (
    (stock.saving_lib, "_is_keras_trackable", _is_keras_trackable),
    (stock.saving_lib, "_save_state", _save_state),
    (stock.saving_lib, "_load_state", _load_state),
    (stock.hdf5_format, "save_optimizer_weights_to_hdf5_group", _save_optimizer_weights),
    (stock.hdf5_format, "load_model_from_hdf5", _load_model),
    (stock.saved_model_load, "load", _load_model),
)
_has_private = stock.saving_lib and stock.hdf5_format and stock.saved_model_load
PATCHES = _PRIVATE if _has_private else patches()
"""The patches of tf-keras' savers and loaders."""
