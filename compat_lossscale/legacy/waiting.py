# SPDX-License-Identifier: Apache-2.0
"""What waits for the program: the old names until it imports TensorFlow, others until it uses one.

Imports nothing but what Python itself has imported when a program starts.
"""

from __future__ import annotations

import sys

from compat_lossscale import _import_hook

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, TypedDict

    class InstallOptions(TypedDict):
        """The arguments of `install()`."""

        legacy_optimizers: bool
        neighbours: bool
        keras: int


_TENSORFLOW = "tensorflow"
_KERASES = {2: "tf_keras", 3: "keras"}
_to_install: InstallOptions | None = None
undo: list[Callable[[], None]] = []
"""What takes back all that is done before `install()`. Everybody who does something adds to it."""


def defer(
    what_to_install: InstallOptions,
    *,
    prepare: Callable[[], None],
    install: Callable[[InstallOptions], None],
) -> None:
    """Has `install` called inside the import of TensorFlow; at once if it has been imported."""
    global _to_install  # noqa: PLW0603  # one process has one TensorFlow

    def before() -> None:
        if _to_install is not None:
            prepare()

    def watch(name: str, before: Callable[[], None] | None, other: str) -> None:
        def after(_: ModuleType) -> None:
            # One imports the other, and is not whole yet when that is. Its own hook follows.
            if _to_install is not None and not _import_hook.is_importing(other):
                install(_to_install)

        _import_hook.when_imported(name, after, undo, before=before)

    _to_install = what_to_install
    keras = _KERASES[what_to_install["keras"]]
    watch(_TENSORFLOW, before, keras)
    watch(keras, None, _TENSORFLOW)


def what_to_install() -> InstallOptions | None:
    """What is to be installed, while TensorFlow has not been imported."""
    return _to_install


def done() -> None:
    """Says that `install()` has been called."""
    global _to_install  # noqa: PLW0603  # one process has one TensorFlow
    _to_install = None


def take_back() -> None:
    """Leaves everything as it was found."""
    done()
    while undo:
        undo.pop()()


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


def wait_for_neighbours(undo: list[Callable[[], None]], *, keras: int = 2) -> None:
    """Has the neighbours put in place when one is used for the first time.

    A program may ask for `numpy.float` or `imp` in its first line. The tables are loaded then.
    """
    if _is_put or _waiting:
        return

    def put_all() -> None:
        put_neighbours(undo, keras=keras)

    for place, names in PLACES.items():
        if place in sys.builtin_module_names:
            __import__(place)
        wait = _waiting_for(names.split(), put_all)
        _import_hook.when_imported(place, wait, _waiting)
    finder = _NeighbourFinder(put_all)
    _import_hook.add_finder(finder, first=False)
    _waiting.append(lambda: _import_hook.remove_finder(finder))
    undo.append(_stop_waiting)


def put_neighbours(undo: list[Callable[[], None]], *, keras: int = 2) -> None:
    """Puts the neighbours in place, unless they are."""
    global _is_put  # noqa: PLW0603  # one process has one set of modules
    if _is_put:
        return
    _stop_waiting()
    _is_put = True
    undo.append(_forget)
    from compat_lossscale.legacy import serving  # noqa: PLC0415  # only if used

    serving.put(undo, keras=keras)


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


class _NeighbourFinder:
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
