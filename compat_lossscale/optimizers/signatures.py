# SPDX-License-Identifier: Apache-2.0
"""Which arguments a method takes that a user may have written."""

from __future__ import annotations

import functools
import inspect
from typing import Any


def accepts(function: Any, parameter: str) -> bool:
    """Whether a function or method takes an argument by keyword.

    Args:
        function: The function or method.
        parameter: The keyword.
    """
    return _accepts(getattr(function, "__func__", function), parameter)


@functools.lru_cache(maxsize=16)
def _accepts(function: Any, parameter: str) -> bool:
    parameters = inspect.signature(function).parameters
    return parameter in parameters or any(
        p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()
    )
