# SPDX-License-Identifier: Apache-2.0
"""`LossScale`, the base class of loss scales, and `FixedLossScale`.

They have every public member of the classes that TensorFlow 1.14 to 2.4 named
`tf.train.experimental.LossScale` and so on. The optimizers of every generation here keep their
state in one of them, or in a `DynamicLossScale`.
"""

from __future__ import annotations

import abc
from typing import Any

import tensorflow as tf

from compat_lossscale.core import native
from compat_lossscale.core.scalar_tensor import ScalarTensor
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import LossScaleSpec, check_fixed_value


class LossScale(ScalarTensor, native.LossScale):
    """Base class of loss scales, and of your own ones.

    A subclass defines `__call__`, `update` and `get_config`. It may keep state in variables made
    with `self._add_weight(name, initial_value, dtype)`, which are then saved in checkpoints under
    that name. Instances also stand for their value as a tensor: see `ScalarTensor`.

    Source: `tf.train.experimental.LossScale` of TensorFlow 1.14 to 2.4.
    """

    @abc.abstractmethod
    def update(self, grads: Any) -> tuple[Any, Any]:
        """Updates the loss scale after a step.

        Args:
            grads: A nested structure of unscaled gradients. `None` is ignored. Under a
                `tf.distribute` strategy, in a cross-replica context, each may hold one value per
                replica.

        Returns:
            A pair `(update_op, should_apply)`. `update_op` is `None` in eager mode; in a graph, a
            tensor or an operation that updates. `should_apply` is a bool or a bool scalar tensor:
            if false, this step's gradients must not be applied.
        """

    @abc.abstractmethod
    def get_config(self) -> dict[str, Any]:
        """Returns the arguments from which `from_config` makes this loss scale again."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LossScale:
        """Makes a loss scale, in its initial state, from `get_config()`'s dictionary."""
        loss_scale: LossScale = cls(**config)
        return loss_scale

    @property
    def state(self) -> dict[str, tf.Variable]:
        """The variables that hold the live state, by their names in checkpoints."""
        children = self._trackable_children()
        return {name: child for name, child in children.items() if isinstance(child, tf.Variable)}

    @property
    def spec(self) -> LossScaleSpec:
        """This loss scale's spec.

        Raises:
            LossScaleArgumentError: It is neither fixed nor dynamic but of a user's own class.
        """
        return LossScaleSpec.from_argument(self)

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class FixedLossScale(LossScale, native.FixedLossScale):
    """A loss scale that never changes.

    Source: `tf.train.experimental.FixedLossScale` of TensorFlow 1.14 to 2.4.

    Args:
        loss_scale_value: The value, a Python int or float of at least 1.

    Raises:
        ValueError: It is no Python number, below 1, or infinite in float32 only.
    """

    def __init__(self, loss_scale_value: float) -> None:
        if not isinstance(loss_scale_value, int | float):
            raise LossScaleArgumentError(
                f"loss_scale_value must be a Python int or float, but got: {loss_scale_value!r}."
            )
        if loss_scale_value < 1:
            raise LossScaleArgumentError(
                f"loss_scale_value must be at least 1, but got: {loss_scale_value}. Smaller "
                "ones go into compat_lossscale.LossScaleOptimizer(opt, dynamic=False, "
                "initial_scale=...)."
            )
        self._set_up(loss_scale_value)

    def _set_up(self, value: float) -> None:
        LossScale.__init__(self)
        check_fixed_value(value)
        self._loss_scale_value = float(value)

    @classmethod
    def of_any_value(cls, value: float) -> FixedLossScale:
        """Makes one of any value: the optimizers of TensorFlow 2.4 take a value below 1 too."""
        loss_scale: FixedLossScale = cls.__new__(cls)
        loss_scale._set_up(value)
        return loss_scale

    def __call__(self) -> tf.Tensor:
        """Returns the value as a float32 scalar tensor."""
        return tf.constant(self._loss_scale_value, tf.float32)

    def update(self, grads: Any) -> tuple[Any, bool]:
        """Changes nothing. Returns `(no-op, True)`: non-finite gradients are applied as well."""
        del grads
        return tf.no_op(), True

    def get_config(self) -> dict[str, Any]:
        """Returns `{"loss_scale_value": value}`."""
        return {"loss_scale_value": self._loss_scale_value}

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"


def fixed_value(loss_scale: LossScale) -> float | None:
    """Returns the value of a fixed loss scale; `None` of another one, or of a user's subclass."""
    return loss_scale._loss_scale_value if type(loss_scale) is FixedLossScale else None
