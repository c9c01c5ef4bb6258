# SPDX-License-Identifier: Apache-2.0
"""The experimental `LossScaleOptimizer(optimizer, loss_scale)` of TensorFlow 1.14 to 2.4.

And which class a saved optimizer comes back as.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tf_keras

from compat_lossscale._patching import FunctionPatch
from compat_lossscale.members.optimizer import ExperimentalMembers
from compat_lossscale.optimizers import base, stock
from compat_lossscale.spec.configs import REGISTERED_WRAPPERS


class LossScaleOptimizer(ExperimentalMembers, base.LossScaleOptimizer):
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

    def _pairs_to_apply(self, grads_and_vars: Any) -> list[tuple[Any, Any]]:
        """Keeps variables without a gradient: TensorFlow 1.15 to 2.4 left them to the inner one.

        An inner optimizer of a user's own may go by the position of a gradient.
        """
        return stock.with_some_gradient(grads_and_vars)

    def _aggregate_gradients(self, grads_and_vars: Any) -> list[Any]:
        """Sums gradients over the replicas. Gives gradients, not pairs, as up to TensorFlow 2.3.

        Copies of Keras' own training step of TensorFlow 2.2 and 2.3 call this.
        """
        pairs = stock.aggregated(self._optimizer, list(grads_and_vars))
        return [gradient for gradient, _ in pairs]

    def _clip_gradients(self, grads: Any) -> Any:
        """Leaves gradients as they are: the inner optimizer clips them when it applies them.

        Copies of Keras' own training step of TensorFlow 2.2 and 2.3 call this.
        """
        return grads


class SavedLossScaleOptimizer:
    """Makes the optimizer that a saved config describes."""

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> base.LossScaleOptimizer:
        """Makes an optimizer of the class that wrote the config, of any generation.

        The form of TensorFlow 2.0 to 2.3, which has a `loss_scale`, gives an experimental one, and
        so does any form while the old names are installed.
        """
        has_loss_scale = isinstance(config.get("loss_scale"), Mapping)
        is_experimental = base.old_names_are_installed or has_loss_scale
        wrapper = LossScaleOptimizer if is_experimental else base.LossScaleOptimizer
        return wrapper.from_config(config, custom_objects=custom_objects)


REGISTERED: tuple[FunctionPatch, ...] = tuple(
    (tf_keras.utils.get_custom_objects(), name, SavedLossScaleOptimizer)
    for name in REGISTERED_WRAPPERS
)
"""The names under which loss-scale optimizers are saved, in tf-keras' registry."""
