# SPDX-License-Identifier: Apache-2.0
"""The experimental API of TensorFlow 1.14 to 2.4 on Keras 3: optimizer and policies.

On TensorFlow only.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import keras
import tensorflow as tf

from compat_lossscale import tf1
from compat_lossscale._patching import FunctionPatches, Undo, around, set_attribute, set_item
from compat_lossscale.core import native
from compat_lossscale.keras3 import private, tensorflow_2_4
from compat_lossscale.keras3.optimizer import LossScaleOptimizer as Keras3LossScaleOptimizer
from compat_lossscale.keras3.tensorflow_2_4 import configs
from compat_lossscale.members import loss_scales
from compat_lossscale.members.optimizer import ExperimentalMembers
from compat_lossscale.spec.configs import POLICIES, REGISTERED_WRAPPERS


class LossScaleOptimizer(ExperimentalMembers, tensorflow_2_4.LossScaleOptimizer):
    """The LossScaleOptimizer whose loss scale is one argument, around optimizers of Keras 3.

    It differs from TensorFlow 2.4's in its constructor and in `loss_scale`, which is the live
    LossScale object: it can be called, as up to TensorFlow 2.3, and it is a float32 scalar tensor,
    as in 2.4. Multipliers other than 2 and users' own LossScale classes work, as up to 2.3.

    Source: `tf.keras.mixed_precision.experimental.LossScaleOptimizer` of TensorFlow 1.14 to 2.4.

    Args:
        optimizer: The optimizer to wrap, of `keras.optimizers`. `opt=` is understood too.
        loss_scale: `"dynamic"`, a Python int or float for a fixed scale, a LossScale, whose state
            is then shared with the caller, or a LossScale's `{"class_name", "config"}`.
        rule: The rule by which a `"dynamic"` scale moves. TensorFlow has no such argument.

    Raises:
        ValueError: An argument is not of these kinds, or the optimizer is wrapped already. The
            error is a `TypeError` too where TensorFlow 2.4 raised one.
    """

    __module__ = "keras.optimizers"
    _home = f"{__name__}:LossScaleOptimizer"


class SavedKeras3Optimizer:
    """Makes the optimizer that a saved config describes."""

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Keras3LossScaleOptimizer:
        """Makes an optimizer of the class that wrote the config.

        The form of TensorFlow 2.0 to 2.3, which states users' own loss scales and other multipliers
        than 2, gives an experimental one.
        """
        if isinstance(config.get("loss_scale"), Mapping):
            return LossScaleOptimizer.from_config(config)
        return Keras3LossScaleOptimizer.from_config(config)


keras.saving.get_custom_objects()[LossScaleOptimizer.__name__] = SavedKeras3Optimizer

tf1.KERASES.append(
    tf1.RewritableKeras(
        (keras.optimizers.Optimizer,),
        (keras.optimizers.LossScaleOptimizer,),
        LossScaleOptimizer,
        configs,
        keras.config.dtype_policy,
    )
)

patches = FunctionPatches()
"""What lets experimental policies decide; none are applied while Keras decides."""


def enable(default: loss_scales.Wrap | None = None) -> None:
    """Lets experimental policies decide what `compile` wraps with.

    `default` wraps an optimizer under a `mixed_float16` policy that is no experimental one. `None`
    leaves that to Keras.
    """

    def compile_model(original: Callable[..., None], model: Any, *args: Any, **kwargs: Any) -> None:
        wrap = loss_scales.wrap_under(model.dtype_policy, default)
        if wrap is None:
            original(model, *args, **kwargs)
            return
        given = inspect.signature(original).bind(model, *args, **kwargs)
        given.apply_defaults()
        optimizer = keras.optimizers.get(given.arguments["optimizer"])
        if given.arguments["auto_scale_loss"] and optimizer is not None:
            optimizer = wrap(optimizer)
        # Keras would wrap what a policy without a loss scale leaves as it is.
        given.arguments.update(optimizer=optimizer, auto_scale_loss=False)
        original(*given.args, **given.kwargs)

    trainer = next(cls for cls in keras.Model.__mro__ if "compile" in vars(cls))
    patches.replace(((trainer, "compile", compile_model),))


def put_get_optimizer(default: loss_scales.Wrap, undo: Undo) -> None:
    """Gives models `_get_optimizer`, which models with a `compile` of their own call.

    Source: `tf.keras.Model._get_optimizer` of TensorFlow 2.0 to 2.10.
    """

    def get_optimizer(self: Any, optimizer: Any) -> Any:
        """Returns what `compile` would train with, for an optimizer or a nest of them."""
        wrap = loss_scales.wrap_under(self.dtype_policy, default)

        def get(identifier: Any) -> Any:
            made = keras.optimizers.get(identifier)
            return made if wrap is None else wrap(made)

        return keras.tree.map_structure(get, optimizer)

    if not hasattr(keras.Model, "_get_optimizer"):
        set_attribute(keras.Model, "_get_optimizer", get_optimizer, undo)


_OLD_NAME = re.compile("(?P<dtype>.*)_with_float32_vars$")
_INFER = ("infer", "_infer", "infer_float32_vars")


class Policy(loss_scales.PolicyWithLossScale, keras.DTypePolicy, metaclass=private.NamedAsKeras):
    """A dtype policy of Keras 3 with a loss scale, which `Model.compile` wraps optimizers with.

    Source: `tf.keras.mixed_precision.experimental.Policy` of TensorFlow 1.14 to 2.4.

    Args:
        name: `"mixed_float16"`, `"mixed_bfloat16"`, or a dtype's name, which may end in
            `"_with_float32_vars"`, as early versions had it.
        loss_scale: What the experimental LossScaleOptimizer takes as its `loss_scale`; or `None`
            for no loss scaling; or `"auto"`, which is `"dynamic"` for `mixed_float16` and `None`
            for every other policy.

    Raises:
        ValueError: The name is no policy's, or `loss_scale` is not of these kinds. Keras 3 has no
            policy that infers what a layer computes in.
    """

    # Keras writes both names into files. A Keras without this package then finds its own class.
    __module__ = "keras"
    _home = f"{__name__}:Policy"
    _configs = configs
    _wrapper = LossScaleOptimizer
    _wrappers = keras.optimizers.LossScaleOptimizer

    def __init__(self, name: str, loss_scale: Any = "auto") -> None:
        if name is None:
            raise TypeError("'name' must be a string, such as 'mixed_float16', but got: None")
        old = _OLD_NAME.match(name) if isinstance(name, str) else None
        dtype = old["dtype"] if old else name
        if dtype in _INFER:
            raise ValueError(
                f"Cannot convert {name!r} to a policy: Keras 3 has none by which a layer infers "
                "what it computes in. Use a dtype's name, such as 'float32'."
            )
        try:
            super().__init__(dtype)
        except ValueError as error:
            raise ValueError(str(error).replace(dtype, name)) from None
        self._old_name = name if old else None
        self._take_loss_scale(name, loss_scale)
        if not patches.applied:
            enable()

    @property
    def name(self) -> str:
        """The name that was given."""
        name: str = super().name if self._old_name is None else self._old_name
        return name

    @property
    def variable_dtype(self) -> str | None:
        """The dtype of variables."""
        return super().variable_dtype if self._old_name is None else "float32"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, keras.DTypePolicy):
            return NotImplemented
        same_name = bool(self.name == other.name)
        return same_name and (type(other) is not Policy or self._loss_scale is other._loss_scale)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_config, (self.get_config(),)

    def __deepcopy__(self, memo: dict[int, Any]) -> Policy:
        return self


Policy.__name__ = Policy.__qualname__ = keras.DTypePolicy.__name__


def set_policy(policy: Any) -> None:
    """Sets the policy of all layers made from now on.

    Source: `tf.keras.mixed_precision.experimental.set_policy` of TensorFlow 1.14 to 2.4.

    Args:
        policy: A policy, the name of one, or `None` for `floatx()`'s.

    Raises:
        ValueError: It is no policy, one of numbers that are not floating-point, or a mixed one
            while the graph rewrite is on.
    """
    if policy is None:
        policy = keras.DTypePolicy(keras.config.floatx())
    elif not isinstance(policy, keras.DTypePolicy):
        policy = Policy(policy)
    if not tf.as_dtype(policy.compute_dtype).is_floating:
        raise ValueError(
            "set_policy can only be used to set the global policy to floating-point policies, such "
            f"as 'float32' and 'mixed_float16', but got: {policy.name!r}."
        )
    if policy.compute_dtype != policy.variable_dtype and native.is_graph_rewrite_enabled():
        raise ValueError(
            f"The policy {policy.name!r} cannot be set, because the mixed precision graph rewrite "
            "is enabled. Use that or a mixed policy, not both."
        )
    keras.config.set_dtype_policy(policy)


policy_scope = loss_scales.policy_scope_of(set_policy, keras.config.dtype_policy)
"""Sets the policy inside a `with` block."""


def global_policy() -> Any:
    """Returns the policy of layers made now.

    Source: `tf.keras.mixed_precision.experimental.global_policy` of TensorFlow 1.14 to 2.4.

    Returns:
        The policy object that was set. It has a loss scale if `set_policy` was given its name, and
        is one of Keras' own after `tf.keras.mixed_precision.set_global_policy`, as in TensorFlow
        2.4. If none was set, one with a loss scale of `None`.
    """
    policy = keras.config.dtype_policy()
    is_default = type(policy) is keras.DTypePolicy and policy.name == keras.config.floatx()
    return Policy(policy.name) if is_default else policy


get_layer_policy = loss_scales.get_layer_policy_of(keras.layers.Layer, "Keras 3")
"""Returns a layer's policy, the layer's own object."""


class SavedPolicy:
    """Makes the policy that a saved config describes."""

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Any:
        """Makes a policy: an experimental one if it has a loss scale, stated or by default."""
        if _LOSS_SCALE in config or config.get("name") == "mixed_float16":
            return Policy.from_config(config)
        return keras.DTypePolicy.from_config(config)


_POLICIES = ("DTypePolicy", *POLICIES)
_LOSS_SCALE = "loss_scale"
_SAVED: dict[str, Any] = {
    **dict.fromkeys(REGISTERED_WRAPPERS, LossScaleOptimizer),
    **dict.fromkeys(_POLICIES, SavedPolicy),
}


def register(undo: Undo) -> None:
    """Registers the names under which optimizers and policies have been saved since TensorFlow 2.0.

    A saved optimizer then comes back as the experimental one, as up to TensorFlow 2.3.
    """
    for name, saved in _SAVED.items():
        set_item(keras.saving.get_custom_objects(), name, saved, undo)
    get_config = around(keras.layers.Layer.get_config, _layer_config)
    set_attribute(keras.layers.Layer, "get_config", get_config, undo)
    _patch_from_config(keras.layers.Layer, _layer_from_config, undo)
    _patch_from_config(keras.DTypePolicy, _policy_from_config, undo)


def _layer_config(original: Any, layer: Any) -> Any:
    """States a policy's loss scale beside its config. Keras 3 alone refuses it inside."""
    config = original(layer)
    if isinstance(layer.dtype_policy, Policy) and isinstance(config.get("dtype"), dict):
        stated = {**config["dtype"], "config": dict(config["dtype"]["config"])}
        if _LOSS_SCALE in stated["config"]:
            stated[_LOSS_SCALE] = stated["config"].pop(_LOSS_SCALE)
        config["dtype"] = stated
    return config


def _layer_from_config(original: Any, cls: type, config: Mapping[str, Any], **kwargs: Any) -> Any:
    """Makes a layer. Keras makes its policy from the name alone."""
    stated = config.get("dtype")
    if isinstance(stated, Mapping) and stated.get("class_name") in _POLICIES:
        beside = {name: stated[name] for name in (_LOSS_SCALE,) if name in stated}
        policy = SavedPolicy.from_config({**stated["config"], **beside})
        if isinstance(policy, Policy):
            config = {**config, "dtype": policy}
    return original(cls, config, **kwargs)


def _policy_from_config(original: Any, cls: type, config: Mapping[str, Any]) -> Any:
    """Makes a policy that has no loss scale, as TensorFlow 2.4 did, of a config that states one."""
    return original(cls, {key: value for key, value in config.items() if key != _LOSS_SCALE})


def _patch_from_config(cls: type, replacement: Any, undo: Undo) -> None:
    owner = next(base for base in cls.__mro__ if "from_config" in vars(base))
    original = vars(owner)["from_config"].__func__
    set_attribute(owner, "from_config", classmethod(around(original, replacement)), undo)
