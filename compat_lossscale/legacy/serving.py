# SPDX-License-Identifier: Apache-2.0
"""Serves names next to the loss-scale API that old programs use, and that are gone today.

Which names these are is in `neighbour_names`. What serves a name is imported when a program asks
for it. What is there is never replaced: a module's `__getattr__` (PEP 562) is asked only for names
that the module lacks, and a finder that is last in `sys.meta_path` only for modules that nobody
finds. The exception is `tensorflow.python.keras`: TensorFlow has a package of that name still,
which its own modules go on using, so what stands in for it looks at who asks.
"""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compat_lossscale._import_hook import (
    Alias,
    add_finder,
    looking_up,
    remove_finder,
    take_back,
    when_imported,
)
from compat_lossscale._patching import Undo, public_modules, put_in_public_modules, set_attribute
from compat_lossscale.neighbour_names import MEMBERS, TABLE, keras_names
from compat_lossscale.neighbour_names.keras_names import GONE, GONE_V1, PRIVATE, instead_of
from compat_lossscale.neighbour_names.neighbour import Neighbour


def _by_place(names: Iterable[Neighbour]) -> dict[str, dict[str, Neighbour]]:
    places: dict[str, dict[str, Neighbour]] = {}
    for one in names:
        places.setdefault(one.place, {})[one.short_name] = one
    return places


_MODULES = {one.name.removesuffix(".*"): one for one in TABLE if one.name.endswith(".*")}
_MODULES_OF_KERAS = {name: one for name, one in _MODULES.items() if one in keras_names.MODULES}
FINDABLE = {name: one for name, one in _MODULES.items() if name not in _MODULES_OF_KERAS}
"""Modules that nobody finds, by name."""
# `from tensorflow.keras.utils import multi_gpu_model` says more if it is looked for as a module.
FINDABLE |= {one.name: one for one in TABLE if not one.is_served and one not in MEMBERS}
NAMES = _by_place(one for one in TABLE if not one.name.endswith(".*") and one not in MEMBERS)
"""Names by the module that lacks them."""


def put(undo: Undo, *, keras: int) -> None:
    """Serves the neighbours in TensorFlow, which has been imported, and in the chosen Keras.

    Those of a module that is not imported yet are served as soon as it is. With Keras 3, what only
    tf-keras can stand for is not served.
    """
    from compat_lossscale.legacy import changed_behaviour  # noqa: PLC0415  # needs TensorFlow

    # Modules that are imported later add to the list then.
    own: Undo = []
    undo.append(functools.partial(take_back, own))
    has_tf_keras = keras == 2
    for place, named in NAMES.items():
        names = {name: one for name, one in named.items() if has_tf_keras or not _needs_it(one)}
        if place.startswith("tensorflow.python."):
            when_imported(place, functools.partial(put_lazy_names, names=names, undo=own), own)
        elif place.partition(".")[0] == "tensorflow":
            put_in = functools.partial(put_lazy_names, names=names, undo=own)
            put_in_public_modules(place, put_in, own)
    for method in MEMBERS:
        if not method.is_served or (".keras." in method.name and not has_tf_keras):
            continue
        place, _, name = method.place.rpartition(".")
        for cls in {getattr(module, name, None) for module in public_modules(place)} - {None}:
            if not hasattr(cls, method.short_name):
                set_attribute(cls, method.short_name, method.resolve(), own)
    put_tensorflow_1_explanations(sys.modules["tensorflow"], own)
    changed_behaviour.put_unhashable_defaults(own)
    changed_behaviour.put_signatures(own, has_tf_keras=has_tf_keras)
    if has_tf_keras:
        changed_behaviour.put_backups(own)
        changed_behaviour.put_compute_loss(own)
        changed_behaviour.put_float32_averages(own)
        put_keras_modules(_MODULES_OF_KERAS, own)
    else:
        put_keras_3_names(own)


def _needs_it(neighbour: Neighbour) -> bool:
    """Whether only tf-keras can stand for a name."""
    is_of_keras = neighbour.name.startswith("tensorflow.keras.")
    return neighbour.served_by.startswith("tf_keras") or (is_of_keras and neighbour.is_served)


Modules = Mapping[str, Neighbour]
"""What serves modules, by name. A module serves those below it too."""


def put_lazy_names(module: Any, names: Mapping[str, Neighbour], undo: Undo) -> None:
    """Serves names of a module that it lacks."""
    set_attribute(module, "__getattr__", looking_up(module, names.get), undo)


