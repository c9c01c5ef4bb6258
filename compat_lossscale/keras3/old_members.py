# SPDX-License-Identifier: Apache-2.0
"""Members of TensorFlow 2's optimizers on those of Keras 3.

Those that have an exact meaning in Keras 3 work. The others are not there, to `hasattr` and `dir`
either: TensorFlow's checkpoints look for `get_slot_names` by `dir`, and call what they find. Only
the error of an access says what to use instead.
"""

from __future__ import annotations

import functools
import inspect
import numbers
import operator
import types
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from compat_lossscale._patching import Undo, around, put_in_public_modules, set_attribute
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.keras3 import private
from compat_lossscale.keras3.arguments import check_aggregation, check_has_gradients
from compat_lossscale.members.optimizer import check_has_tape
from compat_lossscale.neighbour_names.keras_names import DECAY, HOOKS, MEMBERS, MODEL_MEMBERS


def compute_gradients(
    self: Any, loss: Any, var_list: Any, grad_loss: Any = None, tape: tf.GradientTape | None = None
) -> list[tuple[Any, Any]]:
    """Differentiates a loss; for an optimizer that scales losses, the scaled one.

    Args:
        self: The optimizer.
        loss: A floating-point tensor computed under `tape`, or a callable that gives one.
        var_list: A variable, a list of variables, or a callable that gives one.
        grad_loss: The gradient with respect to the loss, a tensor of its shape; `None` for ones.
        tape: The tape under which the loss was computed; not needed for a callable.

    Returns:
        Pairs of an unscaled gradient and a variable.

    Raises:
        ValueError: `loss` is a tensor and there is no `tape`; or there is no variable.
    """
    check_has_tape(loss, tape)
    has_scale = hasattr(self, "get_scaled_loss")
    tape = tf.GradientTape() if tape is None else tape
    with tape:
        if callable(loss):
            if not callable(var_list):
                tape.watch([private.tensorflow_variable(one) for one in tf.nest.flatten(var_list)])
            loss = loss()
        loss = self.get_scaled_loss(loss) if has_scale else loss
    variables = tf.nest.flatten(var_list() if callable(var_list) else var_list)
    check_has_gradients(variables, "minimize")
    watched = [private.tensorflow_variable(variable) for variable in variables]
    gradients = tape.gradient(loss, watched, grad_loss)
    gradients = self.get_unscaled_gradients(gradients) if has_scale else gradients
    return list(zip(gradients, variables, strict=True))


def minimize(
    self: Any,
    loss: Any,
    var_list: Any,
    grad_loss: Any = None,
    name: str | None = None,
    tape: tf.GradientTape | None = None,
) -> Any:
    """Differentiates the loss, see `compute_gradients`, and applies the gradients.

    Args:
        self: The optimizer.
        loss: A floating-point tensor computed under `tape`, or a callable that gives one.
        var_list: A variable, a list of variables, or a callable that gives one.
        grad_loss: The gradient with respect to `loss`, a tensor of its shape; `None` for ones.
        name: Keras 3 has no use for it.
        tape: The tape under which the loss was computed; not needed for a callable.

    Raises:
        ValueError: `loss` is a tensor and there is no `tape`; or see `apply_gradients`.
    """
    compute = getattr(self, "_compute_gradients", functools.partial(compute_gradients, self))
    return self.apply_gradients(compute(loss, var_list, grad_loss, tape), name=name)


def check_step(*, experimental_aggregate_gradients: bool) -> None:
    """Refuses a step that Keras 3 does not take as it is asked to.

    Raises:
        RuntimeError: Operations are made for a `tf.compat.v1.Session` to run; Keras 3's would do
            nothing.
        ValueError: Gradients are not to be summed over replicas, of which there are several.
    """
    if not tf.compat.v1.executing_eagerly_outside_functions():
        raise RuntimeError(
            "Optimizers of Keras 3 make no operations for graphs and sessions of TensorFlow 1. "
            "Use tf.function in the place of the graph. Without that change, run the program on "
            "tf-keras: compat-lossscale run, without --keras3."
        )
    if tf.distribute.get_strategy().num_replicas_in_sync > 1:
        check_aggregation(experimental_aggregate_gradients=experimental_aggregate_gradients)


