# SPDX-License-Identifier: Apache-2.0
"""Serves the neighbours before TensorFlow is imported, and loads their tables only if one is used.

A program may ask for `numpy.float` or `imp` in its first line. Until one does, this imports nothing
but what Python itself has imported when a program starts.
"""

from __future__ import annotations

import sys

from compat_lossscale import _import_hook

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

PLACES = {
    "asyncio": "coroutine",
    "base64": "decodestring encodestring",
    "collections": "",
    "fractions": "gcd",
    "inspect": "ArgSpec getargspec",
    "numpy": "",
    "os": "errno",
    "scipy.signal": "",
    "time": "clock",
}
"""The modules, other than TensorFlow's, that lack names which neighbours serve; which, if few."""
ROOTS = ("distutils", "imp", "keras", "pkg_resources", "tensorflow", "tf_keras", "wandb", "xml")
"""Where modules are that are gone."""

_waiting: list[Callable[[], None]] = []
"""What takes back what waits for the first use."""
_is_put = False


def prepare(undo: list[Callable[[], None]], *, keras: int = 2) -> None:
    """Has the neighbours put in place when one is used for the first time.

    Args:
        undo: What takes them back.
        keras: See `compat_lossscale.install`.
    """
    if _is_put or _waiting:
        return

    def put_all() -> None:
        put(undo, keras=keras)

    for place, names in PLACES.items():
        if place in sys.builtin_module_names:
            __import__(place)
        wait = _waiting_for(names.split(), put_all)
        _import_hook.when_imported(place, wait, _waiting)
    finder = _Finder(put_all)
    _import_hook.add_finder(finder, first=False)
    _waiting.append(lambda: _import_hook.remove_finder(finder))
    undo.append(_stop_waiting)


def put(undo: list[Callable[[], None]], *, keras: int = 2) -> None:
    """Puts the neighbours in place, unless they are.

    Args:
        undo: What takes them back.
        keras: See `compat_lossscale.install`.
    """
    global _is_put  # noqa: PLW0603  # one process has one set of modules
    if _is_put:
        return
    _stop_waiting()
    _is_put = True
    undo.append(_forget)
    from compat_lossscale import neighbours  # noqa: PLC0415  # only if used

    neighbours.put(undo, keras=keras)


def _forget() -> None:
    global _is_put  # noqa: PLW0603  # as above
    _is_put = False


def _stop_waiting() -> None:
    while _waiting:
        _waiting.pop()()


def _waiting_for(names: list[str], put_all: Callable[[], None]) -> Callable[[ModuleType], None]:
    """Has names that a module lacks looked up again with the neighbours in place (PEP 562)."""

    def wait(module: ModuleType) -> None:
        own = vars(module).get("__getattr__")

        def look_up(name: str) -> Any:
            if own is not None:
                try:
                    return own(name)
                except AttributeError:
                    pass
            if name.startswith("__") or (names and name not in names):
                raise AttributeError(
                    f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module
                )
            put_all()
            return getattr(module, name)

        def put_back() -> None:
            if vars(module).get("__getattr__") is look_up:
                del vars(module)["__getattr__"]
                if own is not None:
                    vars(module)["__getattr__"] = own

        vars(module)["__getattr__"] = look_up
        _waiting.append(put_back)

    return wait


class _Finder:
    """Asked last, so only for modules that nobody finds."""

    def __init__(self, put_all: Callable[[], None]) -> None:
        self._put_all = put_all

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in ROOTS:
            return None
        known = list(sys.meta_path)
        self._put_all()
        for finder in [finder for finder in sys.meta_path if finder not in known]:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return None
