# SPDX-License-Identifier: Apache-2.0
"""The table of names next to the loss-scale API that old programs use, and that are gone today.

Plain data, one module a subject: what was where, until when, what serves it, and what new code has
in its place. `neighbours` serves the names, `doctor` and the codemod look them up. Nothing here
imports a framework.
"""

from __future__ import annotations

from compat_lossscale.neighbour_names import (
    keras_names,
    library_names,
    moved_names,
    tensorflow_names,
)
from compat_lossscale.neighbour_names.neighbour import Neighbour

MEMBERS: tuple[Neighbour, ...] = (*tensorflow_names.METHODS, *tensorflow_names.COMMON_METHODS)
"""The neighbours that are attributes of classes."""
TABLE: tuple[Neighbour, ...] = (
    *MEMBERS,
    *tensorflow_names.NAMES,
    *tensorflow_names.RARE,
    *tensorflow_names.ESTIMATORS,
    *tensorflow_names.MODULES,
    *moved_names.NAMES,
    *moved_names.MODULES,
    *keras_names.NAMES,
    *keras_names.MODULES,
    *library_names.NUMPY,
    *library_names.SCIPY,
    *library_names.WANDB,
    *library_names.PYTHON,
)
"""Every neighbour."""
