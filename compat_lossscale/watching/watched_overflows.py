# SPDX-License-Identifier: Apache-2.0
"""The gradients that overflow in one optimizer, between two observations."""

from __future__ import annotations

import dataclasses
from typing import Any

from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.steps.overflow import Overflow


class WatchedOverflows:
    """Asks an optimizer to record overflows, and reads them.

    Args:
        optimizer: An optimizer of this package.
        model: The model that it trains, whose training function is made again to record; `None` in
            a loop of your own.

    Raises:
        LossScaleArgumentError: The optimizer is not of this package.
        NotCountedError: The optimizer is in a graph of TensorFlow 1.
    """

    def __init__(self, optimizer: Any, model: Any = None) -> None:
        if not hasattr(optimizer, "_record_overflows"):
            raise LossScaleArgumentError(
                "LossScaleLogger(gradients=True) needs an optimizer of this package, because no "
                f"other one tells its gradients. This one is {type(optimizer).__module__}."
                f"{type(optimizer).__name__}. Wrap the inner optimizer in "
                "compat_lossscale.LossScaleOptimizer, or leave out gradients=True."
            )
        self._optimizer = optimizer
        is_new = optimizer._record_overflows()
        if is_new and getattr(model, "train_function", None) is not None:
            model.make_train_function(force=True)
        optimizer._take_overflows()

    def take(self) -> Overflow | None:
        """Returns the first skipped step since the last call, if there was one."""
        taken = self._optimizer._take_overflows()
        if not taken:
            return None
        first: Overflow = taken[0]
        return dataclasses.replace(first, skipped_steps=sum(one.skipped_steps for one in taken))
