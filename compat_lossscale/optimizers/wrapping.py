# SPDX-License-Identifier: Apache-2.0
"""What can be wrapped with loss scaling, and what to use instead of what cannot."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
import tf_keras

from compat_lossscale.errors import AlreadyWrappedError, LossScaleArgumentError
from compat_lossscale.optimizers import families, install_state, stock


def family_to_wrap(cls: type, inner_optimizer: Any, argument: str) -> type:
    """Checks that a class can wrap an optimizer.

    Args:
        cls: `LossScaleOptimizer` or a subclass, declared or joined with a family.
        inner_optimizer: What was given as the optimizer to wrap.
        argument: The name of that argument.

    Returns:
        The base class of the family that the optimizer is of.

    Raises:
        LossScaleArgumentError: It cannot be wrapped; the message says what to use instead.
    """
    if isinstance(inner_optimizer, stock.BaseLossScaleOptimizer):
        raise AlreadyWrappedError(
            "LossScaleOptimizer cannot wrap another LossScaleOptimizer, but got: "
            f"{inner_optimizer!r}. It scales the loss already; use it as it is."
        )
    if getattr(inner_optimizer, "_is_wrapped_by_loss_scale_optimizer", False):
        raise AlreadyWrappedError(
            '"inner_optimizer" is already wrapped by a LossScaleOptimizer: '
            f"{inner_optimizer!r}. Use that one: if `compile` wrapped it, it is `model.optimizer`, "
            "so give that to the next `compile`. Or wrap a second optimizer, "
            "type(opt).from_config(opt.get_config()): two loss scales cannot share the slots "
            "and the step count of one."
        )
    family = families.family_of(inner_optimizer)
    if family is None:
        raise LossScaleArgumentError(
            f"{_what_it_must_be(inner_optimizer, argument)}{_where_to_go(inner_optimizer)}"
        )
    is_of_one_family = (
        families.declared(cls) is not cls and not install_state.old_names_are_installed
    )
    if is_of_one_family and not issubclass(cls, family):
        # Programs and tests match on words of TensorFlow 2.10 and later.
        kind = (
            "only the new experimental optimizers"
            if family is stock.OptimizerV2
            else "only the classic optimizers subclassing from `tf.keras.optimizers.Optimizer`"
        )
        raise LossScaleArgumentError(
            f"To this {cls.__name__}, the type of an instance, {kind} can be passed, but got: "
            f"{inner_optimizer!r}. The class {families.declared(cls).__name__} itself wraps both "
            "kinds."
        )
    return family


def _what_it_must_be(optimizer: Any, argument: str) -> str:
    """What the argument must be, in words of the versions that had it, on which tests match."""
    if argument == "optimizer":
        return (
            f'"optimizer" must be an instance of OptimizerV2, but got: {optimizer!r}. OptimizerV2 '
            "is `tf.keras.optimizers.legacy.Optimizer`; an instance of "
            "`tf.keras.optimizers.Optimizer` is wrapped too."
        )
    return (
        f'"{argument}" must be an instance of `tf.keras.optimizers.Optimizer` or '
        f"`tf.keras.optimizers.experimental.Optimizer`, but got: {optimizer!r}. An instance of "
        "OptimizerV2, which is `tf.keras.optimizers.legacy.Optimizer`, is wrapped too."
    )


def _where_to_go(optimizer: Any) -> str:
    """What to use instead of an optimizer of another library, or nothing."""
    if isinstance(optimizer, tf.compat.v1.train.Optimizer):
        return (
            " An optimizer of tf.compat.v1.train is wrapped by "
            "compat_lossscale.v1.MixedPrecisionLossScaleOptimizer."
        )
    if isinstance(optimizer, str):
        return f" A name becomes one by tf.keras.optimizers.get({optimizer!r})."
    cls = type(optimizer)
    if cls.__module__.startswith("tensorflow.python.keras."):
        return (
            " It is of tensorflow.python.keras, a private copy of Keras that TensorFlow keeps for "
            f"itself. Use tf.keras.optimizers.legacy.{cls.__name__} instead, the same optimizer."
        )
    of_keras_3 = [base.__name__ for base in cls.__mro__ if base.__module__.startswith("keras.")]
    if "LossScaleOptimizer" in of_keras_3:
        return (
            " It is Keras 3's own LossScaleOptimizer, which scales the loss already. Use it as it "
            "is, to train a model of Keras 3."
        )
    if of_keras_3:
        name = cls.__name__
        instead = f"Use tf_keras.optimizers.{name} instead, or"
        if not hasattr(tf_keras.optimizers, name):
            instead = f"tf-keras has no {name}. Use"
        return f" It is of Keras 3. {instead} Keras 3's own keras.optimizers.LossScaleOptimizer."
    return ""
