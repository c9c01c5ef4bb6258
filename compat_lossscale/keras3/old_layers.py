# SPDX-License-Identifier: Apache-2.0
"""Members of Keras 2's layers, models and metrics on those of Keras 3.

Those that have an exact meaning in Keras 3 work: `reset_states` of metrics and models, and
`add_weight` with its arguments in the old order. The others are not there, as in
`old_members`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import keras

from compat_lossscale._patching import Undo, set_attribute
from compat_lossscale.neighbour_names.keras_3_names import MODEL_MEMBERS

_OF_LAYERS = ("name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint")
"""What `Layer.add_weight` took, in this order."""
_OF_METRICS = ("name", "shape", "aggregation", "synchronization", "initializer", "dtype")
"""What `Metric.add_weight` took, in this order."""
_AS_ALWAYS = {
    "aggregation": ("VariableAggregation.SUM", "VariableAggregationV2.SUM"),
    "synchronization": ("VariableSynchronization.ON_READ",),
}
"""Arguments of `Metric.add_weight` that Keras 3 does not take, and the values it always has."""


def put(undo: Undo) -> None:
    """Gives layers, models and metrics of Keras 3 these members.

    Args:
        undo: What takes them away again.
    """
    metric, layer, model = keras.metrics.Metric, keras.layers.Layer, keras.Model
    for cls, replacement in ((metric, _add_weight_of_metric), (layer, _add_weight)):
        set_attribute(cls, "add_weight", _around(cls.add_weight, replacement), undo)
    if not hasattr(metric, "reset_states"):
        set_attribute(metric, "reset_states", _reset_states_of_metric, undo)
        set_attribute(metric, "__init_subclass__", classmethod(_let_it_reset), undo)
    if not hasattr(model, "reset_states"):
        set_attribute(model, "reset_states", _reset_states_of_model, undo)
    if not hasattr(layer, "__getattr__"):
        set_attribute(layer, "__getattr__", _look_up, undo)


def _around(original: Callable[..., Any], replacement: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def patched(self: Any, *args: Any, **kwargs: Any) -> Any:
        return replacement(original, self, *args, **kwargs)

    return patched


def _add_weight(original: Callable[..., Any], layer: Any, *args: Any, **kwargs: Any) -> Any:
    # A shape is no string, and Keras 3 takes the shape first.
    if args and isinstance(args[0], str) and len(args) <= len(_OF_LAYERS):
        kwargs = _named(_OF_LAYERS, args, kwargs)
        if kwargs.get("trainable", True) is None:  # What is trained by default.
            del kwargs["trainable"]
        args = ()
    return original(layer, *args, **kwargs)


def _add_weight_of_metric(
    original: Callable[..., Any], metric: Any, *args: Any, **kwargs: Any
) -> Any:
    if args and isinstance(args[0], str) and len(args) <= len(_OF_METRICS):
        args, kwargs = (), _named(_OF_METRICS, args, kwargs)
    for name, always in _AS_ALWAYS.items():
        if str(kwargs.get(name)) in always:
            del kwargs[name]
    return original(metric, *args, **kwargs)


def _named(names: tuple[str, ...], args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Returns arguments by their names.

    Raises:
        TypeError: One is given twice.
    """
    given = dict(zip(names, args, strict=False))
    for name in given.keys() & kwargs.keys():
        raise TypeError(f"add_weight() got multiple values for argument {name!r}")
    return {**given, **kwargs}


def _let_it_reset(cls: type, /, **kwargs: Any) -> None:
    """Lets Keras 3, which calls `reset_state`, come to what a user's metric defines."""
    super(keras.metrics.Metric, cls).__init_subclass__(**kwargs)
    own = vars(cls)
    if "reset_states" in own and "reset_state" not in own:
        cls.reset_state = _reset_by_old_name  # type: ignore[attr-defined]  # a metric's class


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


def _look_up(layer: Any, name: str) -> Any:
    if name not in MODEL_MEMBERS:
        return object.__getattribute__(layer, name)  # Python's own words, or a property's.
    raise AttributeError(
        f"{type(layer).__name__!r} object has no attribute {name!r}: Keras 3's layers and models "
        f"have none. Use {MODEL_MEMBERS[name]}.",
        name=name,
        obj=layer,
    )
