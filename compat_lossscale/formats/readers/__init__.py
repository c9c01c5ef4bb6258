# SPDX-License-Identifier: Apache-2.0
"""One module for each stored format, with `FORMAT`, `SUFFIXES`, `matches(path)` and `read(path)`.

Every module in this folder is used: no other file lists them.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import Protocol

from compat_lossscale.formats.artefact import Artefact


class Reader(Protocol):
    """The names that a module of this folder defines."""

    FORMAT: str
    """The name of the format, for users."""
    SUFFIXES: tuple[str, ...]
    """The suffixes of files that are searched for in folders."""

    def matches(self, path: str) -> bool:
        """Whether a file or folder has this format, by its content if possible."""

    def read(self, path: str) -> Artefact:
        """Reads a file or folder.

        Raises:
            UnreadableArtefactError: It cannot be read. The message says where and why.
        """


@functools.cache
def readers() -> tuple[Reader, ...]:
    """Returns the modules, in the order of their names."""
    return tuple(
        importlib.import_module(f"{__name__}.{module.name}")
        for module in pkgutil.iter_modules(__path__)
    )