_OF_LAYERS = ("name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint")
"""What `Layer.add_weight` took, in this order."""
_OF_METRICS = ("name", "shape", "aggregation", "synchronization", "initializer", "dtype")
"""What `Metric.add_weight` took, in this order."""
_AS_ALWAYS = {
    "aggregation": ("VariableAggregation.SUM", "VariableAggregationV2.SUM"),
    "synchronization": ("VariableSynchronization.ON_READ",),
}
"""Arguments of `Metric.add_weight` that Keras 3 does not take, and the values it always has."""


def put_into_layers(undo: Undo) -> None:
    """Gives layers, models, metrics and schedules of Keras 3 these members, and to_categorical."""
    metric, layer, model = keras.metrics.Metric, keras.layers.Layer, keras.Model
    for cls in (metric, layer):
        set_attribute(cls, "add_weight", around(cls.add_weight, _add_weight), undo)
    set_attribute(layer, "add_variable", layer.add_weight, undo)
    set_attribute(layer, "__call__", around(layer.__call__, _name_arguments), undo)
    set_attribute(layer, "__setattr__", around(layer.__setattr__, _keep_in_layer), undo)
    if not hasattr(metric, "reset_states"):
        set_attribute(metric, "reset_states", _reset_states_of_metric, undo)
        set_attribute(metric, "__init_subclass__", classmethod(_let_it_reset), undo)
    if not hasattr(model, "reset_states"):
        set_attribute(model, "reset_states", _reset_states_of_model, undo)
    if not hasattr(layer, "__getattr__"):
        set_attribute(layer, "__getattr__", _look_up_in_layers, undo)
    set_attribute(layer, "__init_subclass__", classmethod(_let_it_be_called), undo)
    schedule = keras.optimizers.schedules.LearningRateSchedule
    set_attribute(schedule, "__init_subclass__", classmethod(_let_it_compute), undo)
    categorical = around(keras.utils.to_categorical, _to_categorical)
    put_in = functools.partial(set_attribute, name="to_categorical", value=categorical, undo=undo)
    put_in(keras.utils)
    put_in_public_modules("tensorflow.keras.utils", put_in, undo)


def _to_categorical(
    original: Callable[..., Any], *args: Any, dtype: str = "float32", **kwargs: Any
) -> Any:
    """Gives float32, or what is asked for, as in Keras 2. That of Keras 3 is float64."""
    if "y" in kwargs:
        args = (kwargs.pop("y"), *args)
    made = original(*args[:2], **kwargs)
    return made.astype(args[2] if len(args) > 2 else dtype) if hasattr(made, "astype") else made


