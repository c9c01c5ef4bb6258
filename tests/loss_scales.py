# SPDX-License-Identifier: Apache-2.0
"""Loss scales as users write them, for several test modules."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale


class HalvingLossScale(LossScale):
    """Halves at each step, whatever the gradients, and applies every step."""

    def __init__(self, start: float = 64.0) -> None:
        super().__init__()
        self._start = start
        self._scale = self._add_weight("halving_scale", start, tf.float32)

    def __call__(self) -> tf.Tensor:
        return tf.convert_to_tensor(self._scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        return self._scale.assign(self._scale / 2.0), True

    def get_config(self) -> dict[str, Any]:
        return {"start": self._start}


class CappedLossScale(DynamicLossScale):
    """A dynamic loss scale that does not grow beyond a cap."""

    def __init__(self, cap: float = 16.0) -> None:
        super().__init__(initial_loss_scale=8.0, increment_period=1)
        self._cap = cap

    def update(self, grads: Any) -> tuple[Any, Any]:
        updated = super().update(grads)
        self._current_loss_scale.assign(tf.minimum(self._current_loss_scale, self._cap))
        return updated

    def get_config(self) -> dict[str, Any]:
        return {"cap": self._cap}


class RenamedLossScale(FixedLossScale):
    """A fixed loss scale whose argument has another name."""

    def __init__(self, value: float = 16.0) -> None:
        super().__init__(value)

    def get_config(self) -> dict[str, Any]:
        return {"value": self._loss_scale_value}
