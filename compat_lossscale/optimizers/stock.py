# SPDX-License-Identifier: Apache-2.0
"""What this package uses of tf-keras beyond its public names, each behind one name of ours.

tf-keras has had them in the same places from 2.16 to 2.21.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any

import tensorflow as tf
import tf_keras
from tf_keras.src import backend, optimizers
from tf_keras.src.engine import base_layer, base_layer_v1, training_v1
from tf_keras.src.mixed_precision import loss_scale_optimizer
from tf_keras.src.mixed_precision import policy as dtype_policies
from tf_keras.src.saving import saving_lib
from tf_keras.src.saving.legacy import hdf5_format
from tf_keras.src.saving.legacy.saved_model import load as saved_model_load

__all__ = ["dtype_policies", "hdf5_format", "optimizers", "saved_model_load", "saving_lib"]

Optimizer = tf_keras.optimizers.Optimizer
"""Base class of the optimizers that are the default since TensorFlow 2.11."""
OptimizerV2 = tf_keras.optimizers.legacy.Optimizer
"""Base class of the optimizers of TensorFlow 2.0 to 2.10."""

BaseLossScaleOptimizer = tf_keras.mixed_precision.LossScaleOptimizer
"""What `isinstance` checks name; makes one of the next two when called."""
LossScaleOptimizerMetaclass = type(BaseLossScaleOptimizer)
"""The type of that class."""
LegacyLossScaleOptimizer = loss_scale_optimizer.LossScaleOptimizer
"""tf-keras' own class around an OptimizerV2."""
NewLossScaleOptimizer = loss_scale_optimizer.LossScaleOptimizerV3
"""tf-keras' own class around an Optimizer."""

Model = tf_keras.Model
"""The model class of TensorFlow 2."""
ModelV1 = training_v1.Model
"""The model class used while TensorFlow 2 behaviour is off."""
LAYERS = (base_layer.Layer, base_layer_v1.Layer)
"""The layer classes of TensorFlow 2 and 1."""

_API_NAMES = "_keras_api_names"
POLICY_NAME_IN_FILES = (_API_NAMES, vars(tf_keras.mixed_precision.Policy)[_API_NAMES])
"""The attribute by which files name tf-keras' policies, and its value."""

track_variable = backend.track_variable
"""Lets Keras' graph mode initialise a variable that no Keras layer made."""


def mixed_precision_names(module: str) -> dict[str, Any]:
    """Returns the functions and classes of a private module of tf-keras' mixed precision.

    Args:
        module: `"autocast_variable"`, `"device_compatibility_check"`, `"loss_scale_optimizer"` or
            `"policy"`: the names that Keras gave these modules in TensorFlow 2.0 already.
    """
    imported = importlib.import_module(f"tf_keras.src.mixed_precision.{module}")
    return {
        name: value
        for name, value in vars(imported).items()
        if getattr(value, "__module__", None) == imported.__name__
    }


def with_some_gradient(grads_and_vars: Any) -> list[tuple[Any, Any]]:
    """Returns the pairs as a list.

    Raises:
        ValueError: No pair has a gradient.
    """
    pairs = list(grads_and_vars)
    if pairs and all(gradient is None for gradient, _ in pairs):
        raise ValueError(
            f"No gradients provided for any variable: {[variable.name for _, variable in pairs]}. "
            "The loss does not depend on these variables, or was computed outside of the tape."
        )
    return pairs


def without_empty_gradients(grads_and_vars: Any) -> list[tuple[Any, Any]]:
    """Drops pairs without a gradient, with a warning.

    Raises:
        ValueError: No pair has a gradient.
    """
    pairs = with_some_gradient(grads_and_vars)
    with_gradient = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
    if len(with_gradient) < len(pairs):
        tf.get_logger().warning(
            "Gradients do not exist for variables %s when minimizing the loss. The optimizer "
            "leaves them as they are.",
            [variable.name for gradient, variable in pairs if gradient is None],
        )
    return with_gradient


@functools.cache
def _sum_over_replicas() -> Any:
    # Not on import: an optimizer asks for the graph, and eager execution is enabled before that.
    return tf_keras.optimizers.legacy.SGD().gradient_aggregator


def sums_as_the_strategy_does(optimizer: Any) -> bool:
    """Whether an optimizer's aggregation of gradients is the strategy's sum over the replicas.

    It is not if the optimizer has an aggregation of its own. Without a strategy the sum gives the
    gradients back as they are.
    """
    if isinstance(optimizer, Optimizer):
        return _is_stock(optimizer.aggregate_gradients, Optimizer.aggregate_gradients)
    return (
        _is_stock(optimizer._aggregate_gradients, OptimizerV2._aggregate_gradients)
        and getattr(optimizer, "gradient_aggregator", None) is _sum_over_replicas()
    )


def aggregated(optimizer: Any, grads_and_vars: Any) -> list[Any]:
    """Returns gradients, summed over the replicas by an optimizer of OptimizerV2, as pairs.

    Args:
        optimizer: The optimizer. Classes that users wrote for TensorFlow 2.2 and 2.3 return the
            gradients alone, in the same order.
        grads_and_vars: Pairs of a gradient and a variable.
    """
    given = list(grads_and_vars)
    summed = list(optimizer._aggregate_gradients(given))
    if all(isinstance(one, tuple | list) and len(one) == 2 for one in summed):
        return summed
    return [(one, variable) for one, (_, variable) in zip(summed, given, strict=True)]


def _is_stock(method: Any, stock: Any) -> bool:
    return getattr(method, "__func__", None) is stock


def set_policy_of_layer(layer: Any, policy: Any) -> None:
    """Gives a layer another dtype policy."""
    layer._set_dtype_policy(policy)


def accepts(function: Any, parameter: str) -> bool:
    """Whether a function or method takes an argument by keyword."""
    return _accepts(getattr(function, "__func__", function), parameter)


@functools.lru_cache(maxsize=16)
def _accepts(function: Any, parameter: str) -> bool:
    parameters = inspect.signature(function).parameters
    return parameter in parameters or any(
        p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()
    )
