# SPDX-License-Identifier: Apache-2.0
"""Whether a bad step finds a dynamic loss scale at its floor, below which it cannot shrink."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat_lossscale.core.dynamic_loss_scale import DynamicLossScale
from compat_lossscale.spec import ScaleState


def state_before_backoff(loss_scale: DynamicLossScale) -> ScaleState:
    """Returns what `has_to_shrink_at_floor` needs, to be read before the loss scale moves."""
    left = loss_scale.hysteresis_left
    return ScaleState(loss_scale(), None, None if left is None else tf.convert_to_tensor(left))


def reads_to_wait_for(loss_scale: DynamicLossScale, before: ScaleState | None) -> list[Any]:
    """Returns the tensors that have to be read before the loss scale moves.

    A graph of TensorFlow 1 does not order them by itself.
    """
    if before is None or loss_scale.settings is None or tf.executing_eagerly():
        return []
    return [one for one in before if one is not None]


def has_to_shrink_at_floor(loss_scale: DynamicLossScale, before: ScaleState) -> Any:
    """Whether a bad step finds the scale at its floor, a bool scalar tensor.

    Args:
        loss_scale: The loss scale.
        before: What `state_before_backoff` returned.
    """
    if loss_scale.settings is None:
        return tf.equal(before.scale, 1.0)
    at_floor = tf.equal(before.scale, tf.cast(loss_scale.numbers.min_scale, tf.float32))
    if before.hysteresis_left is None:
        return at_floor
    return tf.logical_and(at_floor, before.hysteresis_left <= 1)
