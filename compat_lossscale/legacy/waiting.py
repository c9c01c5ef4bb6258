# SPDX-License-Identifier: Apache-2.0
"""What waits for a program: the old names until it imports TensorFlow, others until it uses one.

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


to_install: InstallOptions | None = None
"""What is to be installed, while TensorFlow has not been imported."""
undo: list[Callable[[], None]] = []
"""What takes back all that is done before `install()`. Everybody who does something adds to it."""


def take_back() -> None:
    """Leaves everything as it was found."""
    global to_install  # noqa: PLW0603  # one process has one TensorFlow
    to_install = None
    _import_hook.take_back(undo)


PLACES = ("base64", "collections", "inspect", "numpy", "scipy.signal", "time")
"""The modules, other than TensorFlow's, that lack names which neighbours serve."""
ROOTS = ("distutils", "imp", "keras", "pkg_resources", "tensorflow", "tf_keras", "wandb", "xml")
"""Where modules are that are gone."""


def serve_neighbours(undo: list[Callable[[], None]]) -> None:
    """Serves the neighbours outside of TensorFlow, unless they are served already.

    A program may ask for `numpy.float` or `imp` in its first line. The tables are loaded then.
    """
    if any(isinstance(finder, _LateFinder) for finder in sys.meta_path):
        return
    finder = _LateFinder()
    _import_hook.add_finder(finder, first=False)
    # Modules that are imported later add to the list then.
    own = [finder.take_back]
    for place in PLACES:
        if place in sys.builtin_module_names:
            __import__(place)
        _import_hook.when_imported(place, lambda module: _serve_names_of(module, own), own)
    undo.append(lambda: _import_hook.take_back(own))


def _serve_names_of(module: ModuleType, undo: list[Callable[[], None]]) -> None:
    before = vars(module).get("__getattr__")

    def find(name: str) -> Any:
        if name.startswith("__"):
            return None
        from compat_lossscale.legacy import serving  # noqa: PLC0415  # only if used

        return serving.NAMES[module.__name__].get(name)

    look_up = _import_hook.looking_up(module, find)

    def put_back() -> None:
        if vars(module).get("__getattr__") is not look_up:
            return  # The program has put another one there since.
        del vars(module)["__getattr__"]
        if before is not None:
            vars(module)["__getattr__"] = before

    vars(module)["__getattr__"] = look_up
    undo.append(put_back)


class _LateFinder:
    """Asked last, so only for modules that nobody finds."""

    def __init__(self) -> None:
        self._finder: Any = None

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in ROOTS:
            return None
        if self._finder is None:
            from compat_lossscale.legacy import serving  # noqa: PLC0415  # only if used

            self._finder = serving.NeighbourFinder(serving.FINDABLE)
        spec: ModuleSpec | None = self._finder.find_spec(name, path, target)
        return spec

    def take_back(self) -> None:
        """Removes the finder, and what was imported by it."""
        _import_hook.remove_finder(self)
        if self._finder is not None:
            self._finder.take_back()


def serve_keras(undo: list[Callable[[], None]]) -> None:
    """Lets `import keras` mean `tf.keras`, which is tf-keras, unless it means that already."""
    if _KerasFinder not in sys.meta_path:
        _import_hook.add_finder(_KerasFinder, first=True)
        undo.append(_forget_keras)


def _forget_keras() -> None:
    """Lets `import keras` mean Keras 3 again."""
    _import_hook.remove_finder(_KerasFinder)
    if getattr(sys.modules.get("keras"), "__name__", "keras") != "keras":
        for name in [one for one in sys.modules if one.partition(".")[0] == "keras"]:
            del sys.modules[name]


class _KerasFinder:
    """Lets `import keras` mean `tf.keras`, as it did from TensorFlow 2.6 to 2.15.

    The `keras` of today is Keras 3, whose layers do not go into a model of tf-keras.
    """

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] != "keras" or "compat_lossscale.keras3" in sys.modules:
            return None  # what imports this package's classes for Keras 3 has Keras 3
        import importlib.machinery  # noqa: PLC0415  # only if used

        if name == "keras":
            found = importlib.machinery.PathFinder.find_spec(name)
            if found is not None and not is_installed(str(found.origin)):
                return None  # a module of the program's own
        elif sys.modules["keras"].__name__ == "keras":
            return None
        module = _in_keras_2(name.removeprefix("keras"))
        loader: Any = _import_hook.Alias(module) if module is not None else None
        return None if loader is None else importlib.machinery.ModuleSpec(name, loader)


def _in_keras_2(below: str) -> ModuleType | None:
    import importlib  # noqa: PLC0415  # only if used

    # Up to Keras 2.12, modules such as `keras.engine` were where TensorFlow's copy of Keras has
    # them. Of these, the public names are served from `tf.keras`.
    for home in ("tensorflow.keras", "tf_keras", "tensorflow.python.keras", "tf_keras.src"):
        try:
            return importlib.import_module(f"{home}{below}")
        except ModuleNotFoundError:
            continue
    return None


def is_installed(path: str) -> bool:
    """Whether a file is of an installed package."""
    return any(f"/{name}/" in path for name in ("site-packages", "dist-packages"))
