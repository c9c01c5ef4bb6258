# SPDX-License-Identifier: Apache-2.0
"""The warning for a loss that was not scaled or gradients that were not unscaled."""

from __future__ import annotations

import tensorflow as tf

_EXAMPLE = """
    with tf.GradientTape() as tape:
        loss = loss_fn()
        scaled_loss = opt.get_scaled_loss(loss)
    scaled_gradients = tape.gradient(scaled_loss, variables)
    gradients = opt.get_unscaled_gradients(scaled_gradients)
    opt.apply_gradients(zip(gradients, variables))"""


def warn_if_forgotten(scaled: bool, unscaled: bool) -> None:
    """Warns, through TensorFlow's logger, when apply_gradients lacks what should come before it.

    Args:
        scaled: Whether `get_scaled_loss` has been called.
        unscaled: Whether `get_unscaled_gradients` has been called.

    Source: tf-keras, and TensorFlow 2.10; not there in 2.5.
    """
    missing = [
        method
        for method, called in (
            ("LossScaleOptimizer.get_scaled_loss()", scaled),
            ("LossScaleOptimizer.get_unscaled_gradients()", unscaled),
        )
        if not called
    ]
    if missing:
        tf.get_logger().warning(
            "You forgot to call %s before LossScaleOptimizer.apply_gradients(). The model will "
            "likely train worse. Call each exactly once a step, for example:%s",
            " and ".join(missing),
            _EXAMPLE,
        )
