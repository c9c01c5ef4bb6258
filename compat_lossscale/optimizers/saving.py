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
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from compat_lossscale import _patching
from compat_lossscale.optimizers import saved_state, saving_files, stock
from compat_lossscale.optimizers.base import LossScaleOptimizer


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
        for name, value in saved_state.read_from(trackable).items():
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
    optimizer = (
        getattr(trackable, "optimizer", None) if isinstance(trackable, stock.Model) else None
    )
    if isinstance(optimizer, stock.LegacyLossScaleOptimizer) and trackable.built:
        # The values can only be read into variables that are there.
        optimizer._create_all_weights(trackable.trainable_variables)
    original(trackable, weights_store, assets_store, inner_path, *args, **kwargs)
    if isinstance(trackable, LossScaleOptimizer):
        store = weights_store.get(f"{inner_path}/loss_scale")
        saved_state.give_to(trackable, {name: np.asarray(store[name]) for name in store})


def _save_optimizer_weights(original: Callable[..., None], group: Any, optimizer: Any) -> None:
    """Adds the loss scale's state to a `.h5` file, beside the weights that are listed in it."""
    original(group, optimizer)
    for name, value in saved_state.read_from(optimizer).items():
        group.require_group(saved_state.H5_GROUP).create_dataset(name, data=value)


def _load_h5(original: Callable[..., Any], filepath: Any, *args: Any, **kwargs: Any) -> Any:
    """Reads the state that `_save_optimizer_weights` added."""
    model = original(filepath, *args, **kwargs)
    with _open_h5(filepath) as file:
        if saved_state.H5_GROUP in file:
            state = {name: value[()] for name, value in file[saved_state.H5_GROUP].items()}
            saved_state.give_to(getattr(model, "optimizer", None), state)
    return model


@contextlib.contextmanager
def _open_h5(file: Any) -> Iterator[Any]:
    import h5py  # noqa: PLC0415  # tf-keras has imported it by now; nothing else here needs it

    if isinstance(file, h5py.File):
        yield file
    else:
        with h5py.File(file, "r") as opened:
            yield opened


def _load_saved_model(original: Callable[..., Any], path: Any, *args: Any, **kwargs: Any) -> Any:
    """Restores the optimizer from a SavedModel's own checkpoint."""
    model = original(path, *args, **kwargs)
    saved_state.restore_from_saved_model(model, path)
    return model


_PRIVATE: tuple[_patching.FunctionPatch, ...] = (
    (stock.saving_lib, "_is_keras_trackable", _is_keras_trackable),
    (stock.saving_lib, "_save_state", _save_state),
    (stock.saving_lib, "_load_state", _load_state),
    (stock.hdf5_format, "save_optimizer_weights_to_hdf5_group", _save_optimizer_weights),
    (stock.hdf5_format, "load_model_from_hdf5", _load_h5),
    (stock.saved_model_load, "load", _load_saved_model),
)
PATCHES = (
    _PRIVATE
    if stock.saving_lib and stock.hdf5_format and stock.saved_model_load
    else saving_files.patches()
)
"""The patches of tf-keras' savers and loaders."""
