# SPDX-License-Identifier: Apache-2.0
"""Stored loss-scale configs and state of every generation, read without building anything.

`read` tells what an artefact is by its content and reads it; `conversion.convert` moves a config
from one generation's form to another's. Nothing that a file contains is executed or imported, and
no TensorFlow is needed for any of it.
"""

from __future__ import annotations

from compat_lossscale.formats.artefact import (
    Artefact,
    LiveState,
    StatedConfig,
    UnreadableArtefactError,
)
from compat_lossscale.formats.conversion import Conversion, Field, Verdict, convert
from compat_lossscale.formats.reading import read

__all__ = [
    "Artefact",
    "Conversion",
    "Field",
    "LiveState",
    "StatedConfig",
    "UnreadableArtefactError",
    "Verdict",
    "convert",
    "read",
]
