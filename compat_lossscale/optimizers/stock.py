# SPDX-License-Identifier: Apache-2.0
"""What this package uses of tf-keras beyond its public names, each behind one name of ours.

A tf-keras release that moves one of these breaks this file and no other.
"""

from __future__ import annotations

from typing import Any

import tf_keras
from tf_keras.src import backend as _backend
from tf_keras.src import optimizers
from tf_keras.src.engine import training as _training
from tf_keras.src.engine import training_v1 as _training_v1
from tf_keras.src.mixed_precision import autocast_variable as _autocast_variable
from tf_keras.src.mixed_precision import device_compatibility_check as _device_compatibility_check
from tf_keras.src.mixed_precision import loss_scale_optimizer as _loss_scale_optimizer
from tf_keras.src.mixed_precision import policy as dtype_policies
from tf_keras.src.optimizers import utils as _optimizer_utils
from tf_keras.src.saving import saving_lib
from tf_keras.src.saving.legacy import hdf5_format
from tf_keras.src.saving.legacy.saved_model import load as saved_model_load

__all__ = [
    "BaseLossScaleOptimizer",
    "LegacyLossScaleOptimizer",
    "LossScaleOptimizerMetaclass",
    "Model",
    "ModelV1",
    "NewLossScaleOptimizer",
    "Optimizer",
    "OptimizerV2",
    "dtype_policies",
    "hdf5_format",
    "mixed_precision_names",
    "optimizers",
    "saved_model_load",
    "saving_lib",
    "set_any_global_policy",
    "sums_as_the_strategy_does",
    "track_variable",
    "without_empty_gradients",
]

Optimizer = tf_keras.optimizers.Optimizer
"""Base class of the optimizers that are the default since TensorFlow 2.11."""
OptimizerV2 = tf_keras.optimizers.legacy.Optimizer
"""Base class of the optimizers of TensorFlow 2.0 to 2.10."""

BaseLossScaleOptimizer = tf_keras.mixed_precision.LossScaleOptimizer
"""What `isinstance` checks name; makes one of the next two when called."""
LossScaleOptimizerMetaclass = _loss_scale_optimizer.LossScaleOptimizerMetaclass
"""The type of that class."""
LegacyLossScaleOptimizer = _loss_scale_optimizer.LossScaleOptimizer
"""tf-keras' own class around an OptimizerV2."""
NewLossScaleOptimizer = _loss_scale_optimizer.LossScaleOptimizerV3
"""tf-keras' own class around an Optimizer."""

Model = _training.Model
"""The model class of TensorFlow 2."""
ModelV1 = _training_v1.Model
"""The model class used while TensorFlow 2 behaviour is off."""


def mixed_precision_names(module: str) -> dict[str, Any]:
    """Returns the functions and classes of a private module of tf-keras' mixed precision.

    Args:
        module: `"autocast_variable"`, `"device_compatibility_check"`, `"loss_scale_optimizer"` or
            `"policy"`: the names that Keras gave these modules in TensorFlow 2.0 already.
    """
    found = {
        "autocast_variable": _autocast_variable,
        "device_compatibility_check": _device_compatibility_check,
        "loss_scale_optimizer": _loss_scale_optimizer,
        "policy": dtype_policies,
    }[module]
    return {
        name: value
        for name, value in vars(found).items()
        if getattr(value, "__module__", None) == found.__name__
    }


def without_empty_gradients(grads_and_vars: Any) -> list[tuple[Any, Any]]:
    """Drops pairs without a gradient, with tf-keras' warning.

    Raises:
        ValueError: No pair has a gradient.
    """
    return list(_optimizer_utils.filter_empty_gradients(grads_and_vars))


def sums_as_the_strategy_does(optimizer: Any) -> bool:
    """Whether an optimizer's aggregation of gradients is the strategy's sum over the replicas.

    It is not if the optimizer has an aggregation of its own. Without a strategy the sum gives the
    gradients back as they are.
    """
    if isinstance(optimizer, Optimizer):
        return _is_stock(optimizer.aggregate_gradients, Optimizer.aggregate_gradients)
    return (
        _is_stock(optimizer._aggregate_gradients, OptimizerV2._aggregate_gradients)
        and getattr(optimizer, "gradient_aggregator", None)
        is _optimizer_utils.all_reduce_sum_gradients
    )


def _is_stock(method: Any, stock: Any) -> bool:
    return getattr(method, "__func__", None) is stock


def set_any_global_policy(policy: Any) -> None:
    """Sets the global dtype policy without asking whether it is a floating-point one."""
    dtype_policies._global_policy = policy


def track_variable(variable: Any) -> None:
    """Lets Keras' graph mode initialise a variable that no Keras layer made."""
    _backend.track_variable(variable)
