# SPDX-License-Identifier: Apache-2.0
"""`LossScaleOptimizer`: the public class, and all that its two front ends have in common."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from compat_lossscale import core
from compat_lossscale.members.guards import GuardsScaling
from compat_lossscale.members.loss_scales import LossScaleConfigs, initial_scale_of
from compat_lossscale.members.optimizer import OldMembers, check_in_replica_context, check_strategy
from compat_lossscale.optimizers import families, stock

WEIGHTS = "_unpickled_weights"
"""The attribute in which an unpickled optimizer keeps its weights until it has variables."""


def _value(variable: Any) -> np.ndarray[Any, Any]:
    return np.asarray(tf_keras.backend.get_value(variable))


def _unpickled(
    cls: Any,
    inner: tuple[str, Any, Mapping[str, Any]],
    config: Mapping[str, Any],
    state: Mapping[str, np.ndarray[Any, Any]],
    weights: Sequence[np.ndarray[Any, Any]],
) -> Any:
    key, inner_class, inner_config = inner
    made = cls.from_config({**config, key: inner_class.from_config(dict(inner_config))})
    for name, variable in made._loss_scale.state.items():
        tf_keras.backend.set_value(variable, state[name])
    if weights:
        # Some optimizers make their step count only when they are asked for it.
        there = [made.iterations, *made.weights[1:]]
        for variable, value in zip(there, weights, strict=False):
            tf_keras.backend.set_value(variable, value)
        if len(weights) > len(there):
            made.__dict__[WEIGHTS] = list(weights)
    return made


def restore_weights(optimizer: Any, variables: Sequence[Any]) -> None:
    """Gives an unpickled optimizer its weights back, once it has variables to train."""
    weights = optimizer.__dict__.pop(WEIGHTS)
    with tf.init_scope():
        optimizer._make_weights(variables)
        if [weight.shape for weight in optimizer.weights] == [value.shape for value in weights]:
            optimizer.set_weights(weights)
        else:
            tf.get_logger().warning(
                "This optimizer was pickled with slots of other shapes than those of the variables "
                "that it now applies gradients to. The slots start again."
            )


configs = LossScaleConfigs(tf_keras.utils.get_registered_name, tf_keras.utils.get_registered_object)
"""Loss scales to and from configs, by tf-keras' registry."""

_EXAMPLE = """
    with tf.GradientTape() as tape:
        loss = loss_fn()
        scaled_loss = opt.get_scaled_loss(loss)
    scaled_gradients = tape.gradient(scaled_loss, variables)
    gradients = opt.get_unscaled_gradients(scaled_gradients)
    opt.apply_gradients(zip(gradients, variables))"""


