# SPDX-License-Identifier: Apache-2.0
"""The experimental `LossScaleOptimizer(optimizer, loss_scale)` of TensorFlow 1.14 to 2.4."""

from __future__ import annotations

import copy
from typing import Any

import tensorflow as tf

from compat_lossscale.core import FixedLossScale, LossScale
from compat_lossscale.members.loss_scales import opt_means_optimizer, with_rule
from compat_lossscale.members.optimizer import others_in
from compat_lossscale.optimizers import base, loss_scale_config, stock
from compat_lossscale.spec import LossScaleRule


class LossScaleOptimizer(base.LossScaleOptimizer):
    """The LossScaleOptimizer whose loss scale is one argument.

    It differs from `compat_lossscale.LossScaleOptimizer` in its constructor and in `loss_scale`,
    which is the live LossScale object. That object serves code of both eras: it can be called, as
    up to TensorFlow 2.3, and it is a float32 scalar tensor, as in 2.4. Multipliers other than 2 and
    your own LossScale classes work, as up to 2.3.

    Source: `tf.keras.mixed_precision.experimental.LossScaleOptimizer` of TensorFlow 1.14 to 2.4.

    Args:
        optimizer: The optimizer to wrap. `opt=` is accepted too.
        loss_scale: `"dynamic"`, a Python int or float for a fixed scale, a LossScale, whose state
            is then shared with the caller, or a LossScale's `{"class_name", "config"}`.
        rule: The rule by which a `"dynamic"` scale moves. TensorFlow has no such argument.

    Raises:
        ValueError: An argument is not of these kinds, or the optimizer is wrapped already. The
            error is a `TypeError` too where TensorFlow 2.4 raised one.
    """

    @opt_means_optimizer
    def __init__(
        self, optimizer: Any, loss_scale: Any, *, rule: LossScaleRule | None = None
    ) -> None:
        def make_loss_scale() -> LossScale:
            if rule is not None:
                return with_rule(loss_scale, rule)
            return loss_scale_config.interpret(loss_scale, below_one=True)

        self._wrap(optimizer, make_loss_scale, argument="optimizer")

    @property
    def loss_scale(self) -> LossScale:
        """The live loss scale, an object to call and a float32 scalar tensor at once.

        On one of several replicas, a copy that shares its state.
        """
        if tf.distribute.get_strategy().num_replicas_in_sync > 1 and not (
            tf.distribute.in_cross_replica_context()
        ):
            # A strategy takes the same object on all replicas for one value, and sums it as such.
            return copy.copy(self._loss_scale)
        if isinstance(self._loss_scale, FixedLossScale):
            # Now, as 2.4 does: a Session may be asked for it when the graph is final.
            self._loss_scale.make_fetchable()
        return self._loss_scale

    def _pairs_to_apply(self, grads_and_vars: Any) -> list[tuple[Any, Any]]:
        """Keeps variables without a gradient: TensorFlow 1.15 to 2.4 left them to the inner one.

        An inner optimizer of a user's own may go by the position of a gradient.
        """
        return stock.with_some_gradient(grads_and_vars)

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> LossScaleOptimizer:
        """Makes an optimizer, in its initial state, from a config of any generation.

        Args:
            config: What `get_config` of this class, of tf-keras, or of any TensorFlow from 2.0 to
                2.15 returned. It is not changed. Its `loss_scale` may also be a LossScale.
            custom_objects: Classes by the names under which the config has them, users' own
                LossScale classes among them.

        Returns:
            The optimizer.

        Raises:
            ConfigFormatError: `config` is no config of a loss-scale optimizer.
        """
        inner_optimizer = cls._inner_from_config(config, custom_objects)
        loss_scale = loss_scale_config.configs.stated_in(config, custom_objects)
        return cls(optimizer=inner_optimizer, loss_scale=loss_scale, **others_in(config))

    def _aggregate_gradients(self, grads_and_vars: Any) -> list[Any]:
        """Sums gradients over the replicas. Gives gradients, not pairs, as up to TensorFlow 2.3.

        Copies of Keras' own training step of TensorFlow 2.2 and 2.3 call this.
        """
        pairs = self._optimizer._aggregate_gradients(list(grads_and_vars))
        return [gradient for gradient, _ in pairs]

    def _clip_gradients(self, grads: Any) -> Any:
        """Leaves gradients as they are: the inner optimizer clips them when it applies them.

        Copies of Keras' own training step of TensorFlow 2.2 and 2.3 call this.
        """
        return grads
