# SPDX-License-Identifier: Apache-2.0
"""Dataclasses as JSON values and back, for what one process tells another."""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

_T = TypeVar("_T")


def to_json(value: Any) -> Any:
    """Returns a dataclass, and everything in it, as a JSON value.

    Args:
        value: A dataclass of JSON values, enumerations, tuples and further dataclasses.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (field.name for field in dataclasses.fields(value))
        return {name: to_json(getattr(value, name)) for name in fields}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: to_json(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(child) for child in value]
    return value


def from_json(kind: type[_T], value: Any) -> _T:
    """Returns the dataclass that `to_json` was given.

    Args:
        kind: Its class.
        value: The JSON value.
    """
    made: _T = _made(kind, value)
    return made


def _made(kind: Any, value: Any) -> Any:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        # Of None and one other class, or of classes that JSON has.
        others = [part for part in parts if part is not types.NoneType]
        return value if value is None or len(others) > 1 else _made(others[0], value)
    if origin is tuple:
        if parts[-1] is Ellipsis:
            return tuple(_made(parts[0], child) for child in value)
        return tuple(_made(part, child) for part, child in zip(parts, value, strict=True))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: _made(hints[name], child) for name, child in value.items()})
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(value)
    return value


_hints = functools.cache(typing.get_type_hints)
