# SPDX-License-Identifier: Apache-2.0
"""Stands for modules that estimators use on TPUs only, so that the others can be imported."""

from __future__ import annotations

from typing import Any


class NotOnTPU:
    """What any class of those modules is here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "Estimators do not run on TPUs any more: what they need left TensorFlow with 2.15. "
            "Train a tf.keras.Model under tf.distribute.TPUStrategy."
        )


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return NotOnTPU
