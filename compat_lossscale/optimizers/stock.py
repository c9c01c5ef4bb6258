# SPDX-License-Identifier: Apache-2.0
"""What this package uses of tf-keras beyond its public names, each behind one name of ours.

What a public name leads to is found through that name. The rest is private: it is looked up behind
`probe`, and where a tf-keras has moved it, public names do the work, or what they cannot do is off.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Mapping
from typing import Any

import tensorflow as tf
import tf_keras

from compat_lossscale.core.native import probe

_MISSING = object()

Optimizer = tf_keras.optimizers.Optimizer
"""Base class of the optimizers that are the default since TensorFlow 2.11."""
OptimizerV2 = tf_keras.optimizers.legacy.Optimizer
"""Base class of the optimizers of TensorFlow 2.0 to 2.10."""

BaseLossScaleOptimizer = tf_keras.mixed_precision.LossScaleOptimizer
"""What `isinstance` checks name; makes one of the next two when called."""
LossScaleOptimizerMetaclass = type(BaseLossScaleOptimizer)
"""The type of that class."""


def _wrapper_of(family: type) -> Any:
    # tf-keras' own is made before any program's.
    return next(cls for cls in BaseLossScaleOptimizer.__subclasses__() if issubclass(cls, family))


LegacyLossScaleOptimizer = _wrapper_of(OptimizerV2)
"""tf-keras' own class around an OptimizerV2."""
NewLossScaleOptimizer = _wrapper_of(Optimizer)
"""tf-keras' own class around an Optimizer."""

Model = tf_keras.Model
"""The model class of TensorFlow 2."""
ModelV1 = next(cls for cls in Model.__subclasses__() if cls.__name__ == "Model")
"""The model class used while TensorFlow 2 behaviour is off."""


@functools.cache
def layer_classes() -> tuple[type, ...]:
    """The layer classes of TensorFlow 2 and 1, if `set_policy_of_layer` knows them.

    It makes a layer, which initializes TensorFlow: so an import must not call it.
    """
    with tf.Graph().as_default():
        classes = (tf_keras.layers.Layer, type(tf_keras.layers.Layer()))
    return tuple(cls for cls in classes if hasattr(cls, "_set_dtype_policy"))


optimizers = probe("tf_keras.src", "optimizers", tf_keras.optimizers)
"""The module in which models look up `get`."""


def _module_with(module: str, *names: str) -> Any:
    """Returns a private module if it has all of the names, and `None` otherwise."""
    if any(probe(module, name, _MISSING) is _MISSING for name in names):
        return None
    package, _, name = module.rpartition(".")
    return probe(package, name)


saving_lib = _module_with(
    "tf_keras.src.saving.saving_lib", "_is_keras_trackable", "_save_state", "_load_state"
)
"""Saves and loads `.keras` files."""
hdf5_format = _module_with(
    "tf_keras.src.saving.legacy.hdf5_format",
    "save_optimizer_weights_to_hdf5_group",
    "load_model_from_hdf5",
)
"""Saves and loads `.h5` files."""
losses_utils = _module_with("tf_keras.src.utils.losses_utils", "compute_weighted_loss")
"""Averages the losses of a batch."""
saved_model_load = _module_with("tf_keras.src.saving.legacy.saved_model.load", "load")
"""Loads SavedModels."""
dtype_policies = _module_with(
    "tf_keras.src.mixed_precision.policy",
    "deserialize",
    "_policy_equivalent_to_dtype",
    "_global_policy",
)
"""Makes policies of the configs of layers, and holds the global one."""

_API_NAMES = "_keras_api_names"
POLICY_NAME_IN_FILES = (
    (_API_NAMES, vars(tf_keras.mixed_precision.Policy)[_API_NAMES])
    if dtype_policies is not None and _API_NAMES in vars(tf_keras.mixed_precision.Policy)
    else None
)
"""The attribute by which files name tf-keras' policies, and its value; `None` if it has another.

Without `dtype_policies`, a name of this package's own is what brings its policies back.
"""

chooses_optimizers_by_method = hasattr(ModelV1, "_set_optimizer") and bool(
    probe("tf_keras", "Model._get_optimizer")
)
"""Whether `Model.compile` leaves it to methods of these names what to wrap with loss scaling."""


def mixed_precision_names(module: str) -> dict[str, Any]:
    """Returns the functions and classes of a private module of tf-keras' mixed precision.

    Args:
        module: `"autocast_variable"`, `"device_compatibility_check"`, `"loss_scale_optimizer"` or
            `"policy"`: the names that Keras gave these modules in TensorFlow 2.0 already.

    Returns:
        Those that are there; where the module is not, the public names of mixed precision.
    """
    imported = probe("tf_keras.src.mixed_precision", module)
    if not isinstance(imported, types.ModuleType):
        public = vars(tf_keras.mixed_precision)
        return {name: value for name, value in public.items() if callable(value)}
    return {
        name: value
        for name, value in vars(imported).items()
        if getattr(value, "__module__", None) == imported.__name__
    }


def with_some_gradient(grads_and_vars: Any) -> list[tuple[Any, Any]]:
    """Returns the pairs as a list, and refuses them if none has a gradient."""
    pairs = list(grads_and_vars)
    if pairs and all(gradient is None for gradient, _ in pairs):
        raise ValueError(
            f"No gradients provided for any variable: {[variable.name for _, variable in pairs]}. "
            "The loss does not depend on these variables, or was computed outside of the tape."
        )
    return pairs


def without_empty_gradients(grads_and_vars: Any) -> list[tuple[Any, Any]]:
    """Drops pairs without a gradient, with a warning, and refuses them if none has one."""
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

    Classes that users wrote for TensorFlow 2.2 and 2.3 return the gradients alone, in the same
    order.
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


def policy_from_config(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a policy of what a layer's config has as its `dtype` (private in TensorFlow).

    That is `{"class_name", "config"}`, the name of a dtype, or `None`.
    """
    if dtype_policies is not None:
        return dtype_policies.deserialize(config, custom_objects)
    if config is None:
        return tf_keras.mixed_precision.Policy("_infer")
    with tf_keras.utils.custom_object_scope(dict(custom_objects or {})):
        return tf_keras.layers.Layer(dtype=config).dtype_policy


def _track_as_a_weight(variable: Any) -> None:
    # A layer tracks what its getter makes.
    if not tf.executing_eagerly():
        layer = tf_keras.layers.Layer(name="loss_scale", dtype=variable.dtype.name)
        layer.add_weight(
            name=variable.name.split(":")[0],
            shape=variable.shape,
            trainable=False,
            experimental_autocast=False,
            getter=lambda **_: variable,
        )


track_variable = probe("tf_keras.src.backend", "track_variable", _track_as_a_weight)
"""Lets Keras' graph mode initialise a variable that no Keras layer made."""


def accepts(function: Any, parameter: str) -> bool:
    """Whether a function or method takes an argument by keyword."""
    return _accepts(getattr(function, "__func__", function), parameter)


@functools.lru_cache(maxsize=16)
def _accepts(function: Any, parameter: str) -> bool:
    parameters = inspect.signature(function).parameters
    return parameter in parameters or any(
        p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()
    )
