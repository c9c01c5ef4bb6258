# SPDX-License-Identifier: Apache-2.0
"""Calls a function when a module is imported, and when it lacks a name.

This module imports only modules that Python itself has imported when a program starts.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, TypeAlias

    _Hook: TypeAlias = tuple[Callable[[ModuleType], None], Callable[[], None] | None]

_IMPORTLIB = "<frozen importlib._bootstrap>"
_waiting: dict[str, list[_Hook]] = {}
"""The hooks for each module that is not imported yet, in the order in which they are called: what
to call after the module's own code, and what before it."""
_whole: set[str] = set()
"""The modules whose code has run, and whose hooks are being called."""


def when_imported(
    name: str,
    after: Callable[[ModuleType], None],
    undo: list[Callable[[], None]],
    *,
    before: Callable[[], None] | None = None,
) -> None:
    """Calls `after` once when a module has been imported.

    The call is inside the import, before the importer continues. An import that fails does not
    count. If `after` raises, the import statement raises.

    Args:
        name: The module's full name. The module must be loaded from a file.
        after: Called with the module. Called at once if the module is already imported.
        undo: Gets a function that removes the hook. It does not undo what `after` changes.
        before: Called before the module's own code, if that has not run yet.
    """
    if name in sys.modules and not is_importing(name):
        after(sys.modules[name])
        return
    hook = (after, before)
    _waiting.setdefault(name, []).append(hook)
    if _Finder not in sys.meta_path:
        add_finder(_Finder, first=True)
    undo.append(lambda: _remove(name, hook))


def take_back(undo: list[Callable[[], None]]) -> None:
    """Undoes all changes."""
    while undo:
        undo.pop()()


def add_finder(finder: Any, *, first: bool) -> None:
    """Adds a finder to Python's import, before all others or after them."""
    # A new list: an import on another thread may be iterating over this one.
    sys.meta_path = [finder, *sys.meta_path] if first else [*sys.meta_path, finder]


def remove_finder(finder: Any) -> None:
    """Removes a finder that `add_finder` added."""
    sys.meta_path = [one for one in sys.meta_path if one is not finder]


def is_importing(name: str) -> bool:
    """Whether a module's code is being run for the first time, on any thread."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return name not in _whole and bool(getattr(spec, "_initializing", False))


def looking_up(module: ModuleType, find: Callable[[str], Any]) -> Callable[[str], Any]:
    """Returns a `__getattr__` that serves names which a module lacks (PEP 562).

    What the module's own `__getattr__` does stays. `find` gives the neighbour of a name.
    """
    own = vars(module).get("__getattr__")

    def look_up(name: str) -> Any:
        neighbour = find(name)
        if neighbour is not None:
            return neighbour.resolve()
        if own is not None:
            return own(name)
        raise AttributeError(
            f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module
        )

    return look_up


class Alias:
    """Loads a module that is there already under another name."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Returns the module."""
        del spec
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module back its own spec, if it has one, which the import has replaced."""
        module.__spec__ = self._spec or module.__spec__


class _Finder:
    """Finds what the other finders find, and puts the hooks into its loader."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in _waiting:
            return None
        for finder in list(sys.meta_path):
            if finder is _Finder or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                _watch(spec.loader)
                return spec
        return None


def _watch(loader: Any) -> None:
    """Puts the hooks around `exec_module` of one loader.

    The module keeps its own loader, so code that asks the loader for source or data still works.
    """
    if not hasattr(loader, "exec_module") or isinstance(loader, type):
        return  # nothing is loaded from a file
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        vars(loader).pop("exec_module", None)
        name = module.__name__
        for _, before in list(_waiting.get(name, ())):
            if before is not None:
                before()
        execute(module)
        _whole.add(name)
        try:
            # Including hooks that were added while the module's code ran.
            while _waiting.get(name):
                hook = _waiting[name][0]
                hook[0](module)
                _remove(name, hook)
        finally:
            _whole.discard(name)

    # Python leaves importlib's frames out of tracebacks. This frame replaces one of them.
    exec_module.__code__ = exec_module.__code__.replace(co_filename=_IMPORTLIB)
    loader.exec_module = exec_module


def _remove(name: str, hook: _Hook) -> None:
    """Removes a hook, if it waits still, and with the last hook the finder."""
    hooks = [one for one in _waiting.get(name, ()) if one is not hook]
    if hooks:
        _waiting[name] = hooks
        return
    _waiting.pop(name, None)
    if not _waiting:
        remove_finder(_Finder)
