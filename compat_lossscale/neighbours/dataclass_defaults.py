# SPDX-License-Identifier: Apache-2.0
"""Lets dataclasses have defaults that cannot be hashed, as up to Python 3.10.

Since 3.11 an instance of a dataclass cannot be the default of a field of another, nor an array.
Configurations of old programs are made of such. Lists, dicts and sets never could be.
https://docs.python.org/3/whatsnew/3.11.html#dataclasses
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from compat_lossscale._patching import Undo, set_attribute

_PRIVATE = "_get_field"


def put_unhashable_defaults(undo: Undo) -> None:
    """Accepts such defaults again.

    Args:
        undo: What takes that back.
    """
    own = getattr(dataclasses, _PRIVATE, None)
    if sys.version_info < (3, 11) or own is None:
        return

    def get_field(cls: type, name: str, kind: Any, *more: Any) -> Any:
        given = getattr(cls, name, dataclasses.MISSING)
        default = given.default if isinstance(given, dataclasses.Field) else given
        if type(default).__hash__ is not None or isinstance(default, (list, dict, set)):
            return own(cls, name, kind, *more)
        was_its_own = name in vars(cls)
        # Python asks the default for its hash; the real one is put in afterwards.
        if isinstance(given, dataclasses.Field):
            given.default = None
        else:
            setattr(cls, name, None)
        try:
            field = own(cls, name, kind, *more)
        finally:
            if isinstance(given, dataclasses.Field):
                given.default = default
            elif was_its_own:
                setattr(cls, name, default)
            else:
                delattr(cls, name)
        field.default = default
        return field

    set_attribute(dataclasses, _PRIVATE, get_field, undo)
