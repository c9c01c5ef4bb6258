# SPDX-License-Identifier: Apache-2.0
"""A callback of tf-keras that watches the loss scale while a model trains."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from compat_lossscale._require import require_tensorflow

require_tensorflow(__name__)

import tensorflow as tf  # noqa: E402  # after the check
import tf_keras  # noqa: E402  # after the check

from compat_lossscale.errors import LossScaleArgumentError  # noqa: E402  # after the check
from compat_lossscale.watching import logging_hooks  # noqa: E402  # after the check
from compat_lossscale.watching.logging_hooks import LoggingHooks  # noqa: E402  # after the check

__all__ = ["LossScaleLogger"]


class LossScaleLogger(LoggingHooks, tf_keras.callbacks.Callback):
    """Puts the state of the loss scale into Keras' logs, and warns when it is stuck.

    At the end of each epoch, and after every `every` batches, it adds to `logs`

    - `loss_scale`, the current value;
    - `good_steps`, the good steps in a row since the value last changed or a step was skipped.
      After `dynamic_growth_steps` of them the loss scale grows. Not for fixed loss scales;
    - `skipped_steps`, the steps skipped since the optimizer was created. If the optimizer does not
      count them, the callback counts them from the beginning of training, but only with `every=1`,
      because it derives them from the other two.

    So they are in `History`, and callbacks after this one can use them. The callback works with the
    loss-scale optimizers of this package, of tf-keras, and of Keras 3 on TensorFlow, and with those
    that `Model.compile` wraps under the policy `mixed_float16`::

        history = model.fit(x, y, callbacks=[compat_lossscale.callbacks.LossScaleLogger()])
        history.history["loss_scale"]

    It warns once of a loss scale that is stuck at its floor, and once of one that is stuck at its
    cap, through TensorFlow's logger. It does not repeat the warnings of an optimizer of this
    package.

    Args:
        every: Log after every so many batches of an epoch too. Logging reads up to four scalars.
        log_dir: Folder for summaries for TensorBoard, by the optimizer's `iterations`.
        writer: A `tf.summary` writer for them, instead of `log_dir`.
        optimizer: The optimizer to log; by default, that of the model.

    Raises:
        ValueError: `every` is not a positive whole number, or `log_dir` and `writer` are both
            passed, or one is passed while eager execution is off.
    """

    @staticmethod
    def _reader_of(optimizer: Any) -> Callable[[], dict[str, float]]:
        if logging_hooks.is_of_keras_3(optimizer):
            # The optimizer has imported Keras 3. This module works without it.
            backend = sys.modules["keras"].config.backend()
            if backend != "tensorflow":
                raise LossScaleArgumentError(
                    "compat_lossscale.callbacks.LossScaleLogger reads variables of TensorFlow, and "
                    f"Keras runs on {backend}. Use compat_lossscale.keras3.LossScaleLogger."
                )
        elif not tf.executing_eagerly():
            # In a graph the tensors are made once, and evaluated often.
            made = logging_hooks.state_of(optimizer)
            return lambda: logging_hooks.numbers_of(made, tf_keras.backend.get_value)
        return lambda: logging_hooks.numbers_of(logging_hooks.state_of(optimizer))