def put_tensorflow_1_explanations(tensorflow: Any, undo: Undo) -> None:
    """Lets the error of a name that only TensorFlow 1 had say what to do.

    To `hasattr` and `dir` it is not there. Of `train.experimental`, it is the loss-scale optimizer.
    """
    v1 = tensorflow.compat.v1
    put_lazy_names(tensorflow, _of_version_1(v1, ""), undo)
    for name, module in list(vars(tensorflow).items()):
        in_v1 = vars(v1).get(name)
        # Modules of Keras, such as `tf.losses`, stay as they are: lazy ones copy what is in them.
        is_module = type(module) is types.ModuleType and isinstance(in_v1, types.ModuleType)
        if is_module and module.__name__.startswith("tensorflow."):
            put_lazy_names(module, _of_version_1(in_v1, f"{name}."), undo)
    names = _of_version_1(v1.train.experimental, "train.experimental.")
    put_lazy_names(tensorflow.train.experimental, names, undo)


def _of_version_1(module: Any, place: str) -> dict[str, Neighbour]:
    """Returns the names of a module of `tf.compat.v1`, as names that nothing serves."""
    return {
        name: Neighbour(
            f"tf.{place}{name}",
            "TensorFlow 1",
            "",
            "TensorFlow 2 has it in tf.compat.v1 alone",
            "To run a program of TensorFlow 1: compat-lossscale run --tf1. In a program of "
            f"TensorFlow 2, write tf.compat.v1.{place}{name}",
        )
        for name in vars(module)
        if not name.startswith("__")
    }


def put_modules(modules: Modules, undo: Undo) -> None:
    """Serves modules that are gone."""
    finder = NeighbourFinder(modules)
    add_finder(finder, first=False)
    undo.append(finder.take_back)


def serving(modules: Modules, name: str) -> tuple[Neighbour, list[str]] | None:
    """Returns what serves a module, and the paths of the modules that do; `None` without one."""
    above, below = name, ""
    while above not in modules:
        above, dot, last = above.rpartition(".")
        if not dot:
            return None
        below = f".{last}{below}"
    neighbour = modules[above]
    return neighbour, [f"{path}{below}" for path in neighbour.served_by.split(", ")]


class NeighbourFinder(importlib.abc.MetaPathFinder):
    """Finds modules that are gone, which others serve."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._served: dict[str, Any] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Finds a module that others serve.

        Raises:
            ModuleNotFoundError: Nothing serves it, or not without a package; the message says what
                to do.
        """
        found = serving(self._modules, name)
        if found is None:
            return None
        neighbour, paths = found
        # Of an error that has the module's own name, `from tensorflow import contrib` leaves only
        # "cannot import name".
        if not neighbour.is_served:
            parent = name.rpartition(".")[0]
            above = serving(self._modules, parent)
            if parent in sys.modules and above is not None and above[0] is neighbour:
                return None  # The package is there, and a finder of its own may have the rest.
            raise ModuleNotFoundError(f"No module named {name!r}: {neighbour.explanation()}")
        try:
            module = serving_module(paths, name)
        except ModuleNotFoundError as error:
            if neighbour.package and error.name == neighbour.package[0]:
                raise ModuleNotFoundError(
                    f"No module named {name!r}: {neighbour.missing()}", name=error.name
                ) from None
            return None
        self._served[name] = module
        loader: Any = Alias(module)
        return importlib.machinery.ModuleSpec(name, loader, is_package=True)

    def take_back(self) -> None:
        """Removes the finder, and what was imported by it."""
        remove_finder(self)
        for name, module in self._served.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
            parent, _, short_name = name.rpartition(".")
            namespace = vars(sys.modules[parent]) if parent in sys.modules else {}
            if namespace.get(short_name) is module:
                del namespace[short_name]


def serving_module(paths: Sequence[str], name: str) -> Any:
    """Returns the module that serves for those at `paths`, under a name of its own if need be."""
    modules = [importlib.import_module(paths[0])]
    for path in paths[1:]:
        try:
            modules.append(importlib.import_module(path))
        except ModuleNotFoundError:
            continue
    # What is imported below a package becomes an attribute of it, and belongs to no other package.
    if len(modules) == 1 and not hasattr(modules[0], "__path__"):
        return modules[0]
    return StandIn(modules, name)


