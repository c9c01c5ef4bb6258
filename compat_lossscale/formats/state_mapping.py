# SPDX-License-Identifier: Apache-2.0
"""Converts an optimizer's variables when a model file is converted to Keras 3.

For most classes, tf-keras' new optimizers and Keras 3's have the same variables in the same order.
In a converted `.keras` archive, they are numbered as in Keras 3.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from compat_lossscale.errors import ConversionError
from compat_lossscale.formats.artefact import Artefact
from compat_lossscale.formats.config import WrapperConfig
from compat_lossscale.formats.inner_optimizer import Family, class_name, family, is_known
from compat_lossscale.formats.readers import keras_archive
from compat_lossscale.spec import Generation

SAME = frozenset({"SGD", "Adam", "AdamW", "Adagrad", "Adadelta", "Adamax", "Lion"})
"""The classes whose further steps differ in the last bit at most."""
NEARLY = frozenset({"RMSprop", "Ftrl"})
"""The classes that round differently."""
_NOT_MAPPED = {
    "Nadam": (
        "Keras 3's Nadam also keeps the product of its momentum schedule, which tf-keras does not "
        "save"
    ),
    "Adafactor": "the two Adafactors keep different variables",
}


def why_lost(parts: WrapperConfig, target: Generation, artefact: Artefact) -> str | None:
    """Returns why a model that is converted from tf-keras to Keras 3 loses its variables.

    Args:
        parts: The model's loss-scale config.
        target: The generation to convert to.
        artefact: The model's file.

    Returns:
        The reason; `None` if the model keeps all variables.
    """
    if parts.inner is None or not is_known(parts.inner) or target is not Generation.KERAS3:
        return f"{target.title} reads the variables of the other family of optimizers differently"
    name = class_name(parts.inner)
    if family(parts.inner, parts.generation) is not Family.NEW:
        return f"{target.title} has other variables than the legacy family"
    if artefact.format != keras_archive.FORMAT:
        return (
            f"{target.title} restores only the loss scale from such a file, and nothing of the "
            "wrapped optimizer; convert a .keras archive"
        )
    if name not in SAME | NEARLY:
        return _NOT_MAPPED.get(name, f"the variables of {name} were not compared")
    return None


def keras3_numbers(parts: WrapperConfig, artefact: Artefact) -> dict[str, Any]:
    """Returns the values of variables that only Keras 3's optimizer has.

    Args:
        parts: The model's loss-scale config.
        artefact: The model's file.

    Returns:
        The arguments of `hdf5.number_as_keras3` after the path, by name.

    Raises:
        ConversionError: The learning rate is larger than any float.
    """
    assert parts.inner is not None
    settings: Mapping[str, Any] = parts.inner["config"]
    rate = settings.get("learning_rate")
    state = artefact.states[0]
    scale = parts.spec.initial_scale if state.loss_scale is None else state.loss_scale
    # tf-keras always creates SGD's momenta, and Keras 3 only if there is a momentum.
    has_slots = class_name(parts.inner) != "SGD" or bool(settings.get("momentum"))
    return {
        # A schedule is not a variable.
        "learning_rate": _float32(rate) if isinstance(rate, int | float) else None,
        "loss_scale": scale,
        "good_steps": state.good_steps or 0,
        "has_slots": has_slots,
    }


def _float32(rate: float) -> float:
    try:
        return ctypes.c_float(rate).value
    except OverflowError:
        raise ConversionError("its learning rate is larger than any float") from None
