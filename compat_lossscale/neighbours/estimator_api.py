# SPDX-License-Identifier: Apache-2.0
"""Gives `tf.estimator`, and says what to install where its package is missing."""

from __future__ import annotations

import importlib
from typing import Any

_INSTALL = "pip install --no-deps 'tensorflow-estimator==2.15.*'"


def __getattr__(name: str) -> Any:
    if name not in {"estimator_v1", "estimator_v2"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    api = f"tensorflow_estimator._api.{name[-2:]}.estimator"
    try:
        return importlib.import_module(api)
    except ModuleNotFoundError as error:
        if error.name != "tensorflow_estimator":
            raise
        raise AttributeError(
            "tf.estimator ended with TensorFlow 2.15, and works with the package that it came "
            f"from, which is not installed: {_INSTALL}",
            name="estimator",
        ) from None