class StandIn(types.ModuleType):
    """A module whose names are those of other modules, the first that has one."""

    def __init__(self, modules: Sequence[Any], name: str) -> None:
        super().__init__(name)
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
        try:
            return importlib.import_module(f"{self.__name__}.{name}")
        except ModuleNotFoundError as error:
            why = str(error).partition(": ")[2]
            said = f"module {self.__name__!r} has no attribute {name!r}{why and f': {why}'}"
            raise AttributeError(said, name=name, obj=self) from None

    def __dir__(self) -> list[str]:
        names = {name for module in self._stands_for for name in dir(module)}
        return sorted(name for name in {*names, *vars(self)} if not name.startswith("_"))


_KERAS_3_HOMES = (
    "keras._tf_keras.keras",
    "keras",
    "tensorflow.keras",
    "tensorflow.compat.v1.keras",
    "tensorflow.compat.v2.keras",
)
"""Where programs find Keras. The first is what `tf.keras` leads to, and imports make copies."""


def put_keras_3_names(undo: Undo) -> None:
    """Serves names of `tf.keras` that Keras 3 has elsewhere, and has the others explained."""
    home = _KERAS_3_HOMES[0]
    names = [_on_keras_3(below) for below in sorted(GONE | GONE_V1)]
    # Of the error of an attribute, `from tensorflow.keras.layers import it` shows nothing.
    found = {one.name: one for one in names if not one.is_served}
    for below, module in keras_names.MODULES_ON_KERAS_3.items():
        name = f"tensorflow.keras.{below}"
        found[name] = Neighbour(name, "Keras 2", f"{home}.{module}")
        names.append(Neighbour(name, "Keras 2", f"{home}.{below}"))
    put_modules(
        {_at(home, name): one for name, one in found.items() for home in _KERAS_3_HOMES}, undo
    )
    for place, of_place in _by_place(names).items():
        for home in _KERAS_3_HOMES:
            put_in = functools.partial(_put_in_module, of_place, undo)
            when_imported(_at(home, place), put_in, undo)


def _at(home: str, path: str) -> str:
    return path.replace("tensorflow.keras", home, 1)


def _put_in_module(names: dict[str, Neighbour], undo: Undo, module: types.ModuleType) -> None:
    if type(module) is types.ModuleType:  # TensorFlow's lazy one leads to one of these.
        put_lazy_names(module, names, undo)


def _on_keras_3(below: str) -> Neighbour:
    place = keras_names.ON_KERAS_3.get(below)
    return Neighbour(
        f"tensorflow.keras.{below}",
        "Keras 2",
        "" if place is None else f"{_KERAS_3_HOMES[0]}:{place}",
        "Keras 3 has none",
        f"Use {instead_of(below)}. Without that change, run the program on tf-keras: "
        "compat-lossscale run, without --keras3",
    )


_LEFT_ALONE = f"{PRIVATE}.mixed_precision"
"""The old names of loss scaling are in place there."""
_IMPORTERS = ("importlib", "importlib._bootstrap", "_frozen_importlib", __name__)


def put_keras_modules(modules: Modules, undo: Undo) -> None:
    """Puts modules in place of those of `tensorflow.python.keras`."""
    if PRIVATE not in sys.modules:
        return
    own = {name: module for name, module in sys.modules.items() if _is_replaced(name)}
    finder = _KerasFinder(own, modules)
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


class _KerasFinder(importlib.abc.MetaPathFinder):
    """Finds the modules that stand in, and those that TensorFlow gets."""

    def __init__(self, own: dict[str, Any], modules: Modules) -> None:
        self._own = own
        self._modules = modules

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not _is_replaced(name):
            return None
        found = serving(self._modules, name)
        assert found is not None
        try:
            today = [serving_module(found[1], name)]
        except ModuleNotFoundError:
            today = []
        if not today and self.of_tensorflow(name) is None:
            return None
        loader: Any = Alias(_KerasModule(name, today, self))
        return importlib.machinery.ModuleSpec(name, loader, is_package=True)

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


class _KerasModule(StandIn):
    """A module of tf-keras to everybody except TensorFlow, which gets its own."""

    def __init__(self, name: str, modules: Sequence[Any], finder: _KerasFinder) -> None:
        super().__init__(modules, name)
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in {"__all__", "__file__", "__version__"}:
            raise AttributeError(name)
        if _asked_by_tensorflow():
            return getattr(self._finder.of_tensorflow(self.__name__), name)
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
