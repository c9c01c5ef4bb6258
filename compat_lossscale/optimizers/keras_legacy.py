# SPDX-License-Identifier: Apache-2.0
"""The front end for `OptimizerV2`, the base class of the optimizers of TensorFlow 2.0 to 2.10."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from compat_lossscale.core import apply_or_skip, as_written, unzip
from compat_lossscale.members.optimizer import check_has_tape
from compat_lossscale.optimizers import base, stock


class LegacyFrontEnd(stock.LegacyLossScaleOptimizer):
    """Translates OptimizerV2's protocol into calls of the core.

    What only passes a call on to the inner optimizer (slots, weights, hyperparameters, clipping,
    checkpointing) is inherited from tf-keras' own wrapper.
    """

    def _wrap_in_family(self, inner_optimizer: Any) -> None:
        # tf-keras' constructor makes no variables for a fixed scale; ours is attached after it.
        stock.LegacyLossScaleOptimizer.__init__(
            self, inner_optimizer, dynamic=False, initial_scale=1.0
        )
        restored = RestoredInnerOptimizer(inner_optimizer)
        self._track_trackable(restored, "base_optimizer", overwrite=True)

    _pairs_to_apply: Callable[[Any], list[tuple[Any, Any]]]
    """Is defined by the class that this one is joined with."""

    def _make_weights(self, variables: Sequence[tf.Variable]) -> None:
        self._optimizer._create_all_weights(variables)

    def save_own_variables(self, store: Any) -> None:
        """Writes the inner optimizer's weights into a part of a `.keras` file."""
        for index, value in enumerate(self.get_weights()):
            store[str(index)] = value

    def load_own_variables(self, store: Any) -> None:
        """Reads them from there; a file without them leaves the optimizer as it is."""
        if len(store.keys()) == len(self.weights):
            self.set_weights([np.asarray(store[str(i)]) for i in range(len(self.weights))])

    def __setattr__(self, name: str, value: Any) -> None:
        if "_optimizer" in self.__dict__ and name in ("lr", "learning_rate"):
            # tf-keras would make the variable first, and what initialises it undo the assignment.
            setattr(self._optimizer, name, value)
        elif "_optimizer" in self.__dict__:
            super().__setattr__(name, value)
        else:
            # A subclass sets attributes of its own before it calls this class' constructor.
            object.__setattr__(self, name, value)

    def _compute_gradients(
        self, loss: Any, var_list: Any, grad_loss: Any = None, tape: Any = None
    ) -> Any:
        """Differentiates the scaled loss. `minimize` calls this, and programs of 2.4 do."""
        check_has_tape(loss, tape)
        return super()._compute_gradients(loss, var_list, grad_loss, tape)

    def _apply_gradients(
        self, grads: Any, wrapped_vars: Any, name: Any = None, aggregate: bool = False
    ) -> Any:
        """Applies gradients without asking the loss scale. Takes what TensorFlow 2.2 and 2.3 gave.

        Their fourth argument said whether to aggregate, which has been done by now.
        """
        del aggregate
        return super()._apply_gradients(grads, wrapped_vars, name)

    @as_written
    def apply_gradients(
        self,
        grads_and_vars: Any,
        name: str | None = None,
        experimental_aggregate_gradients: bool = True,
    ) -> Any:
        """Applies the gradients if they are finite, updates the loss scale, counts the step.

        Args:
            grads_and_vars: Pairs of an unscaled gradient and a variable.
            name: Name of the operation.
            experimental_aggregate_gradients: Whether to sum the gradients over the replicas.

        Returns:
            An operation in a graph, `None` in eager mode.

        Raises:
            ValueError: Called in a cross-replica context, under an unsupported strategy, or
                without any gradient.

        `iterations` is counted on skipped steps too (since TensorFlow 2.3; not before).
        """
        self._check_before_applying()
        grads_and_vars = self._pairs_to_apply(grads_and_vars)
        inner_optimizer = self._optimizer
        # Optimizers that users wrote for TensorFlow 2.0 and 2.1 always aggregate by themselves.
        flag = "experimental_aggregate_gradients"
        has_flag = stock.accepts(inner_optimizer.apply_gradients, flag)
        if experimental_aggregate_gradients and has_flag:
            # Aggregated first, so that a NaN on one replica is a NaN on all.
            grads_and_vars = inner_optimizer._transform_unaggregated_gradients(grads_and_vars)
            is_sum = stock.sums_as_the_strategy_does(inner_optimizer)
            if tf.distribute.has_strategy() or not is_sum:
                grads_and_vars = stock.aggregated(inner_optimizer, grads_and_vars)
        gradients, variables = unzip(grads_and_vars)
        if base.WEIGHTS in self.__dict__:
            pairs = zip(gradients, variables, strict=True)
            base.restore_weights(self, [variable for one, variable in pairs if one is not None])
        options = {flag: False} if has_flag else {}
        # By position, as ever: some optimizers have another second argument, and are given it.
        names = [] if name is None else [name]
        return apply_or_skip(
            self._loss_scale,
            gradients,
            apply=lambda gradients: inner_optimizer.apply_gradients(
                list(zip(gradients, variables, strict=True)), *names, **options
            ),
            applied=self._note_applied,
            skipped=self._count_skipped,
        )


# What a checkpoint can hold: the root of the public classes that it holds.
_Trackable: Any = tf.Module.__mro__[-2]


class RestoredInnerOptimizer(_Trackable):
    """What `base_optimizer` in a checkpoint of TensorFlow 2.0 to 2.2 is restored into.

    Those checkpoints keep the inner optimizer under that name; since 2.3 it is in the wrapper's
    own place. Real TensorFlow 2.3 to 2.5 restore only its slots from there. This restores all of it
    and adds nothing to a checkpoint that is written.

    Args:
        optimizer: The inner optimizer.
    """

    def __init__(self, optimizer: Any) -> None:
        self._optimizer = optimizer

    def _lookup_dependency(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer._lookup_dependency(name, *args, **kwargs)

    @property
    def _deferred_dependencies(self) -> Any:
        # What is not made yet, such as `iter`, is restored when the inner optimizer makes it.
        return self._optimizer._deferred_dependencies

    def get_slot_names(self) -> list[str]:
        """Returns the names of the inner optimizer's slots."""
        return self._optimizer.get_slot_names()  # type: ignore[no-any-return]  # TensorFlow has no types

    def _create_or_restore_slot_variable(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer._create_or_restore_slot_variable(*args, **kwargs)


base.FRONT_ENDS[stock.OptimizerV2] = LegacyFrontEnd
