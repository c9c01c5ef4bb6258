# SPDX-License-Identifier: Apache-2.0
"""Private names of other packages, each behind a probe with a fallback.

If a release moves a private name, this package may become slower but must not break. So each
private name is looked up once, with a fallback for releases that do not have it.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any


def probe(module: str, name: str, fallback: Any = None) -> Any:
    """Looks up a private name.

    Args:
        module: The module that has it, such as `"tensorflow.python.types.core"`.
        name: The name in the module, with attributes after dots.
        fallback: The value to return if there is no such module or name.

    Returns:
        The object with that name, or `fallback`.
    """
    try:
        return functools.reduce(getattr, name.split("."), importlib.import_module(module))
    except (ImportError, AttributeError):
        return fallback
