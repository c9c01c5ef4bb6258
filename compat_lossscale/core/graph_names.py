# SPDX-License-Identifier: Apache-2.0
"""Names in graphs, by which checkpoints restore variables."""

from __future__ import annotations

import tensorflow as tf


def reserve_cond() -> None:
    """Reserves the name of the `tf.cond` in which TensorFlow updates a dynamic loss scale.

    The `tf.cond` that applies the gradients is the next one, `cond_1`. With the control flow of
    TensorFlow 1 the variables that an optimizer makes in there are called `cond_1/beta1_power`, in
    checkpoints too. So a `tf.cond` that TensorFlow does not have needs a name of its own, best one
    within `cond`, which no variable of a program has.
    Source: TensorFlow 1.14 to today.
    """
    if not tf.executing_eagerly():
        tf.compat.v1.get_default_graph().unique_name("cond")
