# SPDX-License-Identifier: Apache-2.0
"""Lets a program's mixin keep its `compute_loss`, a name that `tf.keras.Model` took in 2.9.

`class Model(tf.keras.Model, Loss)`, with a `compute_loss` in `Loss`, found that one up to 2.8.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from compat_lossscale._patching import Undo, set_attribute


def put_compute_loss(undo: Undo) -> None:
    """Puts the descriptor below in place of `Model.compute_loss`."""
    model = importlib.import_module("tf_keras").Model
    set_attribute(model, "compute_loss", ComputeLoss(model.compute_loss), undo)


class ComputeLoss:
    """What `Model.compute_loss` gives: to tf-keras its own, to others a later base class' first."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def __get__(self, model: Any, cls: type | None = None) -> Any:
        if not _asked_by_keras():
            for base in (cls or type(model)).__mro__:
                method = vars(base).get("compute_loss")
                if method is not None and method is not self:
                    return method.__get__(model, cls)
        return self._own.__get__(model, cls)


def _asked_by_keras() -> bool:
    asker = str(sys._getframe(2).f_globals.get("__name__"))
    return asker.startswith("tf_keras.")
