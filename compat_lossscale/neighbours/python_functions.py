# SPDX-License-Identifier: Apache-2.0
"""What removed functions of Python's library did. Imported when one is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple


class ArgSpec(NamedTuple):
    """The arguments of a function, as `getargspec` gave them."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(func: Callable[..., Any]) -> ArgSpec:
    """Returns the names of a function's arguments, and the defaults.

    Raises:
        ValueError: It has keyword-only arguments or annotations, which the result has no place for.
    """
    spec = inspect.getfullargspec(func)
    if spec.kwonlyargs or spec.annotations:
        raise ValueError(
            f"{func!r} has keyword-only arguments or annotations, which getargspec cannot tell. "
            "Call inspect.getfullargspec instead."
        )
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)
