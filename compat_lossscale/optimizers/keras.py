# SPDX-License-Identifier: Apache-2.0
"""The front end for `Optimizer`, the base class that is tf-keras' default since TensorFlow 2.11."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from compat_lossscale.core import apply_or_skip, as_written, unzip
from compat_lossscale.members.optimizer import check_has_tape
from compat_lossscale.optimizers import base, stock


class NewFrontEnd(stock.NewLossScaleOptimizer):
    """Translates the protocol of tf-keras' Optimizer into calls of the core.

    What tf-keras' own wrapper passes on to the inner optimizer is inherited from it: `iterations`,
    `variables`, `learning_rate`, `use_ema`, `ema_momentum`. Every other attribute of the inner
    optimizer (`momentum`, `beta_1`, `clipnorm` ...) is read and set on `inner_optimizer`.
    """

    _pairs_to_apply: Callable[[Any], list[tuple[Any, Any]]]
    """Is defined by the class that this one is joined with."""

    @functools.cached_property
    def name(self) -> Any:
        """The inner optimizer's name, which tf-keras' wrapper lacks and its own methods read."""
        return self._optimizer.name

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
    ) -> None:
        """Differentiates the scaled loss and applies the unscaled gradients if they are finite.

        Args:
            loss: A floating-point tensor computed under `tape`, or a callable that gives one.
            var_list: A variable, a list of variables, or a callable that gives one.
            tape: The tape under which the loss was computed; not needed for a callable.
            grad_loss: The gradient with respect to `loss`, a tensor of its shape; `None` for ones.
                The legacy optimizers have it, tf-keras' new ones do not.
            name: Passed on to `apply_gradients`; the legacy optimizers have it too.

        Raises:
            ValueError: `loss` is a tensor and there is no `tape`; or see `apply_gradients`.
        """
        if grad_loss is not None:
            loss = _weighted(loss, grad_loss, tape)
        grads_and_vars = self.compute_gradients(loss, var_list, tape=tape)
        options: dict[str, Any] = {} if name is None else {"name": name}
        self.apply_gradients(grads_and_vars, **options)

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
        check_has_tape(loss, tape)
        if not callable(var_list):
            # `minimize(f, var_list=var)`, as the original's documentation has it.
            var_list = tf.nest.flatten(var_list)
        pairs: list[tuple[Any, Any]] = super().compute_gradients(loss, var_list, tape=tape)
        return pairs

    @as_written
    def apply_gradients(
        self,
        grads_and_vars: Any,
        name: str | bool | None = None,
        skip_gradients_aggregation: bool = False,
        **kwargs: Any,
    ) -> None:
        """Applies the gradients if they are finite, updates the loss scale, counts the step.

        Args:
            grads_and_vars: Pairs of an unscaled gradient and a variable.
            name: Passed on to the inner optimizer if it takes one. A bool in this position is
                `skip_gradients_aggregation`, which comes second in tf-keras' own wrapper.
            skip_gradients_aggregation: Whether the gradients are summed over the replicas already.
            **kwargs: `experimental_aggregate_gradients`, the legacy optimizers' opposite of
                `skip_gradients_aggregation`. Others are ignored, as tf-keras does.

        Raises:
            ValueError: Called in a cross-replica context, under an unsupported strategy, or
                without any gradient.

        `iterations` is counted on skipped steps too.
        """
        if isinstance(name, bool):
            skip_gradients_aggregation = name
            name = None
        self._check_before_applying()
        inner_optimizer = self._optimizer
        grads_and_vars = list(grads_and_vars)
        if grads_and_vars:
            _, variables = unzip(grads_and_vars)
            if base.WEIGHTS in self.__dict__:
                base.restore_weights(self, variables)
            with tf.init_scope():
                # Variables cannot be made inside the branch that applies. The first call settles
                # which variables the optimizer knows: also those that have no gradient yet.
                self.build(variables)
        grads_and_vars = self._pairs_to_apply(grads_and_vars)
        gradients, variables = unzip(grads_and_vars)
        aggregate = kwargs.get("experimental_aggregate_gradients", True)
        uses_dtensor = inner_optimizer._run_with_dtensor or inner_optimizer._mesh
        if aggregate and not (skip_gradients_aggregation or uses_dtensor):
            is_sum = stock.sums_as_the_strategy_does(inner_optimizer)
            if tf.distribute.has_strategy() or not is_sum:
                # Aggregated first, so that a NaN on one replica is a NaN on all.
                grads_and_vars = inner_optimizer.aggregate_gradients(grads_and_vars)
                gradients, variables = unzip(grads_and_vars)

        takes_name = name is not None and stock.accepts(inner_optimizer.apply_gradients, "name")
        options = {"name": name} if takes_name else {}

        def apply(gradients: list[Any]) -> None:
            pairs = list(zip(gradients, variables, strict=True))
            inner_optimizer.apply_gradients(pairs, skip_gradients_aggregation=True, **options)

        apply_or_skip(
            self._loss_scale,
            gradients,
            apply,
            applied=self._note_applied,
            skipped=self._count_skipped,
        )

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


base.FRONT_ENDS[stock.Optimizer] = NewFrontEnd
