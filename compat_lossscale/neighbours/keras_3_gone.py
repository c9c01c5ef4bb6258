# SPDX-License-Identifier: Apache-2.0
"""Names of `tf.keras` that Keras 3 lacks, of which none is served.

An `AttributeError`, or a `ModuleNotFoundError` for an import, says what to use instead.
"""

from __future__ import annotations

import functools
import types

from compat_lossscale._import_hook import when_imported
from compat_lossscale._patching import Undo
from compat_lossscale.neighbour_names.keras_3_names import GONE, GONE_V1, instead_of
from compat_lossscale.neighbour_names.neighbour import Neighbour
from compat_lossscale.neighbours.lazy_names import put_lazy_names
from compat_lossscale.neighbours.module_finder import put_modules

_HOMES = (
    "keras._tf_keras.keras",
    "keras",
    "tensorflow.keras",
    "tensorflow.compat.v1.keras",
    "tensorflow.compat.v2.keras",
)
"""Where programs find Keras. The first is what `tf.keras` leads to, and imports make copies."""


def put(undo: Undo) -> None:
    """Has the names explained.

    Args:
        undo: What takes that back.
    """
    places: dict[str, dict[str, Neighbour]] = {}
    modules = {}
    for below in sorted(GONE | GONE_V1):
        place, _, name = below.rpartition(".")
        places.setdefault(place, {})[name] = _neighbour(below)
        # Of the error of an attribute, `from tensorflow.keras.layers import it` shows nothing.
        modules.update({f"{home}.{below}": _neighbour(below) for home in _HOMES})
    put_modules(modules, undo)
    for place, names in places.items():
        for home in _HOMES:
            put_in = functools.partial(_put_in, names, undo)
            when_imported(f"{home}.{place}".removesuffix("."), put_in, undo)


def _put_in(names: dict[str, Neighbour], undo: Undo, module: types.ModuleType) -> None:
    if type(module) is types.ModuleType:  # TensorFlow's lazy one leads to one of these.
        put_lazy_names(module, names, undo)


def _neighbour(below: str) -> Neighbour:
    return Neighbour(
        f"tensorflow.keras.{below}",
        "Keras 2",
        "",
        "Keras 3 has none",
        f"Use {instead_of(below)}. Without that change, run the program on tf-keras: "
        "compat-lossscale run, without --keras3",
    )
