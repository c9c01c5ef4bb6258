# SPDX-License-Identifier: Apache-2.0
"""What removed functions of numpy and of Python's library did. Imported when one is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

NINF = -np.inf


def asscalar(a: Any) -> Any:
    """Returns the only element of an array, as a number of Python's."""
    return a.item()


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Says of each element of the one, flattened, whether the other has it."""
    return np.isin(np.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


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