class LossScaleOptimizer(
    OldMembers,
    GuardsScaling,
    stock.BaseLossScaleOptimizer,
    metaclass=families.LossScaleOptimizerType,
):
    """Wraps an optimizer so that the loss is scaled and bad steps are skipped.

    `minimize` does everything. In a loop with `tf.GradientTape`, scale the loss before the tape
    differentiates it, and unscale the gradients before applying them::

        with tf.GradientTape() as tape:
            loss = opt.get_scaled_loss(loss_fn())
        gradients = opt.get_unscaled_gradients(tape.gradient(loss, variables))
        opt.apply_gradients(zip(gradients, variables))

    Instances are also instances of `tf.keras.mixed_precision.LossScaleOptimizer` and of the wrapped
    optimizer's base class. You can subclass the class.

    Source: `tf.keras.mixed_precision.LossScaleOptimizer` of TensorFlow 2.4.

    Args:
        inner_optimizer: The optimizer to wrap: a `tf_keras.optimizers.Optimizer` or a
            `tf_keras.optimizers.legacy.Optimizer`.
        dynamic: Whether the loss scale follows the gradients or stays fixed.
        initial_scale: The first value of a dynamic scale (default 2 ** 15), or the fixed value.
        dynamic_growth_steps: Good steps in a row after which a dynamic scale doubles (default
            2000). Must be `None` for a fixed one, and with a rule.
        rule: The rule by which a dynamic scale moves. TensorFlow has no such argument; by default,
            TensorFlow's own.

    Raises:
        TypeError: `inner_optimizer` is no Keras optimizer or is a LossScaleOptimizer already, or
            `dynamic` is no bool.
        ValueError: Another LossScaleOptimizer wraps `inner_optimizer`, the strategy is not
            supported, or the other arguments contradict `dynamic`. (The error is of both kinds,
            and an `AttributeError` too where TensorFlow 2.4 raised one.)
    """

    _configs = configs
    _optimizer: Any
    _wrap_in_family: Callable[[Any], None]
    """Is defined by the front ends: wraps an optimizer of their family."""
    _make_weights: Callable[[Sequence[Any]], None]
    """Is defined by the front ends: makes the inner optimizer's weights for some variables."""

    def _wrap(
        self,
        inner_optimizer: Any,
        make_loss_scale: Callable[[], core.LossScale],
        argument: str = "inner_optimizer",
    ) -> None:
        """Becomes a wrapper of the inner optimizer's family, and wraps it."""
        family = families.family_to_wrap(type(self), inner_optimizer, argument)
        # Made before anything is wrapped: it may refuse, and the program may try again.
        loss_scale = make_loss_scale()
        families.become(self, family)
        self._wrap_in_family(inner_optimizer)
        self._attach(loss_scale)

    def _attach(self, loss_scale: core.LossScale) -> None:
        # Past the optimizer's own attribute handling, which would put it into checkpoints.
        self.__dict__["_loss_scale"] = loss_scale
        self._start_counting()
        if type(loss_scale) is not core.FixedLossScale:
            self._track_trackable(loss_scale, "loss_scale", overwrite=True)
            for variable in loss_scale.state.values():
                stock.track_variable(variable)

    def _pairs_to_apply(self, grads_and_vars: Any) -> list[tuple[Any, Any]]:
        """Leaves out variables without a gradient, as TensorFlow since 2.5 does."""
        return stock.without_empty_gradients(grads_and_vars)

    def _step_counter(self) -> Any:
        """The variable that counts all steps, skipped ones too."""
        return self._optimizer.iterations

    @property
    def initial_scale(self) -> float | None:
        """The first value of a dynamic loss scale, the value of a fixed one."""
        return initial_scale_of(self._loss_scale)

    @property
    def dynamic_growth_steps(self) -> int | None:
        """Good steps in a row after which the loss scale doubles; `None` if fixed."""
        if isinstance(self._loss_scale, core.DynamicLossScale):
            return self._loss_scale.increment_period
        return None

    @property
    def inner_optimizer(self) -> Any:
        """The wrapped optimizer."""
        return self._optimizer

    @core.as_written
    def get_scaled_loss(self, loss: Any) -> Any:
        """Multiplies the loss by the loss scale.

        Args:
            loss: A floating-point tensor of any shape, or a callable that gives one.

        Returns:
            The scaled loss, in the loss's dtype; a callable for a callable, which reads the loss
            scale each time it is called.
        """
        self.__dict__["_loss_has_been_scaled"] = True
        if callable(loss):
            return core.as_written(lambda: self._scaled(loss(), "get_scaled_loss"))
        return self._scaled(loss, "get_scaled_loss")

    def _multiply(self, loss: Any, method: str) -> Any:
        del method
        return core.scale_loss(loss, self._loss_scale)

    @core.as_written
    def get_unscaled_gradients(self, grads: Any) -> list[Any]:
        """Divides the gradients by the loss scale.

        Args:
            grads: Tensors, `tf.IndexedSlices` or `None`, of any floating-point dtype.

        Returns:
            A list as long as `grads`, each of its own dtype and kind; `None` stays `None`.
        """
        self.__dict__["_gradients_have_been_unscaled"] = True
        return core.unscale_gradients(grads, self._loss_scale())

    def _check_before_applying(self) -> None:
        """Says what is wrong with applying gradients here and now.

        Raises:
            ValueError: In a cross-replica context, or the strategy is not supported. (It may be
                another one than when the optimizer was made.)
        """
        check_in_replica_context("apply_gradients")
        check_strategy()
        # What should come before, as in tf-keras and TensorFlow 2.10; not in 2.5.
        if self._loss_has_been_scaled and self._gradients_have_been_unscaled:
            return
        called = {
            "get_scaled_loss": self._loss_has_been_scaled,
            "get_unscaled_gradients": self._gradients_have_been_unscaled,
        }
        tf.get_logger().warning(
            "You forgot to call %s before LossScaleOptimizer.apply_gradients(). The model will "
            "likely train worse. Call each exactly once a step, for example:%s",
            " and ".join(f"LossScaleOptimizer.{name}()" for name in called if not called[name]),
            _EXAMPLE,
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> LossScaleOptimizer:
        strategy = getattr(self._optimizer, "_distribution_strategy", None)
        if strategy is not None:
            # There is one default strategy, and nobody may make another.
            memo[id(strategy)] = strategy
        copied: LossScaleOptimizer = object.__new__(type(self))
        memo[id(self)] = copied
        for name, value in self.__dict__.items():
            copied.__dict__[name] = copy.deepcopy(value, memo)
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        inner_optimizer, loss_scale = self.inner_optimizer, self._loss_scale
        config = self.get_config()
        key = "inner_optimizer" if "inner_optimizer" in config else "optimizer"
        del config[key]
        if "loss_scale" in config:
            # Itself, for a config names its class only, and the class may be of the user's own.
            config["loss_scale"] = loss_scale
        state = {name: _value(variable) for name, variable in loss_scale.state.items()}
        weights = self.__dict__.get(WEIGHTS) or [_value(weight) for weight in self.weights]
        inner = key, type(inner_optimizer), inner_optimizer.get_config()
        return _unpickled, (families.declared(type(self)), inner, config, state, weights)

    def __copy__(self) -> LossScaleOptimizer:
        copied: LossScaleOptimizer = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def _inner_config(self) -> Any:
        return tf_keras.optimizers.serialize(self._optimizer)

    @classmethod
    def _make_inner(cls, stored: dict[str, Any], custom_objects: Any) -> Any:
        return tf_keras.optimizers.deserialize(
            stored,
            custom_objects=custom_objects,
            use_legacy_optimizer=issubclass(cls, stock.OptimizerV2),
            use_legacy_format="module" not in stored,
        )
