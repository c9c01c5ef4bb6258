# SPDX-License-Identifier: Apache-2.0
"""One module a stored format. Each has `FORMAT`, `matches(path)` and `read(path)`.

A new module in this folder is a new format: nothing else lists them.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Protocol

from compat_lossscale.formats.artefact import Artefact


class Reader(Protocol):
    """What a module of this folder provides."""

    FORMAT: str
    """The format's name."""

    def matches(self, path: str) -> bool:
        """Whether a file or folder looks like one of this format, by content if it can be."""

    def read(self, path: str) -> Artefact:
        """Reads one.

        Raises:
            UnreadableArtefactError: It cannot be read; the message says where and why.
        """


def readers() -> list[Reader]:
    """Returns the modules, by name."""
    return [
        importlib.import_module(f"{__name__}.{module.name}")
        for module in pkgutil.iter_modules(__path__)
    ]
