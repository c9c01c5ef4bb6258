# SPDX-License-Identifier: Apache-2.0
"""Private names of other packages, each behind a probe with a fallback.

A release that moves a private name must make this package slower at worst. So a private name is
looked up once, here, and whoever needs it says what to use where it is not found.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any


def probe(module: str, name: str, fallback: Any = None) -> Any:
    """Looks up a private name.

    Args:
        module: The module that has it, such as `"tensorflow.python.types.core"`.
        name: The name in the module; attributes of it behind dots.
        fallback: What to return where the module or the name is not found.

    Returns:
        What the name stands for, or `fallback`.
    """
    try:
        return functools.reduce(getattr, name.split("."), importlib.import_module(module))
    except (ImportError, AttributeError):
        return fallback
