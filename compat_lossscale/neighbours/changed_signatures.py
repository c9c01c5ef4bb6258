# SPDX-License-Identifier: Apache-2.0
"""Functions and methods take the arguments that they took in TensorFlow 2.0 to 2.4 as well.

Calls in today's form go through as they are. Imported when TensorFlow is patched.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from compat_lossscale._import_hook import when_imported
from compat_lossscale._patching import Undo, modules_at, set_attribute
from compat_lossscale.neighbour_names.changed_signatures import SIGNATURES, Changed

_API = "tensorflow"
_APIS = (_API, f"{_API}.compat.v2", f"{_API}.compat.v1")
_NOT_IN_KERAS_FILES = frozenset({"include_optimizer", "signatures", "options", "save_traces"})


def put_signatures(undo: Undo, *, has_tf_keras: bool) -> None:
    """Wraps the functions and methods of the table, and those that have a wrapper of their own.

    Args:
        undo: What takes that back.
        has_tf_keras: Whether `tf.keras` is tf-keras. Without it, Keras is left alone.
    """
    wrappers: list[tuple[str, Callable[[Any], Any]]] = [*_OWN_WRAPPERS.items()]
    wrappers += [
        (one.path, functools.partial(_with_old_arguments, changed=one))
        for one in SIGNATURES
        if not one.instead
    ]
    functions: dict[str, dict[str, Any]] = {}
    for path, wrap in wrappers:
        if not has_tf_keras and ".keras." in path:
            continue
        place, _, name = path.rpartition(".")
        owner = next((one for one in _at(place) if hasattr(one, name)), None)
        if inspect.isclass(owner):
            owner = next(base for base in owner.__mro__ if name in vars(base))
        if owner is None:
            continue  # It is gone in this version.
        current = vars(owner)[name]
        if inspect.isclass(current):
            set_attribute(current, "__init__", _wrapped(current.__init__, wrap), undo)
        elif inspect.isclass(owner):
            set_attribute(owner, name, _wrapped(current, wrap), undo)
        else:
            known = functions.setdefault(place, {})
            known[name] = current, _wrapped(known.get(name, (current, current))[1], wrap)
    for place, changed in functions.items():
        _put_functions(place, changed, undo)


def _put_functions(place: str, functions: Mapping[str, tuple[Any, Any]], undo: Undo) -> None:
    """Replaces functions in the modules at a place, and in those of tf-keras that have them."""
    put_in = functools.partial(_put_in, functions, undo)
    for path in (place.replace(_API, api, 1) for api in _APIS):
        for module in modules_at(path):
            put_in(module)
        # `import tensorflow.keras.preprocessing.text` makes a second copy of the module.
        if path not in sys.modules:
            when_imported(path, put_in, undo)
    # `tensorflow.python.keras` leads to modules of the same names. What Keras calls itself is
    # elsewhere, and stays.
    last = place.rpartition(".")[2]
    for name in [one for one in sys.modules if one.startswith("tf_keras.")]:
        if name.rpartition(".")[2] == last:
            put_in(sys.modules[name])


def _put_in(functions: Mapping[str, tuple[Any, Any]], undo: Undo, module: Any) -> None:
    """Replaces functions in a module, but for those that it has of its own, as version 1 has."""
    for name, (original, replacement) in functions.items():
        if vars(module).get(name) is original:
            set_attribute(module, name, replacement, undo)


def _at(path: str) -> list[Any]:
    """The modules at a path, or the class."""
    above, _, name = path.rpartition(".")
    if name[0].isupper():
        return [vars(module)[name] for module in modules_at(above) if name in vars(module)]
    return modules_at(path)


def _wrapped(function: Any, wrap: Callable[[Any], Any]) -> Any:
    return functools.wraps(function)(wrap(function))


def _with_old_arguments(function: Any, changed: Changed) -> Any:
    # A method's first argument is the object.
    first = int(changed.is_method or function.__name__ == "__init__")

    def call(*args: Any, **kwargs: Any) -> Any:
        positional, named = changed.as_today(args[first:], kwargs)
        return function(*args[:first], *positional, **named)

    return call


def _save(function: Any) -> Any:
    """Writes HDF5 into a `.keras` file, as before, where the other format has no such arguments."""

    def save(*args: Any, **kwargs: Any) -> Any:
        filepath = kwargs.get("filepath", args[1] if len(args) > 1 else "")
        has_format = len(args) > 3 or kwargs.get("save_format") is not None
        if not has_format and kwargs.keys() & _NOT_IN_KERAS_FILES:
            kwargs["save_format"] = "h5" if str(filepath).endswith(".keras") else None
        return function(*args, **kwargs)

    return save


def _average_loss(function: Any) -> Any:
    """Divides by batch sizes that are no integers, too."""

    def compute_average_loss(
        per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
    ) -> Any:
        size = global_batch_size
        if size is None or tf.convert_to_tensor(size).dtype.is_integer:
            return function(per_example_loss, sample_weight, size)
        return function(per_example_loss, sample_weight, 1) / size

    return compute_average_loss


def _deserialize(function: Any) -> Any:
    """Reads what `serialize_keras_object` gave, in its form of TensorFlow 2.0 to 2.4."""
    before = importlib.import_module("tf_keras").utils.legacy.deserialize_keras_object

    def deserialize_keras_object(*args: Any, **kwargs: Any) -> Any:
        identifier = args[0] if args else kwargs.get("identifier")
        is_of_today = isinstance(identifier, dict) and "registered_name" in identifier
        if is_of_today or kwargs.keys() & {"config", "safe_mode"}:
            return function(*args, **kwargs)
        return before(*args, **kwargs)

    return deserialize_keras_object


def _serialize(function: Any) -> Any:
    """Gives a name, or a class name and a config, and no module: as TensorFlow 2.0 to 2.4."""
    before = importlib.import_module("tf_keras").utils.legacy.serialize_keras_object

    def serialize_keras_object(*args: Any, **kwargs: Any) -> Any:
        return function(**kwargs) if "obj" in kwargs else before(*args, **kwargs)

    return serialize_keras_object


_OWN_WRAPPERS: dict[str, Callable[[Any], Any]] = {
    f"{_API}.nn.compute_average_loss": _average_loss,
    f"{_API}.keras.Model.save": _save,
    f"{_API}.keras.models.save_model": _save,
    f"{_API}.keras.utils.deserialize_keras_object": _deserialize,
    f"{_API}.keras.utils.serialize_keras_object": _serialize,
}
