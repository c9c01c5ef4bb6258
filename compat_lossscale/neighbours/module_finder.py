# SPDX-License-Identifier: Apache-2.0
"""Modules that are gone are imported from the table, when they are asked for.

The finder is last in `sys.meta_path`, so it is asked only for modules that nobody else finds.
"""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any

from compat_lossscale._import_hook import add_finder, remove_finder
from compat_lossscale._patching import Undo
from compat_lossscale.neighbour_names.neighbour import Neighbour


def put_modules(modules: Mapping[str, Neighbour], undo: Undo) -> None:
    """Serves modules that are gone.

    Args:
        modules: By name; a module serves those below it too.
        undo: What takes that back.
    """
    finder = _Finder(modules)
    add_finder(finder, first=False)
    undo.append(functools.partial(take_finder_back, finder, finder.served))


def take_finder_back(finder: Any, served: Mapping[str, Any]) -> None:
    """Removes a finder, and what was imported by it."""
    remove_finder(finder)
    for name, module in served.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
        parent, _, short_name = name.rpartition(".")
        namespace = vars(sys.modules[parent]) if parent in sys.modules else {}
        if namespace.get(short_name) is module:
            del namespace[short_name]


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, modules: Mapping[str, Neighbour]) -> None:
        self._modules = modules
        self.served: dict[str, Any] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        above, below = name, ""
        while above not in self._modules:
            above, dot, last = above.rpartition(".")
            if not dot:
                return None
            below = f".{last}{below}"
        neighbour = self._modules[above]
        # Of an error that has the module's own name, `from tensorflow import contrib` leaves only
        # "cannot import name".
        if not neighbour.is_served:
            raise ModuleNotFoundError(f"No module named {name!r}: {neighbour.explanation()}")
        try:
            module = serving_module([f"{one}{below}" for one in neighbour.served_by.split(", ")])
        except ModuleNotFoundError as error:
            if neighbour.package and error.name == neighbour.package[0]:
                raise ModuleNotFoundError(
                    f"No module named {name!r}: {neighbour.missing()}", name=error.name
                ) from None
            return None
        self.served[name] = module
        return importlib.machinery.ModuleSpec(name, _Loader(module), is_package=True)


def serving_module(paths: Sequence[str]) -> Any:
    """Returns the module that serves for those at `paths`.

    Raises:
        ModuleNotFoundError: The first of them is not there, or none is.
    """
    modules = [importlib.import_module(paths[0])]
    for path in paths[1:]:
        try:
            modules.append(importlib.import_module(path))
        except ModuleNotFoundError:
            continue
    # What is imported below a package becomes an attribute of it, and belongs to no other package.
    if len(modules) == 1 and not hasattr(modules[0], "__path__"):
        return modules[0]
    return StandIn(modules)


class StandIn(types.ModuleType):
    """A module whose names are those of other modules, the first that has one."""

    def __init__(self, modules: Sequence[Any], name: str = "") -> None:
        super().__init__(name or modules[0].__name__)
        self.__path__: list[str] = []
        self._stands_for = tuple(modules)

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self.__dir__()
        if name == "__file__":
            return getattr(self._stands_for[0], name)
        for module in self._stands_for:
            if hasattr(module, name):
                return getattr(module, name)
        raise AttributeError(
            f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self
        )

    def __dir__(self) -> list[str]:
        names = {name for module in self._stands_for for name in dir(module)}
        return sorted(name for name in {*names, *vars(self)} if not name.startswith("_"))


class _Loader(importlib.abc.Loader):
    """Gives a module that is there already."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__
        self._name = module.__name__

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return self._module

    def exec_module(self, module: types.ModuleType) -> None:
        # The import has said that the module is the one that was asked for; it may be another's.
        if isinstance(module, StandIn):
            assert module.__spec__ is not None
            module.__name__ = module.__spec__.name
        else:
            module.__spec__ = self._spec
