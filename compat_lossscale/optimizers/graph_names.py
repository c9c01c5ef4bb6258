# SPDX-License-Identifier: Apache-2.0
"""Names in graphs, by which programs fetch steps and checkpoints restore variables."""

from __future__ import annotations

import tensorflow as tf

from compat_lossscale.core import LossScale, moves_by_the_rule


def reserve_cond(loss_scale: LossScale) -> None:
    """Reserves the name of the `tf.cond` in which TensorFlow updates a dynamic loss scale.

    The `tf.cond` that applies the gradients is the next one, `cond_1`. With the control flow of
    TensorFlow 1 the variables that an optimizer makes in there are called `cond_1/beta1_power`, in
    checkpoints too. Source: TensorFlow 1.14 to today.

    Args:
        loss_scale: The loss scale, which is about to be updated.
    """
    if moves_by_the_rule(loss_scale) and not tf.executing_eagerly():
        tf.compat.v1.get_default_graph().unique_name("cond")
