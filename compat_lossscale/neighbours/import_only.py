# SPDX-License-Identifier: Apache-2.0
"""Stands for private modules that programs import with others, and hardly ever use."""

from __future__ import annotations

from typing import Any


class OnlyImported:
    """What any name of those modules is here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "This is of a private module that left TensorFlow, and can only be imported. In place "
            "of tensorflow.python.eager.profiler, use tf.profiler.experimental. Estimators do not "
            "run on TPUs any more: train a tf.keras.Model under tf.distribute.TPUStrategy."
        )


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return OnlyImported