def _name_arguments(original: Callable[..., Any], layer: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a layer with `training` by its name: Keras 3 takes tensors alone by position."""
    given = args[1:]
    if any(isinstance(one, float | int | str) for one in given):
        names = list(inspect.signature(layer.call).parameters.values())[1 : len(args)]
        if len(names) == len(given) and all(one.kind is one.POSITIONAL_OR_KEYWORD for one in names):
            by_name = {one.name: value for one, value in zip(names, given, strict=True)}
            return original(layer, args[0], **by_name, **kwargs)
    return original(layer, *args, **kwargs)


def _keep_in_layer(original: Callable[..., Any], layer: Any, name: str, value: Any) -> None:
    """Sets an attribute of a layer or a model, and warns of a variable that it will not train."""
    original(layer, name, value)
    if isinstance(value, tf.Variable) and value.trainable:
        warnings.warn(
            f"{type(layer).__name__}.{name} is a tf.Variable, and Keras 3 has none among the "
            "variables of layers and models: an optimizer that is given these does not train it. "
            "Make it with self.add_weight().",
            stacklevel=3,
        )


def _add_weight(original: Callable[..., Any], holder: Any, *args: Any, **kwargs: Any) -> Any:
    """Makes a weight of a layer or a metric from arguments in the old order."""
    is_metric = isinstance(holder, keras.metrics.Metric)
    names = _OF_METRICS if is_metric else _OF_LAYERS
    # A shape is no string, and Keras 3 takes the shape first.
    if args and isinstance(args[0], str) and len(args) <= len(names):
        given = dict(zip(names, args, strict=False))
        for name in given.keys() & kwargs.keys():
            raise TypeError(f"add_weight() got multiple values for argument {name!r}")
        args, kwargs = (), {**given, **kwargs}
        if not is_metric and kwargs.get("trainable", True) is None:  # What is trained by default.
            del kwargs["trainable"]
    if "experimental_autocast" in kwargs:
        kwargs["autocast"] = kwargs.pop("experimental_autocast")
    for name, always in _AS_ALWAYS.items() if is_metric else ():
        if str(kwargs.get(name)) in always:
            del kwargs[name]
    return original(holder, *args, **kwargs)


def _let_it_reset(cls: type, /, **kwargs: Any) -> None:
    """Lets Keras 3, which calls `reset_state`, come to what a user's metric defines."""
    super(keras.metrics.Metric, cls).__init_subclass__(**kwargs)
    own = vars(cls)
    if "reset_states" in own and "reset_state" not in own:
        cls.reset_state = _reset_by_old_name  # type: ignore[attr-defined]  # a metric's class


def _let_it_be_called(cls: type, /, **kwargs: Any) -> None:
    """Lets Keras 3, which fills in `training` for a default alone, call a layer without one."""
    super(keras.layers.Layer, cls).__init_subclass__(**kwargs)
    call = vars(cls).get("call")
    if isinstance(call, types.FunctionType):
        defaults, code = call.__defaults__ or (), call.__code__
        required = code.co_varnames[: code.co_argcount - len(defaults)]
        if required[-1:] == ("training",):
            call.__defaults__ = (None, *defaults)


def _let_it_compute(cls: type, /, **kwargs: Any) -> None:
    """Lets a user's schedule have the number of steps as a float, as OptimizerV2 gave it."""
    super(keras.optimizers.schedules.LearningRateSchedule, cls).__init_subclass__(**kwargs)
    if "__call__" in vars(cls):
        cls.__call__ = around(cls.__call__, _call_with_float)  # type: ignore[method-assign]


def _call_with_float(original: Callable[..., Any], schedule: Any, step: Any) -> Any:
    # An optimizer gives its variable, which is no `keras.Variable` in Keras 3.6.
    is_variable = hasattr(step, "assign")
    return original(schedule, keras.ops.cast(step, "float32") if is_variable else step)


def _reset_by_old_name(metric: Any) -> None:
    metric.reset_states()


def _reset_states_of_metric(self: Any) -> None:
    """Sets the metric's variables to what they were at first."""
    owners = (vars(cls).get("reset_state", _reset_by_old_name) for cls in type(self).__mro__)
    next(reset for reset in owners if reset is not _reset_by_old_name)(self)


def _reset_states_of_model(self: Any) -> None:
    """Resets the layers that keep their state from batch to batch."""
    for layer in self.layers:
        if hasattr(layer, "reset_states") and getattr(layer, "stateful", False):
            layer.reset_states()


def _explaining(instead: Mapping[str, str], kind: str) -> Callable[[Any, str], Any]:
    """Returns a `__getattr__` whose error for some members says what to use instead."""

    def look_up(owner: Any, name: str) -> Any:
        if name not in instead:
            # Python's own words; or those of a property that has raised an AttributeError.
            return object.__getattribute__(owner, name)
        raise AttributeError(
            f"{type(owner).__name__!r} object has no attribute {name!r}: Keras 3's {kind} have "
            f"none. Use {instead[name]}.",
            name=name,
            obj=owner,
        )

    return look_up


look_up = _explaining({**HOOKS, **MEMBERS}, "optimizers")
"""The `__getattr__` of optimizers, which have none of these members."""
_look_up_in_layers = _explaining(MODEL_MEMBERS, "layers and models")


class Variables(list[Any]):
    """A list that can be called, for it was a method up to TensorFlow 2.10.

    Args:
        variables: What Keras 3's attribute has.
        called: What the method gives; by default, the same.
    """

    def __init__(self, variables: Iterable[Any], called: Iterable[Any] | None = None) -> None:
        super().__init__(variables)
        self._called = None if called is None else list(called)

    def __call__(self) -> list[Any]:
        """Returns a plain list."""
        return list(self) if self._called is None else list(self._called)


LR = property(
    operator.attrgetter("learning_rate"),
    lambda optimizer, value: setattr(optimizer, "learning_rate", value),
    doc="The learning rate, by the name of TensorFlow 2.0 to 2.10.",
)
_WEIGHTS = property(
    lambda optimizer: list(optimizer.variables),
    doc="The optimizer's variables. Keras 3 has the learning rate among them.",
)


def _get_weights(self: Any) -> list[Any]:
    """Returns the values of the optimizer's variables."""
    return [keras.ops.convert_to_numpy(variable) for variable in self.variables]


def arguments_of_today(
    learning_rate: Any, options: Mapping[str, Any], name: str
) -> tuple[Any, dict[str, Any]]:
    """Returns the arguments of Keras 3's constructor for those of TensorFlow 2.0 to 2.10."""
    options = dict(options)
    learning_rate = options.pop("lr", learning_rate)
    if isinstance(learning_rate, numbers.Real):
        learning_rate = float(learning_rate)
    if options.get("decay") is not None:
        decay = options.pop("decay")
        if decay:
            raise LossScaleArgumentError(
                f"{name} of Keras 3 takes no `decay`, but got: {decay}. Use {DECAY}."
            )
    return learning_rate, options


def _init(
    original: Callable[..., None], self: Any, learning_rate: Any = None, *args: Any, **kwargs: Any
) -> None:
    hooks = [name for name in HOOKS if any(name in vars(cls) for cls in type(self).__mro__)]
    if hooks:
        instead = "; ".join(f"{HOOKS[name]} in the place of {name}()" for name in hooks)
        raise LossScaleArgumentError(
            f"{type(self).__name__} is written for OptimizerV2, the base class of optimizers in "
            f"TensorFlow 2.0 to 2.10, which Keras 3 has not. In Keras 3, use {instead}. Without "
            "that change, run the program on tf-keras: compat-lossscale run, without --keras3."
        )
    learning_rate, kwargs = arguments_of_today(learning_rate, kwargs, type(self).__name__)
    original(self, learning_rate, *args, **kwargs)


def _apply_gradients(
    original: Callable[..., Any],
    self: Any,
    grads_and_vars: Any,
    name: str | None = None,
    experimental_aggregate_gradients: bool = True,
) -> Any:
    del name  # Keras 3 names no operations.
    check_step(experimental_aggregate_gradients=experimental_aggregate_gradients)
    pairs = list(grads_and_vars)
    check_has_gradients(pairs, "apply_gradients")
    return original(self, pairs)


def _variables(original: property, self: Any) -> Variables:
    assert original.fget is not None
    return Variables(original.fget(self))


def set_value(x: Any, value: Any) -> None:
    """Sets the value of a variable, such as `optimizer.lr`.

    Source: `tf.keras.backend.set_value`. Keras 3's own fails for its variables.
    """
    x.assign(np.asarray(value, dtype=keras.backend.standardize_dtype(x.dtype)))


def put(undo: Undo) -> None:
    """Gives Keras 3's optimizers these members."""
    optimizer = keras.optimizers.Optimizer
    added = {
        "get_weights": _get_weights,
        "lr": LR,
        "minimize": minimize,
        "weights": _WEIGHTS,
        "__getattr__": look_up,
    }
    for name, value in added.items():
        if not hasattr(optimizer, name):
            set_attribute(optimizer, name, value, undo)
    for name, replacement in (("__init__", _init), ("apply_gradients", _apply_gradients)):
        owner = _owner(optimizer, name)
        set_attribute(owner, name, around(vars(owner)[name], replacement), undo)
    owner = _owner(optimizer, "variables")
    original = vars(owner)["variables"]
    called = property(functools.partial(_variables, original), doc=original.__doc__)
    set_attribute(owner, "variables", called, undo)


def _owner(cls: type, name: str) -> type:
    """The class whose own member it is, so that taking it back leaves nothing behind."""
    return next(base for base in cls.__mro__ if name in vars(base))
