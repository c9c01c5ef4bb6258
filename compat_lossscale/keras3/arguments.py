# SPDX-License-Identifier: Apache-2.0
"""Checks what Keras 3's front end is given: the optimizer to wrap, and other arguments."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sized
from typing import Any

import keras

from compat_lossscale.errors import (
    AlreadyWrappedError,
    LossScaleArgumentError,
    LossScaleMisuseWarning,
)
from compat_lossscale.members.guards import where_to_go
from compat_lossscale.spec.inner_optimizers import OPTIONS, Family

_OF_THE_INNER_OPTIMIZER = OPTIONS[Family.KERAS3]
"""Arguments that configs of Keras before 3.9 have, and their values in these."""


WHY_EMPTY = (
    "nothing is trained. Likely, the list of variables is that of a tf.Module, whose `variables` "
    "and `trainable_variables` leave out the layers of Keras 3, for these are no tf.Module; or it "
    "was made before the layers were built. Collect `trainable_variables` of the layers and models "
    "themselves, after their first call."
)
"""What comes of it, the likely causes, and what to do."""


def check_wrappable(optimizer: Any, *, argument: str = "inner_optimizer") -> None:
    """Checks that an optimizer can be wrapped."""
    if isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
        raise AlreadyWrappedError(
            f'"{argument}" is a {type(optimizer).__name__} already: the loss would be scaled '
            "twice. Wrap the optimizer inside of it, its inner_optimizer."
        )
    if not isinstance(optimizer, keras.optimizers.Optimizer):
        raise LossScaleArgumentError(
            f'"{argument}" must be an optimizer of Keras 3, but got: {optimizer!r}.'
            f"{where_to_go(optimizer, 'keras', _ELSEWHERE)}"
        )


_ELSEWHERE = {
    "tensorflow.python.keras.": (
        "It is of tensorflow.python.keras, a private copy of Keras that TensorFlow keeps for "
        "itself. Use the optimizer of that name in keras.optimizers."
    ),
    "tf_keras.": "One of tf-keras is wrapped by compat_lossscale.LossScaleOptimizer.",
}


def warn_of_dropped_factor(inner_optimizer: Any, *, stacklevel: int) -> None:
    """Warns if wrapping an optimizer takes its `loss_scale_factor` away."""
    factor = inner_optimizer.loss_scale_factor
    if factor is not None:
        warnings.warn(
            f"{type(inner_optimizer).__name__} has loss_scale_factor={factor}, a fixed loss scale. "
            "The LossScaleOptimizer around it takes its place, as the loss would be scaled twice. "
            "To keep it, leave out the LossScaleOptimizer or make it with dynamic=False.",
            LossScaleMisuseWarning,
            stacklevel=stacklevel + 1,
        )


def check_others(arguments: Mapping[str, Any]) -> None:
    """Refuses arguments of the constructor that are unknown, or the inner optimizer's."""
    unknown = [f"`{name}`" for name in arguments if name not in _OF_THE_INNER_OPTIMIZER]
    if unknown:
        raise LossScaleArgumentError(
            f"LossScaleOptimizer does not support arguments: {', '.join(unknown)}."
        )
    for name, value in arguments.items():
        if value != _OF_THE_INNER_OPTIMIZER[name]:
            raise LossScaleArgumentError(
                f"LossScaleOptimizer does not support `{name}`: set it on the `inner_optimizer`."
            )


def check_aggregation(
    name: str | None = None,
    experimental_aggregate_gradients: bool = True,
    skip_gradients_aggregation: bool = False,
) -> None:
    """Refuses arguments of `apply_gradients` that Keras 3 cannot do as they say.

    It has no use for a `name`, and always sums gradients over the replicas.
    """
    del name
    if skip_gradients_aggregation or not experimental_aggregate_gradients:
        raise ValueError(
            "Keras 3 sums gradients over the replicas when it applies them, and cannot be told "
            "not to. Leave out the argument, and do not sum them yourself."
        )


def check_has_gradients(gradients: Sized, method: str) -> None:
    """Refuses a step without any gradient, which trains nothing."""
    if not gradients:
        raise ValueError(f"{method}() got no gradients and no variables: {WHY_EMPTY}")
