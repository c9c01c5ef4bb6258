# SPDX-License-Identifier: Apache-2.0
"""Lets `tensorflow.python.keras` mean tf-keras to everybody except TensorFlow.

TensorFlow has a package of that name still, which its own modules go on using. So the modules that
stand in for it look at who asks: TensorFlow's own code gets what it had.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any

from compat_lossscale._import_hook import add_finder, remove_finder
from compat_lossscale._patching import Undo, set_attribute
from compat_lossscale.neighbour_names.keras_names import PRIVATE
from compat_lossscale.neighbour_names.neighbour import Neighbour
from compat_lossscale.neighbours.module_finder import StandIn, serving_module

_LEFT_ALONE = f"{PRIVATE}.mixed_precision"
"""The old names of loss scaling are in place there."""
_IMPORTERS = ("importlib", "importlib._bootstrap", "_frozen_importlib", __name__)


def put_keras_modules(
    modules: Mapping[str, Neighbour], names: Mapping[str, Mapping[str, Neighbour]], undo: Undo
) -> None:
    """Puts modules in place of those of `tensorflow.python.keras`.

    Args:
        modules: What serves them, by name.
        names: By module, names that are served from elsewhere.
        undo: What takes that back.
    """
    if PRIVATE not in sys.modules:
        return
    own = {name: module for name, module in sys.modules.items() if _is_replaced(name)}
    finder = _Finder(own, modules, names)
    for name in own:
        del sys.modules[name]
    add_finder(finder, first=True)

    def put_back() -> None:
        remove_finder(finder)
        for name in [name for name in sys.modules if _is_replaced(name)]:
            del sys.modules[name]
        sys.modules.update(own)

    undo.append(put_back)
    # The import puts the stand-in into the package above; what is there now is to come back.
    set_attribute(sys.modules[PRIVATE.rpartition(".")[0]], "keras", own[PRIVATE], undo)
    root = importlib.import_module(PRIVATE)
    root.mixed_precision = sys.modules[_LEFT_ALONE]  # type: ignore[attr-defined]  # added here


def _is_replaced(name: str) -> bool:
    return f"{name}.".startswith(f"{PRIVATE}.") and not f"{name}.".startswith(f"{_LEFT_ALONE}.")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that stand in, and those that TensorFlow gets."""

    def __init__(
        self,
        own: dict[str, Any],
        modules: Mapping[str, Neighbour],
        names: Mapping[str, Mapping[str, Neighbour]],
    ) -> None:
        self._own = own
        self._modules = modules
        self._names = names

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not _is_replaced(name):
            return None
        if self._today(name) is None and self.of_tensorflow(name) is None:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = self._today(spec.name)
        return _KerasModule(spec.name, [] if module is None else [module], self)

    def exec_module(self, module: types.ModuleType) -> None:
        """Does nothing: such a module looks its names up when they are asked for."""

    def _today(self, name: str) -> Any:
        """What serves a module today; `None` if nothing does."""
        above, below = name, ""
        while above not in self._modules:
            above, _, last = above.rpartition(".")
            below = f".{last}{below}"
        paths = self._modules[above].served_by.split(", ")
        try:
            return serving_module([f"{path}{below}" for path in paths])
        except ModuleNotFoundError:
            return None

    def of_tensorflow(self, name: str) -> Any:
        """TensorFlow's own module of that name; `None` if there is none."""
        if name not in self._own:
            parent = self._own.get(name.rpartition(".")[0])
            spec = importlib.machinery.PathFinder.find_spec(name, getattr(parent, "__path__", []))
            if parent is None or spec is None or spec.loader is None:
                return None
            self._own[name] = module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            setattr(parent, name.rpartition(".")[2], module)
        return self._own[name]

    def name_in(self, module: str, name: str) -> Neighbour | None:
        """What serves a single name, if it is not served with its module."""
        return self._names.get(module, {}).get(name)


class _KerasModule(StandIn):
    """A module of tf-keras to everybody except TensorFlow, which gets its own."""

    def __init__(self, name: str, modules: Sequence[Any], finder: _Finder) -> None:
        super().__init__(modules, name)
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in {"__all__", "__file__", "__version__"}:
            raise AttributeError(name)
        if _asked_by_tensorflow():
            return getattr(self._finder.of_tensorflow(self.__name__), name)
        neighbour = self._finder.name_in(self.__name__, name)
        if neighbour is not None:
            return neighbour.resolve()
        value = super().__getattr__(name)
        if isinstance(value, types.ModuleType):
            try:
                return importlib.import_module(f"{self.__name__}.{name}")
            except ModuleNotFoundError:
                return value
        return value


def _asked_by_tensorflow() -> bool:
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") in _IMPORTERS:
        frame = frame.f_back
    asker = str(frame.f_globals.get("__name__"))
    return asker == "tensorflow" or asker.startswith("tensorflow.")
