# SPDX-License-Identifier: Apache-2.0
"""The front end for `Optimizer`, the base class that is tf-keras' default since TensorFlow 2.11."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from compat_lossscale.core import apply_or_skip, as_written, unzip
from compat_lossscale.optimizers import families, pickling, stock


class NewFrontEnd(stock.NewLossScaleOptimizer):
    """Translates the protocol of tf-keras' Optimizer into calls of the core.

    Beyond tf-keras' own wrapper, all public attributes of the inner optimizer (`momentum`,
    `beta_1`, `clipnorm` ...) can be read and set through this one, as with the legacy optimizers.
    """

    def _wrap_in_family(self, inner_optimizer: Any) -> None:
        # tf-keras' constructor makes no variables for a fixed scale; ours is attached after it.
        stock.NewLossScaleOptimizer.__init__(
            self, inner_optimizer, dynamic=False, initial_scale=1.0
        )

    def _make_weights(self, variables: Sequence[tf.Variable]) -> None:
        self._optimizer.build(variables)

    @as_written
    def minimize(
        self,
        loss: Any,
        var_list: Any,
        tape: tf.GradientTape | None = None,
        *,
        grad_loss: Any = None,
        name: str | None = None,
    ) -> Any:
        """Differentiates the scaled loss and applies the unscaled gradients if they are finite.

        Args:
            loss: A floating-point tensor computed under `tape`, or a callable that gives one.
            var_list: A variable, a list of variables, or a callable that gives one.
            tape: The tape under which the loss was computed; not needed for a callable.
            grad_loss: The gradient with respect to `loss`, a tensor of its shape; `None` for ones.
                The legacy optimizers have it, tf-keras' new ones do not.
            name: Name of the operation; the legacy optimizers' too.

        Returns:
            An operation in a graph, `None` in eager mode.

        Raises:
            ValueError: `loss` is a tensor and there is no `tape`; or see `apply_gradients`.
        """
        if grad_loss is not None:
            loss = _weighted(loss, grad_loss, tape)
        return self.apply_gradients(self.compute_gradients(loss, var_list, tape=tape), name=name)

    @as_written
    def compute_gradients(
        self, loss: Any, var_list: Any, tape: tf.GradientTape | None = None
    ) -> list[tuple[Any, Any]]:
        """Differentiates the scaled loss.

        Args:
            loss: A scalar tensor computed under `tape`, or a callable that gives one.
            var_list: A variable, a list of variables, or a callable that gives one.
            tape: The tape under which the loss was computed; not needed for a callable.

        Returns:
            Pairs of an unscaled gradient and a variable.

        Raises:
            ValueError: `loss` is a tensor and there is no `tape`.
        """
        if tape is None and not callable(loss):
            raise ValueError(
                "`tape` is required when the loss is a tensor: the tape under which it was "
                "computed. A callable loss needs none."
            )
        if not callable(var_list):
            # `minimize(f, var_list=var)`, as the original's documentation has it.
            var_list = tf.nest.flatten(var_list)
        pairs: list[tuple[Any, Any]] = super().compute_gradients(loss, var_list, tape=tape)
        return pairs

    @as_written
    def apply_gradients(
        self,
        grads_and_vars: Any,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Applies the gradients if they are finite, updates the loss scale, counts the step.

        Args:
            grads_and_vars: Pairs of an unscaled gradient and a variable.
            name: Name of the operation.
            skip_gradients_aggregation: Whether the gradients are summed over the replicas already.
            **kwargs: `experimental_aggregate_gradients`, the legacy optimizers' opposite of
                `skip_gradients_aggregation`.

        Returns:
            An operation in a graph, `None` in eager mode.

        Raises:
            ValueError: Called in a cross-replica context, under an unsupported strategy, or
                without any gradient.

        `iterations` is counted on skipped steps too.
        """
        self._check_before_applying()
        inner = self._optimizer
        grads_and_vars = list(grads_and_vars)
        if grads_and_vars:
            _, variables = unzip(grads_and_vars)
            pickling.restore_weights(self, variables)
            with tf.init_scope():
                # Variables cannot be made inside the branch that applies. The first call settles
                # which variables the optimizer knows: also those that have no gradient yet.
                inner.build(variables)
        grads_and_vars = stock.without_empty_gradients(grads_and_vars)
        gradients, variables = unzip(grads_and_vars)
        summed = False
        aggregate = kwargs.pop("experimental_aggregate_gradients", True)
        if aggregate and not (skip_gradients_aggregation or self._uses_dtensor()):
            summed = stock.sums_as_the_strategy_does(inner)
            if tf.distribute.has_strategy() or not summed:
                # Aggregated first, so that a NaN on one replica is a NaN on all.
                grads_and_vars = inner.aggregate_gradients(grads_and_vars)
                gradients, variables = unzip(grads_and_vars)

        def apply(gradients: list[Any]) -> None:
            pairs = list(zip(gradients, variables, strict=True))
            inner.apply_gradients(pairs, name=name, skip_gradients_aggregation=True, **kwargs)

        return apply_or_skip(
            self._loss_scale,
            gradients,
            apply,
            counter=self._step_counter,
            log=self._step_log,
            summed=summed,
        )

    def _uses_dtensor(self) -> bool:
        return bool(self._optimizer._run_with_dtensor or self._optimizer._mesh)

    @property
    def lr(self) -> Any:
        """The inner optimizer's learning rate."""
        return self._optimizer.learning_rate

    @lr.setter
    def lr(self, value: Any) -> None:
        self._optimizer.learning_rate = value

    @property
    def weights(self) -> list[tf.Variable]:
        """The inner optimizer's variables."""
        return list(self._optimizer.variables)

    def get_weights(self) -> list[np.ndarray[Any, Any]]:
        """Returns the values of the inner optimizer's variables."""
        return [variable.numpy() for variable in self.weights]

    def set_weights(self, weights: Any) -> None:
        """Sets the values of the inner optimizer's variables."""
        self._optimizer.set_weights(weights)

    def __getattr__(self, name: str) -> Any:
        if self._is_delegated(name):
            return getattr(self._optimizer, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_delegated(name) and not hasattr(type(self), name):
            setattr(self._optimizer, name, value)
        else:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        inner = vars(self._optimizer) if "_optimizer" in self.__dict__ else {}
        return sorted({*super().__dir__(), *(name for name in inner if not name.startswith("_"))})

    def _is_delegated(self, name: str) -> bool:
        inner = self.__dict__.get("_optimizer")
        return inner is not None and not name.startswith("_") and name in vars(inner)


def _weighted(loss: Any, weights: Any, tape: tf.GradientTape | None) -> Any:
    """A loss whose gradient is that of `loss` if the gradient with respect to it is `weights`."""

    def weighted() -> Any:
        value = tf.convert_to_tensor(loss() if callable(loss) else loss)
        return value * tf.stop_gradient(tf.cast(weights, value.dtype))

    if callable(loss):
        return weighted
    if tape is None:
        return loss  # which `compute_gradients` refuses
    with tape:
        return weighted()


families.FRONT_ENDS[stock.Optimizer] = NewFrontEnd
