# SPDX-License-Identifier: Apache-2.0
"""Packages that were made for Keras 2 get tf-keras where they import `keras`; nobody else does.

A module's import statements call the `__import__` of its `__builtins__`. Modules of these packages
have one of their own.
"""

from __future__ import annotations

import builtins
import importlib.abc
import importlib.machinery
import types
from collections.abc import Mapping, Sequence
from typing import Any

from compat_lossscale._import_hook import add_finder, remove_finder
from compat_lossscale._patching import Undo

_KERAS_2 = "tf_keras"


def put_keras_2(packages: Sequence[str], undo: Undo) -> None:
    """Lets packages import tf-keras as `keras`.

    Args:
        packages: Their names.
        undo: What takes that back, for what is imported after it.
    """
    finder = _Finder(packages)
    add_finder(finder, first=True)
    undo.append(lambda: remove_finder(finder))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = frozenset(packages)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name.partition(".")[0] not in self._packages:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(name, spec.loader.path)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _import}
        super().exec_module(module)


def _import(
    name: str,
    globals: Mapping[str, Any] | None = None,  # noqa: A002  # the name __import__ gives it
    locals: Mapping[str, Any] | None = None,  # noqa: A002  # `__import__`'s own name
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    if level == 0 and name.partition(".")[0] == "keras":
        name = name.replace("keras", _KERAS_2, 1)
    return builtins.__import__(name, globals, locals, fromlist or (), level)
