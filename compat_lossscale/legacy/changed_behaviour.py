# SPDX-License-Identifier: Apache-2.0
"""Lets TensorFlow behave as in 2.0 to 2.4, and dataclasses as in Python 3.10.

Functions and methods take the arguments that they took; calls in today's form go through as they
are. `BackupAndRestore` goes on from folders of TensorFlow 2.3, `fit` takes a number as a row,
`predict` is quiet, averages of float16 are of float32, a program's mixin keeps its `compute_loss`,
and dataclasses have defaults that cannot be hashed. Members that classes have no more do what they
did. Imported with the patches.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from absl import logging

from compat_lossscale._patching import Undo, modules_at, put_in_public_modules, set_attribute
from compat_lossscale.neighbour_names import SIGNATURES
from compat_lossscale.neighbour_names.neighbour import Changed

_API = "tensorflow"
_NOT_IN_KERAS_FILES = frozenset({"include_optimizer", "signatures", "options", "save_traces"})


def put_signatures(undo: Undo, *, has_tf_keras: bool) -> None:
    """Wraps the functions and methods of the table, and those that have a wrapper of their own."""
    wrappers: list[tuple[str, Callable[[Any], Any]]] = [*_OWN_WRAPPERS.items()]
    wrappers += [
        (one.path, functools.partial(_with_old_arguments, changed=one))
        for one in SIGNATURES
        if not one.instead
    ]
    for path, wrap in wrappers:
        if not has_tf_keras and ".keras." in path:
            continue
        place, _, name = path.rpartition(".")
        owner = next((one for one in _owners_at(place) if hasattr(one, name)), None)
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
            _put_function(path, current, _wrapped(current, wrap), undo)


def _put_function(path: str, original: Any, replacement: Any, undo: Undo) -> None:
    """Replaces a function in the modules that have it, and in those of tf-keras."""
    place, _, name = path.rpartition(".")

    def put_in(module: Any) -> None:
        # Version 1 has some functions of its own.
        if vars(module).get(name) is original:
            set_attribute(module, name, replacement, undo)

    put_in_public_modules(place, put_in, undo)
    # `tensorflow.python.keras` leads to modules of the same names. What Keras calls itself is
    # elsewhere, and stays.
    last = place.rpartition(".")[2]
    for title in [one for one in sys.modules if one.startswith("tf_keras.")]:
        if title.rpartition(".")[2] == last:
            put_in(sys.modules[title])


def _owners_at(path: str) -> list[Any]:
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
    # NumPy before 2.4 takes the old names, and may take these alone.
    takes_old = changed.renamed.keys() & inspect.signature(function).parameters.keys()

    def call(*args: Any, **kwargs: Any) -> Any:
        if takes_old:
            return function(*args, **kwargs)
        positional, named = changed.as_today(args[first:], kwargs)
        return function(*args[:first], *positional, **named)

    return call


def _save_as_before(function: Any) -> Any:
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


def _with_rows(step: Any) -> Any:
    """Takes scalars as rows of one: https://github.com/tensorflow/tensorflow/releases/tag/v2.7.0."""

    def with_rows(self: Any, data: Any) -> Any:
        return step(self, tf.nest.map_structure(_as_row, data))

    return with_rows


def _as_row(value: Any) -> Any:
    is_scalar = isinstance(value, tf.Tensor) and value.shape.rank == 1
    return tf.expand_dims(value, -1) if is_scalar else value


def _quiet(predict: Any) -> Any:
    """Shows no progress by default, as up to TensorFlow 2.8."""

    def quiet(*args: Any, **kwargs: Any) -> Any:
        return predict(*args, **(kwargs if len(args) > 3 else {"verbose": 0, **kwargs}))

    return quiet


def _of_floatx(init: Any) -> Any:
    """Lets a layer compute in Keras' float type under every policy, as up to TensorFlow 2.4."""

    def of_floatx(*args: Any, dtype: Any = None, **kwargs: Any) -> None:
        init(*args, dtype=dtype or tf.keras.backend.floatx(), **kwargs)

    return of_floatx


