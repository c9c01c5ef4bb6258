# SPDX-License-Identifier: Apache-2.0
"""Patches modules, functions, imports and the environment, and undoes every patch."""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
import types
from collections.abc import Callable, Mapping, MutableMapping
from importlib.machinery import ModuleSpec
from typing import Any, TypeAlias

from compat_lossscale._import_hook import add_finder, remove_finder, take_back, when_imported

Undo: TypeAlias = list[Callable[[], None]]
"""Functions that undo changes, one each, to be called in reverse order. Every change adds one."""
_MISSING = object()


def set_item(items: MutableMapping[str, Any], name: str, value: Any, undo: Undo) -> None:
    """Sets an entry: an environment variable, an imported module, a registered class."""
    previous = items.get(name, _MISSING)
    items[name] = value

    def put_back() -> None:
        if previous is _MISSING:
            items.pop(name, None)
        else:
            items[name] = previous

    undo.append(put_back)


def put_module(path: str, names: Mapping[str, Any], undo: Undo) -> None:
    """Makes `path` importable and reachable as attributes, with `names` in it."""
    modules = modules_at(path)
    if not modules:
        parent, _, name = path.rpartition(".")
        if not modules_at(parent):
            put_module(parent, {}, undo)
        modules = [_new_module(path)]
        if _MadeModules not in sys.meta_path:
            add_finder(_MadeModules, first=False)
            undo.append(functools.partial(remove_finder, _MadeModules))
        for parent_module in modules_at(parent):
            set_attribute(parent_module, name, modules[0], undo)
    for module in modules:
        for name, value in names.items():
            set_attribute(module, name, value, undo)
    alias(path, modules[0], undo)


def put_private_module(path: str, names: Mapping[str, Any], undo: Undo) -> None:
    """Replaces a private module by a copy with `names` in it, or creates it and its parents.

    The private module itself is not changed: TensorFlow's own code looks its names up in it.
    """
    module = _new_module(path)
    parent, _, name = path.rpartition(".")
    try:
        package = importlib.import_module(parent)
    except ModuleNotFoundError:
        put_private_module(parent, {}, undo)
        package = sys.modules[parent]
    if path not in sys.modules:
        undo.append(functools.partial(_forget, path, package))
    try:
        vars(module).update({**vars(importlib.import_module(path)), **names})
    except ModuleNotFoundError:
        vars(module).update(names)
    set_attribute(package, name, module, undo)
    set_item(sys.modules, path, module, undo)


def _forget(path: str, package: types.ModuleType) -> None:
    sys.modules.pop(path, None)
    vars(package).pop(path.rpartition(".")[2], None)


class _MadeModule(types.ModuleType):
    """A module that has no file."""


class _MadeModules:
    """Finds modules that were made while `importlib.util.find_spec` imported their parents."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        del path, target
        module = sys.modules.get(name)
        return module.__spec__ if isinstance(module, _MadeModule) else None


def _new_module(path: str) -> types.ModuleType:
    module = _MadeModule(path, "Old names, put back by compat_lossscale.")
    module.__path__ = []
    module.__spec__ = ModuleSpec(path, None, is_package=True)
    return module


def modules_at(path: str) -> list[Any]:
    """Returns the modules at a dotted path: the one that attributes lead to, and the imported one.

    They can differ: `import tensorflow.keras.mixed_precision` makes a second copy of the module
    `tf.keras.mixed_precision`.
    """
    root, *names = path.split(".")
    module: Any = sys.modules[root]
    for name in names:
        module = getattr(module, name, None)
    modules = [] if module is None else [module]
    imported = sys.modules.get(path)
    if imported is not None and all(imported is not one for one in modules):
        modules.append(imported)
    return modules


_API_ROOTS = ("tensorflow", "tensorflow.compat.v2", "tensorflow.compat.v1")


def public_modules(place: str) -> list[Any]:
    """Returns the modules that a public name is in: for TensorFlow, some for each of its APIs."""
    modules = [module for path in _public_paths(place) for module in modules_at(path)]
    return list({id(module): module for module in modules}.values())


def _public_paths(place: str) -> list[str]:
    root, _, below = place.partition(".")
    roots = _API_ROOTS if root == "tensorflow" else (root,)
    return [f"{one}.{below}".removesuffix(".") for one in roots]


def put_in_public_modules(place: str, put_in: Callable[[Any], None], undo: Undo) -> None:
    """Calls a function with each of these modules."""
    for module in public_modules(place):
        put_in(module)
    # `import tensorflow.data.experimental` makes a second copy, which is `tf.data`'s from then on.
    for path in _public_paths(place):
        if path not in sys.modules:
            when_imported(path, put_in, undo)


def alias(path: str, module: Any, undo: Undo) -> None:
    """Makes import statements find the module that attributes lead to, and its parents."""
    root, *names = path.split(".")
    for depth in range(1, len(names) + 1):
        part = ".".join([root, *names[:depth]])
        if part not in sys.modules:
            found = modules_at(part)[0] if part != path else module
            set_item(sys.modules, part, found, undo)


def set_attribute(module: Any, name: str, value: Any, undo: Undo) -> None:
    """Sets a module's attribute. Undoing also restores `__all__`, which TensorFlow may change."""
    previous = vars(module).get(name, _MISSING)
    public = getattr(module, "__all__", None)
    listed = list(public) if isinstance(public, list) else None
    setattr(module, name, value)

    def put_back() -> None:
        if previous is _MISSING:
            # TensorFlow's lazy modules lead to one module, which does not have it twice.
            with contextlib.suppress(AttributeError):
                delattr(module, name)
        else:
            setattr(module, name, previous)
        if listed is not None:
            module.__all__[:] = listed

    undo.append(put_back)


FunctionPatch: TypeAlias = tuple[Any, str, Callable[..., Any]]
"""A module or class, the name of a function in it, and the replacement. The replacement is called
with the original function as its first argument, and then with the function's arguments. Or a
library's registry, a name, and the class that is registered under it."""


class FunctionPatches:
    """Patches of functions that are replaced together; `applied` are those in place."""

    def __init__(self) -> None:
        self.applied: tuple[FunctionPatch, ...] = ()
        self._undo: Undo = []

    def add(self, patches: tuple[FunctionPatch, ...]) -> None:
        """Applies those patches that are not in place yet."""
        self.replace((*self.applied, *(one for one in patches if one not in self.applied)))

    def replace(self, patches: tuple[FunctionPatch, ...]) -> None:
        """Restores the original functions, and applies other patches."""
        if patches == self.applied:
            return
        take_back(self._undo)
        for owner, name, replacement in patches:
            if isinstance(owner, dict):
                set_item(owner, name, replacement, self._undo)
            else:
                set_attribute(owner, name, around(getattr(owner, name), replacement), self._undo)
        self.applied = patches


def around(original: Callable[..., Any], replacement: Callable[..., Any]) -> Any:
    """Returns a function that calls `replacement` with the original one, and then its arguments."""

    @functools.wraps(original)
    def patched(*args: Any, **kwargs: Any) -> Any:
        return replacement(original, *args, **kwargs)

    return patched
