# SPDX-License-Identifier: Apache-2.0
"""Names that a module or an object lacks are looked up in the table, when they are asked for.

A module's `__getattr__` (PEP 562) is asked only for names that the module does not have, so names
that it has cost what they did, and keep their meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compat_lossscale._patching import Undo, set_attribute
from compat_lossscale.neighbour_names.neighbour import Neighbour


def put_lazy_names(module: Any, names: Mapping[str, Neighbour], undo: Undo) -> None:
    """Serves names of a module that it lacks.

    Args:
        module: The module.
        names: What it is to have, by name.
        undo: What takes that back.
    """
    own = vars(module).get("__getattr__")

    def look_up(name: str) -> Any:
        neighbour = names.get(name)
        if neighbour is not None:
            return neighbour.resolve()
        if own is not None:
            return own(name)
        raise AttributeError(
            f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module
        )

    set_attribute(module, "__getattr__", look_up, undo)


def put_explanations(cls: Any, names: Mapping[str, Neighbour], undo: Undo) -> None:
    """Lets the error of an attribute that objects lack say what to do.

    To `hasattr` and `dir` it is not there.

    Args:
        cls: The class of the objects.
        names: The attributes, by name, which nothing serves.
        undo: What takes that back.
    """
    own = getattr(cls, "__getattr__", None)

    def explain(self: Any, name: str) -> Any:
        if own is not None:
            return own(self, name)
        try:
            # Fails as before: a property may have failed, too, with an error of its own.
            return object.__getattribute__(self, name)
        except AttributeError:
            if name not in names or hasattr(type(self), name):
                raise
        raise AttributeError(names[name].explanation(), name=name, obj=self)

    set_attribute(cls, "__getattr__", explain, undo)
