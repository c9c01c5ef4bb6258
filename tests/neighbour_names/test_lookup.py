# SPDX-License-Identifier: Apache-2.0
"""What stands at a path, and that each successor is there today and is what serves the old name."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from typing import Any

import pytest
import tensorflow.python.trackable  # noqa: F401  # `tf` has no attribute of this name

from compat_lossscale.neighbour_names import TABLE, neighbour_at, successor_of
from compat_lossscale.neighbour_names.neighbour import Neighbour

# The tests do without wandb: tests/legacy/test_wandb_names.py has a stand-in.
PATHS = [
    one
    for one in TABLE
    if re.fullmatch(r"[a-z]\w*(\.\w+)*", one.successor) and not one.name.startswith("wandb.")
]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("numpy.float", "numpy.float"),
        ("numpy.float.fromhex", "numpy.float"),
        ("numpy.float64", None),
        ("tensorflow.compat.v1.contrib.slim", "tensorflow.contrib.*"),
        ("tensorflow.compat.v1.estimator.X", "tensorflow.estimator.*"),
        ("tensorflow.python.keras.optimizer_v2.adam", "tensorflow.python.keras.optimizer_v2.*"),
        ("imp.reload", "imp.*"),
        ("importlib", None),
        ("", None),
    ],
)
def test_which_neighbour_stands_at_a_path(path: str, name: str | None) -> None:
    found = neighbour_at(path)
    assert (found.module_or_name if found else None) == (name.removesuffix(".*") if name else None)


@pytest.mark.parametrize(
    ("path", "successor"),
    [
        ("numpy.float", "float"),
        ("numpy.float.fromhex", ""),
        ("numpy.NINF", "-numpy.inf"),
        ("collections.Mapping", "collections.abc.Mapping"),
        ("time.clock", ""),
        ("imp.reload", ""),
        ("xml.etree.cElementTree.parse", "xml.etree.ElementTree.parse"),
        ("tensorflow.python.training.tracking.base.X", "tensorflow.python.trackable.base.X"),
        ("tensorflow.python.training.tracking.util.X", ""),
        ("tensorflow.python.keras", "tensorflow.keras"),
        ("tensorflow.python.keras.backend", "tensorflow.keras.backend"),
        ("tensorflow.python.keras.engine.training.Model", "tensorflow.keras.Model"),
        ("tensorflow.python.keras.engine.training_v1.Model", ""),
        ("tensorflow.python.keras.engine.base_layer.Layer", "tensorflow.keras.layers.Layer"),
        ("tensorflow.python.keras.utils.tf_utils.ListWrapper", ""),
        ("tensorflow.python.kerastuner", ""),
    ],
)
def test_what_takes_the_place_of_a_path(path: str, successor: str) -> None:
    assert successor_of(path) == successor


@pytest.mark.parametrize("neighbour", PATHS, ids=lambda one: one.name)
def test_a_successor_is_there_and_is_what_serves_the_name(neighbour: Neighbour) -> None:
    successor = _at(neighbour.successor)
    if neighbour.exactly:
        assert callable(successor)  # What serves the name calls it, or has the same arguments.
    else:
        assert successor is pkgutil.resolve_name(neighbour.served_by)


def _at(path: str) -> Any:
    """What is at a path, which modules that are to be imported can be on."""
    first, *names = (path if "." in path else f"builtins.{path}").split(".")
    if path in sys.stdlib_module_names or path in sys.modules:
        return importlib.import_module(path)
    found, so_far = importlib.import_module(first), first
    for name in names:
        so_far += f".{name}"
        try:
            found = getattr(found, name)
        except AttributeError:
            found = importlib.import_module(so_far)
    return found
