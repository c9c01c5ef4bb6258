# SPDX-License-Identifier: Apache-2.0
"""Names next to the loss-scale API that old programs use, and that are gone today.

Which names these are is in `neighbour_names`. What serves a name is imported when a program asks
for the name, and not before. A name that is there is never replaced.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Mapping

from compat_lossscale._import_hook import when_imported
from compat_lossscale._patching import Undo, modules_at, set_attribute, take_back
from compat_lossscale.neighbour_names import MEMBERS, TABLE, keras_names
from compat_lossscale.neighbour_names.neighbour import Neighbour
from compat_lossscale.neighbours.serving import (
    put_explanations,
    put_keras_2,
    put_keras_3_explanations,
    put_keras_modules,
    put_lazy_names,
    put_modules,
    put_tensorflow_1_explanations,
)

_API_ROOTS = ("tensorflow", "tensorflow.compat.v2", "tensorflow.compat.v1")


def _by_place(names: Iterable[Neighbour]) -> dict[str, dict[str, Neighbour]]:
    places: dict[str, dict[str, Neighbour]] = {}
    for one in names:
        places.setdefault(one.place, {})[one.short_name] = one
    return places


_MODULES = {one.name.removesuffix(".*"): one for one in TABLE if one.name.endswith(".*")}
_KERAS_MODULES = {name: one for name, one in _MODULES.items() if one in keras_names.MODULES}
_FINDABLE = {name: one for name, one in _MODULES.items() if name not in _KERAS_MODULES}
# `from tensorflow.keras.utils import multi_gpu_model` says more if it is looked for as a module.
_FINDABLE |= {one.name: one for one in TABLE if not one.is_served and one not in MEMBERS}
_NAMES = _by_place(one for one in TABLE if not one.name.endswith(".*") and one not in MEMBERS)
_EXPLAINED = _by_place(one for one in MEMBERS if not one.is_served)


def put(undo: Undo, *, keras: int = 2) -> None:
    """Serves the neighbours; those of a module that is not imported yet as soon as it is.

    Args:
        undo: What takes that back.
        keras: Which Keras `tf.keras` is: 2 for tf-keras, 3 for Keras 3. With Keras 3, what only
            tf-keras can stand for is not served.
    """
    has_tf_keras = keras == 2
    # Modules that are imported later add to the list then.
    own: Undo = []
    undo.append(functools.partial(take_back, own))
    put_modules(_FINDABLE, own)
    if has_tf_keras:
        put_keras_2(keras_names.PACKAGES_FOR_KERAS_2, own)
    for place, names in _NAMES.items():
        if place.partition(".")[0] != "tensorflow":
            put_in = functools.partial(put_lazy_names, names=names, undo=own)
            when_imported(place, put_in, own)
    when_imported("tensorflow", functools.partial(_put_in_tensorflow, own, has_tf_keras), own)


def _put_in_tensorflow(undo: Undo, has_tf_keras: bool, tensorflow: object) -> None:
    # Not before: these need TensorFlow.
    from compat_lossscale.neighbours.changed_behaviour import (  # noqa: PLC0415
        put_backups,
        put_compute_loss,
        put_signatures,
        put_unhashable_defaults,
    )

    for place, named in _NAMES.items():
        names = {name: one for name, one in named.items() if has_tf_keras or not _needs_it(one)}
        if place.startswith("tensorflow.python."):
            if not place.startswith(f"{keras_names.PRIVATE}."):
                when_imported(
                    place, functools.partial(put_lazy_names, names=names, undo=undo), undo
                )
        elif place.partition(".")[0] == "tensorflow":
            _put_public_names(place, names, undo)
    for method in MEMBERS:
        if method.is_served and (has_tf_keras or ".keras." not in method.name):
            _put_method(method, undo)
    for place, names in _EXPLAINED.items():
        _put_explanations(place, names if has_tf_keras or ".keras." not in place else {}, undo)
    put_tensorflow_1_explanations(tensorflow, undo)
    put_unhashable_defaults(undo)
    put_signatures(undo, has_tf_keras=has_tf_keras)
    if has_tf_keras:
        put_backups(undo)
        put_compute_loss(undo)
        put_keras_modules(_KERAS_MODULES, _NAMES, undo)
    else:
        put_keras_3_explanations(undo)


def _public_modules(place: str) -> list[object]:
    """The modules that a public name of TensorFlow is in: one for each version of the API."""
    modules = [module for path in _public_paths(place) for module in modules_at(path)]
    return list({id(module): module for module in modules}.values())


def _public_paths(place: str) -> list[str]:
    below = place.partition(".")[2]
    return [f"{api}.{below}".removesuffix(".") for api in _API_ROOTS]


def _put_public_names(place: str, names: Mapping[str, Neighbour], undo: Undo) -> None:
    put_in = functools.partial(put_lazy_names, names=names, undo=undo)
    for module in _public_modules(place):
        put_in(module)
    # `import tensorflow.data.experimental` makes a second copy, which is `tf.data`'s from then on.
    for path in _public_paths(place):
        if path not in sys.modules:
            when_imported(path, put_in, undo)


def _needs_it(neighbour: Neighbour) -> bool:
    """Whether only tf-keras can stand for a name."""
    is_of_keras = neighbour.name.startswith("tensorflow.keras.")
    return neighbour.served_by.startswith("tf_keras") or (is_of_keras and neighbour.is_served)


def _classes(path: str) -> set[type]:
    """The classes that a public name of TensorFlow leads to."""
    place, _, name = path.rpartition(".")
    return {getattr(module, name, None) for module in _public_modules(place)} - {None}  # type: ignore[return-value]


def _put_explanations(place: str, names: Mapping[str, Neighbour], undo: Undo) -> None:
    for cls in _classes(place) if names else ():
        put_explanations(cls, names, undo)


def _put_method(method: Neighbour, undo: Undo) -> None:
    for cls in _classes(method.place):
        if not hasattr(cls, method.short_name):
            set_attribute(cls, method.short_name, method.resolve(), undo)
