# SPDX-License-Identifier: Apache-2.0
"""Calls a function when a module is imported, and not before.

Imports nothing but what Python itself has imported when a program starts.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

_IMPORTLIB = "<frozen importlib._bootstrap>"
_waiting: dict[str, list[_Hook]] = {}
"""What waits for which module, in the order in which it is to be called."""
_whole: set[str] = set()
"""The modules whose code has been run, while what waits for them is called."""


class _Hook:
    """What one caller of `when_imported` wants done."""

    def __init__(
        self, after: Callable[[ModuleType], None], before: Callable[[], None] | None
    ) -> None:
        self.after = after
        self.before = before


def when_imported(
    name: str,
    after: Callable[[ModuleType], None],
    undo: list[Callable[[], None]],
    *,
    before: Callable[[], None] | None = None,
) -> None:
    """Has `after` called, once, when a module has been imported.

    It is called inside the import, before any importer goes on. An import that fails does not
    count. What it raises is raised by the import statement.

    Args:
        name: The module's full name. It must be one that is loaded from a file.
        after: Is given the module. Called at once if the module has been imported already.
        undo: What takes the hook back. What `after` changes is for `after` to take back.
        before: Called before the module's own code, if that has not been run yet.
    """
    if name in sys.modules and not is_importing(name):
        after(sys.modules[name])
        return
    hook = _Hook(after, before)
    _waiting.setdefault(name, []).append(hook)
    if _Finder not in sys.meta_path:
        add_finder(_Finder, first=True)

    def take_back() -> None:
        if hook in _waiting.get(name, ()):
            _remove(name, hook)

    undo.append(take_back)


def add_finder(finder: Any, *, first: bool) -> None:
    """Has Python's import ask a finder, before all others or after them."""
    # A new list: an import on another thread may be going through this one.
    sys.meta_path = [finder, *sys.meta_path] if first else [*sys.meta_path, finder]


def remove_finder(finder: Any) -> None:
    """Takes back what `add_finder` did."""
    sys.meta_path = [one for one in sys.meta_path if one is not finder]


def is_importing(name: str) -> bool:
    """Whether a module's code is being run for the first time, on any thread."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return name not in _whole and bool(getattr(spec, "_initializing", False))


class _Finder:
    """Finds what the other finders find, and watches it being loaded."""

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

    The loader stays the module's own, so that nobody who asks it for source or data sees another.
    """
    if not hasattr(loader, "exec_module") or isinstance(loader, type):
        return  # nothing is loaded from a file
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        vars(loader).pop("exec_module", None)
        name = module.__name__
        for hook in list(_waiting.get(name, ())):
            if hook.before is not None:
                hook.before()
        execute(module)
        _whole.add(name)
        try:
            # Those too that have come while the module's code was run.
            while _waiting.get(name):
                hook = _waiting[name][0]
                hook.after(module)
                _remove(name, hook)
        finally:
            _whole.discard(name)

    # Python leaves importlib's frames out of tracebacks. This one takes the place of one of them.
    exec_module.__code__ = exec_module.__code__.replace(co_filename=_IMPORTLIB)
    loader.exec_module = exec_module


def _remove(name: str, hook: _Hook) -> None:
    """Forgets a hook, and the finder with the last."""
    hooks = [one for one in _waiting.get(name, ()) if one is not hook]
    if hooks:
        _waiting[name] = hooks
        return
    _waiting.pop(name, None)
    if not _waiting:
        remove_finder(_Finder)
