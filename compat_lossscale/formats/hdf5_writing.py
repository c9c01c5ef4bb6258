# SPDX-License-Identifier: Apache-2.0
"""Changes HDF5 files, which Keras writes as `.h5` and inside of `.keras`. It runs as `hdf5` does.

Each file that is changed is a copy: an error may leave it half-written.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from compat_lossscale.formats.hdf5 import variables_in

_BFLOAT16 = 2
"""In bytes. numpy does not know the type, and stores them without one."""
_DTYPES = ("int64", "float32")


def replace_training_config(path: str, text: str) -> None:
    """Writes another `training_config` into a file, which is changed in place.

    Args:
        path: The file.
        text: The new training config, JSON.
    """
    h5py = _h5py()
    with h5py.File(path, "r+") as opened:
        opened.attrs["training_config"] = text.encode("utf-8")


def rearrange(path: str, plan: Mapping[str, Any]) -> None:
    """Gives variables other paths and adds some, in place. None is read or copied.

    Args:
        path: The file.
        plan: `models.weights.VariablePlan.as_json`: what is done, in the order of its keys.

    Raises:
        OSError: Something in it is not where the plan has it, or is a link to elsewhere.
    """
    numpy = importlib.import_module("numpy")
    with _h5py().File(path, "r+") as opened:
        for before, after in plan["moves"]:
            _own(opened, before)
            opened.move(before, after)
        for before, after in plan["links"]:
            dataset = _own(opened, before)
            if not isinstance(dataset, _h5py().Dataset):
                raise OSError(f"{before} is no variable")
            opened[after] = dataset
        for place, value, dtype, shape in plan["made"]:
            if dtype not in _DTYPES:
                raise OSError(f"{place} cannot be of the type {dtype}")
            kind = numpy.dtype(dtype)
            # Its elements take no room until something else is written into it.
            opened.create_dataset(place, tuple(shape), kind, fillvalue=kind.type(value))
        for place in plan["removed"]:
            if place in opened:
                del opened[place]
        if plan["marks_bfloat16"]:
            _mark_bfloat16(opened)


def _mark_bfloat16(opened: Any) -> None:
    """Marks variables as Keras 3 does. tf-keras does not, and cannot load them itself."""
    for _, dataset in variables_in(opened):
        if dataset.dtype.kind == "V" and dataset.dtype.itemsize == _BFLOAT16:
            dataset.attrs["dtype"] = "bfloat16"


def _own(opened: Any, path: str) -> Any:
    """Returns what is at a path, if the file itself has it there."""
    h5py = _h5py()
    here = opened
    for name in path.split("/"):
        if not isinstance(here, h5py.Group) or name not in here:
            raise OSError(f"it has no {path}")
        if not isinstance(here.get(name, getlink=True), h5py.HardLink):
            raise OSError(f"{path} is a link to elsewhere")
        here = here[name]
    return here


def _h5py() -> Any:
    # Untyped, and needed in a process of its own only.
    return importlib.import_module("h5py")
