# SPDX-License-Identifier: Apache-2.0
"""The `LossScaleOptimizer` of TensorFlow 2.4 around optimizers of Keras 3. TensorFlow only."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any

import keras
import tensorflow as tf

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.keras3 import old_members, private
from compat_lossscale.keras3.arguments import check_wrappable, warn_of_dropped_factor
from compat_lossscale.keras3.old_members import Variables, arguments_of_today, look_up
from compat_lossscale.keras3.optimizer import LossScaleOptimizer as Keras3LossScaleOptimizer
from compat_lossscale.members.loss_scales import (
    LossScaleConfigs,
    class_of,
    initial_scale_of,
    spec_of,
)
from compat_lossscale.members.optimizer import OldMembers, wrapped_already
from compat_lossscale.neighbour_names.keras_names import MEMBERS
from compat_lossscale.spec.inner_optimizers import CLIPPING

configs = LossScaleConfigs(keras.saving.get_registered_name, keras.saving.get_registered_object)
"""Loss scales to and from configs, by Keras 3's registry."""
_wrapped: weakref.WeakSet[Any] = weakref.WeakSet()
"""The optimizers that have a wrapper."""


class LossScaleOptimizer(OldMembers, Keras3LossScaleOptimizer):
    """Wraps an optimizer of Keras 3, with all members of TensorFlow 2.4's class.

    It is what old programs get under `compat-lossscale run --keras3`. It differs from its base
    class, which has the same protocols, in that

    - `iterations` counts skipped steps, as in TensorFlow 2.3 and later,
    - there are `minimize`, `lr`, `weights`, and the hyperparameters of the inner optimizer,
    - the loss scale has its variables from the start.

    Source: `tf.keras.mixed_precision.LossScaleOptimizer` of TensorFlow 2.4.

    Args:
        inner_optimizer: The optimizer to wrap, of `keras.optimizers`.
        dynamic: Whether the loss scale follows the gradients or stays fixed.
        initial_scale: The first value of a dynamic scale (default 2 ** 15), or the fixed value.
        dynamic_growth_steps: Good steps in a row after which a dynamic scale doubles (default
            2000). Must be `None` for a fixed one, and with a rule.
        rule: The rule by which a dynamic scale moves. TensorFlow has no such argument.

    Raises:
        LossScaleArgumentError: `inner_optimizer` is no optimizer of Keras 3 or has a wrapper
            already, `dynamic` is no bool, or the other arguments contradict it.
    """

    __module__ = "keras.optimizers"
    _home = f"{__name__}:LossScaleOptimizer"
    _counts_skipped_too = True
    _configs = configs
    _not_arguments = ("count_skipped_steps", "name")

    def _wrap(
        self,
        inner_optimizer: Any,
        make_loss_scale: Callable[[], LossScale],
        argument: str = "inner_optimizer",
    ) -> None:
        check_wrappable(inner_optimizer, argument=argument)
        loss_scale = make_loss_scale()
        if inner_optimizer in _wrapped:
            raise wrapped_already(inner_optimizer)
        warn_of_dropped_factor(inner_optimizer, stacklevel=3)
        self._set_up(inner_optimizer, spec_of(loss_scale))
        # Also of a subclass, of which there is no spec.
        self.initial_scale = initial_scale_of(loss_scale)
        if isinstance(loss_scale, DynamicLossScale):
            self.dynamic_growth_steps = loss_scale.increment_period
        # Keras' constructor sets them on every optimizer.
        for name in CLIPPING:
            self.__dict__.pop(name, None)
        _wrapped.add(inner_optimizer)
        self._attach(loss_scale)

    def _attach(self, loss_scale: LossScale) -> None:
        # Past the optimizer's own attribute handling.
        self.__dict__.update(_core_loss_scale=loss_scale, _spec=spec_of(loss_scale))
        with tf.init_scope():
            self._start_counting()
        if type(loss_scale) is not FixedLossScale:
            private.track(self, loss_scale, "loss_scale")

    def _make_scale_variables(self) -> None:
        """Lets files have the loss scale's variables, those that Keras' own class has first."""
        loss_scale = self._loss_scale
        if type(loss_scale) is FixedLossScale:
            super()._make_scale_variables()
        elif isinstance(loss_scale, DynamicLossScale):
            self.step_counter = private.keras_variable(loss_scale.good_steps, "step_counter")
            self.dynamic_scale = private.keras_variable(
                loss_scale.current_loss_scale, "dynamic_scale"
            )
            if loss_scale.hysteresis_left is not None:
                self.hysteresis_left = private.keras_variable(
                    loss_scale.hysteresis_left, "hysteresis_left"
                )
        else:
            self.loss_scale_state = [
                private.keras_variable(variable, name)
                for name, variable in loss_scale.state.items()
            ]
            # Keras' own variables, which it would make otherwise, say nothing here.
            self.__dict__.update(step_counter=None, dynamic_scale=None)

    def __reduce__(self) -> tuple[Any, ...]:
        reduced = super().__reduce__()
        if self._spec is not None:
            return reduced
        stated = configs.serialize(self._loss_scale)
        assert stated is not None
        return _unpickled, ({stated["class_name"]: class_of(self._loss_scale)}, *reduced)

    def __getattr__(self, name: str) -> Any:
        # Only what neither the class nor the object has gets here.
        if name in MEMBERS or name.startswith("_") or "inner_optimizer" not in self.__dict__:
            return look_up(self, name)
        return getattr(self.inner_optimizer, name)

    def __setattr__(self, name: str, value: Any) -> None:
        inner_optimizer = self.__dict__.get("inner_optimizer")
        # Such as `momentum`, which no other has.
        is_of_the_inner_optimizer = (
            inner_optimizer is not None
            and not name.startswith("_")
            and name in vars(inner_optimizer)
            and name not in self.__dict__
            and not hasattr(type(self), name)
        )
        if is_of_the_inner_optimizer:
            setattr(inner_optimizer, name, value)
        else:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        of_inner = {name for name in vars(self.inner_optimizer) if not name.startswith("_")}
        return sorted({*super().__dir__(), *of_inner})

    lr = old_members.LR
    minimize = old_members.minimize
    _compute_gradients = old_members.compute_gradients

    @property
    def weights(self) -> list[Any]:
        """The inner optimizer's variables. Keras 3 has the learning rate among them."""
        return list(self.inner_optimizer.variables)

    @property
    def variables(self) -> Variables:
        """This optimizer's variables and the inner one's; called, the inner one's alone."""
        return Variables(super().variables, self.weights)

    def apply_gradients(
        self,
        grads_and_vars: Any,
        name: str | None = None,
        experimental_aggregate_gradients: bool = True,
        **kwargs: Any,
    ) -> None:
        """Applies the gradients if they are finite, updates the loss scale, counts the step.

        Args:
            grads_and_vars: Pairs of an unscaled gradient and a variable.
            name: Keras 3 has no use for it.
            experimental_aggregate_gradients: Must be true if there are several replicas: Keras 3
                always sums gradients over them.
            **kwargs: See `compat_lossscale.keras3.LossScaleOptimizer.apply_gradients`.

        Raises:
            RuntimeError: Called in a graph of TensorFlow 1.
            ValueError: There is no gradient, the strategy is not supported, or gradients are not to
                be summed.
        """
        old_members.check_step(experimental_aggregate_gradients=experimental_aggregate_gradients)
        super().apply_gradients(grads_and_vars, name=name, **kwargs)

    def _inner_config(self) -> Any:
        return keras.saving.serialize_keras_object(self.inner_optimizer)

    @classmethod
    def _make_inner(cls, stored: dict[str, Any], custom_objects: Any) -> Any:
        options = dict(stored.get("config") or {})
        rate, options = arguments_of_today(
            options.pop("learning_rate", None), options, str(stored.get("class_name"))
        )
        stored["config"] = options if rate is None else {"learning_rate": rate, **options}
        return keras.optimizers.deserialize(stored, custom_objects=custom_objects)


def _unpickled(
    custom_objects: Mapping[str, Any], unpickle: Any, arguments: tuple[Any, ...]
) -> LossScaleOptimizer:
    """Unpickles an optimizer whose loss scale is of a class of the user's own."""
    with keras.saving.CustomObjectScope(custom_objects):
        optimizer: LossScaleOptimizer = unpickle(*arguments)
    return optimizer
