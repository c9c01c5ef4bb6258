# SPDX-License-Identifier: Apache-2.0
"""What the package uses of Keras 3 beyond its public names, each with a public fallback.

A Keras that moves one of these names makes the package slower, or does without the name.
"""

from __future__ import annotations

import copyreg
import pkgutil
from typing import Any

import keras


class NamedAsKeras(type(keras.optimizers.LossScaleOptimizer)):  # type: ignore[misc]  # it is `type`
    """The type of classes that have the name of Keras' own, which files then name.

    Pickle finds a class by its module and its name, and would find Keras' own. So each of these
    classes has a `_home`, the path of its own.
    """


def _reduce(cls: type) -> Any:
    home = vars(cls).get("_home")
    return cls.__qualname__ if home is None else (pkgutil.resolve_name, (home,))


copyreg.pickle(NamedAsKeras, _reduce)


def apply_by_inner(inner_optimizer: Any, gradients: list[Any], variables: Any) -> None:
    """Lets the inner optimizer apply gradients.

    A class that has an `apply_gradients` of its own, as in programs for tf-keras, is called by it:
    tf-keras' wrapper did so. Keras 3's wrapper calls `apply` and passes such a method over.
    """
    base = keras.optimizers.Optimizer.apply_gradients
    if variables is None or type(inner_optimizer).apply_gradients is base:
        inner_optimizer.apply(gradients, variables)
    else:
        inner_optimizer.apply_gradients(list(zip(gradients, variables, strict=True)))


def tensorflow_variable(variable: Any) -> Any:
    """Returns the `tf.Variable` behind a Keras variable, and a `tf.Variable` as it is.

    The public `value` is the same, except where a layer casts variables automatically.
    """
    # A `tf.Variable` has a method of that name. The class does not tell: that of the variables that
    # an optimizer makes is not `keras.Variable` in Keras 3.6.
    if callable(variable.value):
        return variable
    native = getattr(variable, "_value", None)
    return variable.value if native is None else native


def keras_variable(variable: Any, name: str) -> Any:
    """Returns a Keras variable that is a `tf.Variable` of somebody else's.

    Keras takes a `tf.Variable` for its own where it would make one; nothing documents that.
    """
    dtype = variable.dtype.name  # Up to Keras 3.6 the default is float32.
    made = keras.Variable(variable, dtype=dtype, trainable=False, autocast=False, name=name)
    made._value = variable  # Up to Keras 3.6 it is a copy.
    return made


def track(optimizer: Any, trackable: Any, name: str) -> None:
    """Lets checkpoints of an optimizer find an object of TensorFlow, as its attribute would."""
    track_trackable = getattr(optimizer, "_track_trackable", None)
    if track_trackable is None:
        setattr(optimizer, name, trackable)
    else:
        track_trackable(trackable, name, overwrite=True)


def add_scalar(optimizer: Any, name: str, dtype: str, value: float) -> Any:
    """Makes a variable of an optimizer, which replicas do not aggregate.

    Before Keras 3.7 there is no such variable: what replicas assign, all equal, is averaged.
    """
    initializer = keras.initializers.Constant(value)
    options = {"shape": (), "initializer": initializer, "dtype": dtype, "name": name}
    try:
        return optimizer.add_variable(**options, aggregation="none")
    except ValueError:
        return optimizer.add_variable(**options)


def step_variable(optimizer: Any) -> Any:
    """Returns the variable in which an optimizer counts its steps.

    The public `iterations` is the same, except with `gradient_accumulation_steps`.
    """
    return getattr(optimizer, "_iterations", optimizer.iterations)


def trained_variables(optimizer: Any) -> list[Any]:
    """Returns the variables that an optimizer was built for; none if they are not known."""
    return list(getattr(optimizer, "_trainable_variables", ()))


def takes_the_gradient_as_value(variable: Any) -> bool:
    """Whether a variable's gradient is its next value, as those of float8 layers are.

    Such a gradient is not scaled.
    """
    return bool(getattr(variable, "overwrite_with_gradient", False))
