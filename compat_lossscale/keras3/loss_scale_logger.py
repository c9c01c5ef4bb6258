# SPDX-License-Identifier: Apache-2.0
"""A callback of Keras 3 that watches the loss scale while a model trains."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import keras

from compat_lossscale.watching.logging_hooks import LoggingHooks, state_of_keras_3


class LossScaleLogger(LoggingHooks, keras.callbacks.Callback):
    """Puts the state of the loss scale into Keras' logs, and warns when it is stuck.

    It logs the same as `compat_lossscale.callbacks.LossScaleLogger`. It is a callback of Keras 3,
    on every backend, and watches this package's `LossScaleOptimizer` and Keras' own. On JAX, Keras
    copies the state of the training out of the compiled function each time that the callback logs.

    Args:
        every: Also logs after every `every` batches of an epoch.
        log_dir: A folder to write summaries for TensorBoard to. Needs TensorFlow.
        writer: A `tf.summary` writer to write them with, instead of `log_dir`.
        optimizer: The optimizer to watch. The default is that of the model.

    Raises:
        ValueError: `every` is not a positive whole number, or `log_dir` and `writer` are both
            passed.
        MissingExtraError: Summaries need TensorFlow, which is not installed.
    """

    @staticmethod
    def _reader_of(optimizer: Any) -> Callable[[], dict[str, float]]:
        return functools.partial(state_of_keras_3, optimizer)
