# SPDX-License-Identifier: Apache-2.0
"""libcst, imported when the first of its names is used: most runs meet no file that needs it.

https://docs.python.org/3/library/importlib.html#importlib.util.LazyLoader would put it into
`sys.modules` at once, where others look for it to know whether it is loaded.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING


class _OnDemand:
    """Stands for libcst; each name is looked up once."""

    def __getattr__(self, name: str) -> object:
        value = getattr(importlib.import_module("libcst"), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import libcst as cst
else:
    cst = _OnDemand()

__all__ = ["cst"]
