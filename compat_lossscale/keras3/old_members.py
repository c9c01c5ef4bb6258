# SPDX-License-Identifier: Apache-2.0
"""Members of TensorFlow 2's optimizers on those of Keras 3.

Those that have an exact meaning in Keras 3 work. The others are not there, to `hasattr` and `dir`
either: TensorFlow's checkpoints look for `get_slot_names` by `dir`, and call what they find. Only
the error of an access says what to use instead.
"""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import keras
import numpy as np

from compat_lossscale._patching import Undo, set_attribute
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.keras3 import gradients
from compat_lossscale.keras3.arguments import check_aggregation, check_has_gradients
from compat_lossscale.neighbour_names.keras_3_names import DECAY, HOOKS, MEMBERS


def look_up(optimizer: Any, name: str) -> Any:
    """Raises the error for an attribute that is not there, as a `__getattr__`.

    Args:
        optimizer: The optimizer.
        name: The attribute. If it is one of `MEMBERS` or `HOOKS`, the error says what to use
            instead.

    Raises:
        AttributeError: Always, unless a property failed by chance.
    """
    instead = MEMBERS.get(name) or HOOKS.get(name)
    if instead is None:
        # Python's own words; or those of a property that has raised an AttributeError.
        return object.__getattribute__(optimizer, name)
    raise AttributeError(
        f"{type(optimizer).__name__!r} object has no attribute {name!r}: Keras 3's optimizers have "
        f"none. Use {instead}.",
        name=name,
        obj=optimizer,
    )


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


def _learning_rate(optimizer: Any) -> Any:
    """The learning rate, by the name of TensorFlow 2.0 to 2.10."""
    return optimizer.learning_rate


def _set_learning_rate(optimizer: Any, value: Any) -> None:
    optimizer.learning_rate = value


def _weights(optimizer: Any) -> list[Any]:
    """The optimizer's variables. Keras 3 has the learning rate among them."""
    return list(optimizer.variables)


def _get_weights(self: Any) -> list[Any]:
    """Returns the values of the optimizer's variables."""
    return [keras.ops.convert_to_numpy(variable) for variable in self.variables]


def _minimize(
    self: Any,
    loss: Any,
    var_list: Any,
    grad_loss: Any = None,
    name: str | None = None,
    tape: Any = None,
) -> Any:
    """Differentiates the loss and applies the gradients; see `gradients.compute`."""
    return self.apply_gradients(
        gradients.compute(loss, var_list, grad_loss=grad_loss, tape=tape), name=name
    )


def arguments_of_today(
    learning_rate: Any, options: Mapping[str, Any], name: str
) -> tuple[Any, dict[str, Any]]:
    """Returns the arguments of Keras 3's constructor for those of TensorFlow 2.0 to 2.10.

    Args:
        learning_rate: The learning rate.
        options: The other arguments, by name.
        name: The optimizer's name, for messages.

    Raises:
        LossScaleArgumentError: There is a `decay`.
    """
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
    gradients.check_not_in_graph()
    if gradients.are_summed_over_replicas():
        check_aggregation(experimental_aggregate_gradients=experimental_aggregate_gradients)
    pairs = list(grads_and_vars)
    check_has_gradients(pairs, "apply_gradients")
    return original(self, pairs)


def _variables(original: property, self: Any) -> Variables:
    assert original.fget is not None
    return Variables(original.fget(self))


def set_value(x: Any, value: Any) -> None:
    """Sets the value of a variable, such as `optimizer.lr`.

    Source: `tf.keras.backend.set_value`. Keras 3's own fails for its variables.

    Args:
        x: A variable.
        value: What it is to be, of its shape.
    """
    x.assign(np.asarray(value, dtype=keras.backend.standardize_dtype(x.dtype)))


def put(undo: Undo) -> None:
    """Gives Keras 3's optimizers these members.

    Args:
        undo: What takes them away again.
    """
    optimizer = keras.optimizers.Optimizer
    lr = property(_learning_rate, _set_learning_rate, doc=_learning_rate.__doc__)
    added = {
        "get_weights": _get_weights,
        "lr": lr,
        "minimize": _minimize,
        "weights": property(_weights, doc=_weights.__doc__),
        "__getattr__": look_up,
    }
    for name, value in added.items():
        if not hasattr(optimizer, name):
            set_attribute(optimizer, name, value, undo)
    for name, replacement in (("__init__", _init), ("apply_gradients", _apply_gradients)):
        owner = _owner(optimizer, name)
        set_attribute(owner, name, _around(vars(owner)[name], replacement), undo)
    owner = _owner(optimizer, "variables")
    original = vars(owner)["variables"]
    called = property(functools.partial(_variables, original), doc=original.__doc__)
    set_attribute(owner, "variables", called, undo)


def _owner(cls: type, name: str) -> type:
    """The class whose own member it is, so that taking it back leaves nothing behind."""
    return next(base for base in cls.__mro__ if name in vars(base))


def _around(original: Callable[..., Any], replacement: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def patched(self: Any, *args: Any, **kwargs: Any) -> Any:
        return replacement(original, self, *args, **kwargs)

    return patched
