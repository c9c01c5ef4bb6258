# SPDX-License-Identifier: Apache-2.0
"""Gives `tf.estimator`, and says what to install where its package is missing."""

from __future__ import annotations

import importlib
from typing import Any

from compat_lossscale.neighbour_names.estimator_names import NAMES


def __getattr__(name: str) -> Any:
    if name not in {"estimator_v1", "estimator_v2"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    api = f"tensorflow_estimator._api.{name[-2:]}.estimator"
    try:
        return importlib.import_module(api)
    except ModuleNotFoundError as error:
        if error.name != "tensorflow_estimator":
            raise
        raise AttributeError(NAMES[0].missing(), name="estimator") from None