def put_float32_averages(undo: Undo) -> None:
    """Averages losses of 16 bits in float32, as up to TensorFlow 2.4, and gives them in their type.

    In float16, more than 65,504 losses have no average.
    """
    losses_utils = importlib.import_module("compat_lossscale.optimizers.stock").losses_utils
    if losses_utils is None:
        return
    own = losses_utils.compute_weighted_loss

    @functools.wraps(own)
    def compute_weighted_loss(losses: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(losses, "dtype", None) not in (tf.float16, tf.bfloat16):
            return own(losses, *args, **kwargs)
        return tf.cast(own(tf.cast(losses, tf.float32), *args, **kwargs), losses.dtype)

    set_attribute(losses_utils, "compute_weighted_loss", compute_weighted_loss, undo)


_OWN_WRAPPERS: dict[str, Callable[[Any], Any]] = {
    f"{_API}.nn.compute_average_loss": _average_loss,
    **{f"{_API}.keras.Model.{name}_step": _with_rows for name in ("train", "test", "predict")},
    f"{_API}.keras.Model.predict": _quiet,
    f"{_API}.keras.Model.save": _save_as_before,
    f"{_API}.keras.layers.Normalization": _of_floatx,
    f"{_API}.keras.models.save_model": _save_as_before,
    f"{_API}.keras.utils.deserialize_keras_object": _deserialize,
    f"{_API}.keras.utils.serialize_keras_object": _serialize,
}


_EPOCH = "ckpt_saved_epoch/.ATTRIBUTES/VARIABLE_VALUE"


def put_backups(undo: Undo) -> None:
    """Lets `BackupAndRestore` begin from an old backup, and delete it at the end."""
    cls = importlib.import_module("tf_keras").callbacks.BackupAndRestore
    begin, end = cls.on_train_begin, cls.on_train_end

    @functools.wraps(begin)
    def on_train_begin(self: Any, logs: Any = None) -> None:
        begin(self, logs)
        manager = self._training_state.read_checkpoint_manager
        backup = _old_backup(self.backup_dir)
        if backup is not None and manager.latest_checkpoint is None:
            manager.checkpoint.restore(backup)
            _go_on_after_the_epoch(self._training_state, backup)

    @functools.wraps(end)
    def on_train_end(self: Any, logs: Any = None) -> None:
        state = self._training_state
        end(self, logs)
        backup = _old_backup(self.backup_dir)
        is_chief = state.write_checkpoint_manager is state.read_checkpoint_manager
        if backup is not None and self.delete_checkpoint and is_chief:
            for path in (*tf.io.gfile.glob(f"{backup}.*"), f"{self.backup_dir}/checkpoint"):
                tf.io.gfile.remove(path)

    set_attribute(cls, "on_train_begin", on_train_begin, undo)
    set_attribute(cls, "on_train_end", on_train_end, undo)


def _old_backup(folder: Any) -> str | None:
    """Returns the checkpoint that TensorFlow 2.3 wrote into a folder, if there is one."""
    backup: str | None = tf.train.latest_checkpoint(os.fspath(folder))
    if backup is None or _EPOCH not in dict(tf.train.list_variables(backup)):
        return None
    return backup


def _go_on_after_the_epoch(state: Any, backup: str) -> None:
    """Lets training begin after the saved epoch, however often it makes backups.

    With a number as `save_freq`, it begins after the saved batch, and the old file has none.
    """
    epoch = int(tf.train.load_variable(backup, _EPOCH))
    if epoch >= 0:
        state.maybe_load_initial_counters_from_ckpt = lambda *_args, **_kwargs: (epoch + 1, 0)


def put_compute_loss(undo: Undo) -> None:
    """Puts the descriptor below in place of `Model.compute_loss`."""
    model = importlib.import_module("tf_keras").Model
    set_attribute(model, "compute_loss", ComputeLoss(model.compute_loss), undo)


class ComputeLoss:
    """What `Model.compute_loss` gives: to tf-keras its own, to others a later base class' first."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def __get__(self, model: Any, cls: type | None = None) -> Any:
        if not _asked_by_keras():
            for base in (cls or type(model)).__mro__:
                method = vars(base).get("compute_loss")
                if method is not None and method is not self:
                    return method.__get__(model, cls)
        return self._own.__get__(model, cls)


def _asked_by_keras() -> bool:
    asker = str(sys._getframe(2).f_globals.get("__name__"))
    return asker.startswith("tf_keras.")


_PRIVATE = "_get_field"


def put_unhashable_defaults(undo: Undo) -> None:
    """Accepts defaults of dataclasses again that cannot be hashed."""
    own = getattr(dataclasses, _PRIVATE, None)
    if sys.version_info < (3, 11) or own is None:
        return

    def get_field(cls: type, name: str, kind: Any, *more: Any) -> Any:
        given = getattr(cls, name, dataclasses.MISSING)
        default = given.default if isinstance(given, dataclasses.Field) else given
        if type(default).__hash__ is not None or isinstance(default, (list, dict, set)):
            return own(cls, name, kind, *more)
        is_inherited = name not in vars(cls)
        if not isinstance(given, dataclasses.Field):
            # Python puts the default of a field into its place at the end.
            given = dataclasses.field()
            setattr(cls, name, given)
        given.default = None  # Python asks it for its hash.
        field = own(cls, name, kind, *more)
        field.default = default
        if is_inherited:
            delattr(cls, name)
        return field

    set_attribute(dataclasses, _PRIVATE, get_field, undo)


def predict_proba(self: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """Predicts, and warns of what cannot be probabilities. A `Sequential` had it up to 2.5."""
    probabilities = self.predict(x, batch_size, verbose)
    if probabilities.min() < 0 or probabilities.max() > 1:
        logging.warning(
            "predict_proba() gives values outside of 0 to 1: the last layer has no activation such "
            "as softmax or sigmoid."
        )
    return probabilities


def predict_classes(self: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """Predicts the likeliest class, or for a single output 1 if it is above 0.5."""
    probabilities = self.predict(x, batch_size=batch_size, verbose=verbose)
    if probabilities.shape[-1] > 1:
        return probabilities.argmax(axis=-1)
    return (probabilities > 0.5).astype("int32")


def apply(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls the layer."""
    return self(inputs, *args, **kwargs)


def clip_gradients(self: Any, grads: Any) -> list[Any]:
    """Leaves it to `apply_gradients` to clip.

    Copies of Keras' own training step call it with what `_aggregate_gradients` returns: gradients
    up to TensorFlow 2.3, pairs of a gradient and a variable from 2.4 on.
    """
    return [one[0] if isinstance(one, tuple) else one for one in grads]


def get_updates_for(self: Any, inputs: Any) -> Any:
    """Returns the layer's updates, whatever the inputs, as from TensorFlow 2.3."""
    return self.updates


def get_losses_for(self: Any, inputs: Any) -> Any:
    """Returns the layer's losses, whatever the inputs, as from TensorFlow 2.3."""
    return self.losses


def experimental_make_numpy_dataset(self: Any, numpy_input: Any, session: Any = None) -> Any:
    """Makes a dataset of the rows of arrays, on the strategy's host."""
    return self.extended.experimental_make_numpy_dataset(numpy_input, session=session)


def _remembered(name: str, make: Callable[[], Any] = lambda: None) -> property:
    """An option that is set and read, and does nothing; at first, it is what `make` makes."""

    def get(options: Any) -> Any:
        return vars(options).setdefault(f"_{name}", make())

    def put(options: Any, value: Any) -> None:
        # Past the options' own `__setattr__`, which refuses names that they do not know.
        vars(options)[f"_{name}"] = value

    return property(get, put)


autotune = _remembered("autotune")
autotune_algorithm = _remembered("autotune_algorithm")
autotune_buffers = _remembered("autotune_buffers")
autotune_cpu_budget = _remembered("autotune_cpu_budget")
autotune_ram_budget = _remembered("autotune_ram_budget")
filter_with_random_uniform_fusion = _remembered("filter_with_random_uniform_fusion")
hoist_random_uniform = _remembered("hoist_random_uniform")
reorder_data_discarding_ops = _remembered("reorder_data_discarding_ops")


def _is_sharded(options: Any) -> bool:
    return bool(options.auto_shard_policy != tf.data.experimental.AutoShardPolicy.OFF)


def _shard(options: Any, value: bool) -> None:
    policies = tf.data.experimental.AutoShardPolicy
    options.auto_shard_policy = policies.AUTO if value else policies.OFF


auto_shard = property(_is_sharded, _shard)
"""Whether several workers share a dataset's files or elements; a bool in TensorFlow 2.0."""
# Not the function itself: its argument has another name.
none_from_structure = staticmethod(
    lambda value_structure: tf.experimental.Optional.empty(element_spec=value_structure)
)
value_structure = property(lambda optional: optional.element_spec)


def experimental_run_v2(
    self: Any, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None
) -> Any:
    """Runs a function on each replica; `tf.distribute.Strategy.run` had this name up to 2.1."""
    return self.run(fn, args=args, kwargs=kwargs, options=options)


class MapVectorizationOptions:
    """What there was to say about the vectorization of maps. It is remembered, and does nothing."""

    enabled: bool | None = None
    use_choose_fastest: bool | None = None


map_vectorization = _remembered("map_vectorization", MapVectorizationOptions)
"""Takes the place of an attribute of `tf.data.experimental.OptimizationOptions`, which was a plain
bool in TensorFlow 1.15 and 2.0."""
