# SPDX-License-Identifier: Apache-2.0
"""What removed functions of numpy and of Python's library did. Imported when one is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

NINF = -np.inf
NZERO = -0.0
PZERO = 0.0


def asscalar(a: Any) -> Any:
    """Returns the only element of an array, as a number of Python's."""
    return a.item()


def alen(a: Any) -> int:
    """Returns the length of the first dimension; a scalar's is 1."""
    return len(np.atleast_1d(a))


def msort(a: Any) -> Any:
    """Returns a copy that is sorted along the first axis."""
    return np.sort(a, axis=0)


def asfarray(a: Any, dtype: Any = np.float64) -> Any:
    """Returns an array of floats; types that are none become float64."""
    return np.asarray(a, dtype=dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Says of each element of the one, flattened, whether the other has it."""
    return np.isin(np.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def obj2sctype(rep: Any, default: Any = None) -> Any:
    """Returns the scalar type of an array, a dtype, or what can be made one."""
    if isinstance(rep, np.ndarray):
        return rep.dtype.type
    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    try:
        return np.dtype(rep).type
    except TypeError:
        return default


def issubsctype(arg1: Any, arg2: Any) -> bool:
    """Whether the scalar type of the one is that of the other, or below it."""
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


class _Casts(dict[Any, Callable[..., Any]]):
    def __missing__(self, kind: Any) -> Callable[..., Any]:
        return lambda a: np.asarray(a).astype(kind)


cast = _Casts()
"""`cast[type](a)` converts an array."""

sctypes = {
    "int": [np.int8, np.int16, np.int32, np.int64],
    "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
    "float": [np.float16, np.float32, np.float64, np.longdouble],
    "complex": [np.complex64, np.complex128, np.clongdouble],
    "others": [bool, object, bytes, str, np.void],
}
"""The scalar types, by kind."""


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
