# SPDX-License-Identifier: Apache-2.0
"""Loss scaling for Keras 3, on TensorFlow, JAX and PyTorch.

`LossScaleOptimizer` takes the place of `keras.optimizers.LossScaleOptimizer`: it has that class'
protocol and TensorFlow 2.4's, and none of its defects. Importing this module imports Keras 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compat_lossscale._require import require_keras_3

require_keras_3(__name__)

import keras  # noqa: E402  # after the check

from compat_lossscale.keras3.optimizer import LossScaleOptimizer  # noqa: E402  # after the check
from compat_lossscale.watching.logging_hooks import LoggingHooks, numbers_of, state_of  # noqa: E402  # after the check

__all__ = ["LossScaleLogger", "LossScaleOptimizer"]


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
        return lambda: numbers_of(state_of(optimizer))
