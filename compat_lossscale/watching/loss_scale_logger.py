# SPDX-License-Identifier: Apache-2.0
"""A callback of tf-keras that watches the loss scale while a model trains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compat_lossscale._require import require_tensorflow

require_tensorflow(__name__)

import tf_keras  # noqa: E402  # after the check

from compat_lossscale.watching.logging_hooks import LoggingHooks  # noqa: E402  # after the check
from compat_lossscale.watching.reading_tensors import state_reader  # noqa: E402  # after the check
from compat_lossscale.watching.summaries import Summaries  # noqa: E402  # after the check

__all__ = ["LossScaleLogger"]


class LossScaleLogger(LoggingHooks, tf_keras.callbacks.Callback):
    """Puts the state of the loss scale into Keras' logs, and warns when it is stuck.

    At the end of each epoch, and on every `every`-th batch if asked, `logs` gets

    - `loss_scale`, the current value;
    - `good_steps`, the good steps in a row since the value last changed: at
      `dynamic_growth_steps` of them it grows. Not for fixed loss scales;
    - `skipped_steps`, the steps skipped so far: since the optimizer was made; around an optimizer
      that does not count them, since training began, and only with `every=1`, when it can be told
      from the other two.

    So `History` has them, and callbacks that are behind this one can use them. It works with the
    loss-scale optimizers of this package, of tf-keras, and of Keras 3 on TensorFlow. Those that
    `Model.compile` wraps under the policy `mixed_float16` are among them::

        history = model.fit(x, y, callbacks=[compat_lossscale.callbacks.LossScaleLogger()])
        history.history["loss_scale"]

    It warns of a loss scale that is stuck at its floor or its cap, once each, through TensorFlow's
    logger. An optimizer of this package says that itself as soon as it happens, wherever it can;
    what it said is not said again.

    Args:
        every: Also look after every so many batches of an epoch. Each look reads up to four
            scalars; between looks nothing is read.
        log_dir: Folder to write summaries for TensorBoard to, by the optimizer's `iterations`.
        writer: A `tf.summary` writer to write them with, instead of `log_dir`.
        optimizer: The optimizer to watch; by default, that of the model.

    Raises:
        ValueError: `every` is no positive whole number, or `log_dir` and `writer` are both given,
            or one is given while eager execution is off.
    """

    def __init__(
        self,
        every: int | None = None,
        *,
        log_dir: str | Path | None = None,
        writer: Any = None,
        optimizer: Any = None,
    ) -> None:
        super().__init__()
        # Its hooks read no logs, so Keras need not turn them into numbers for it.
        self._supports_tf_logs = True
        writes = log_dir is not None or writer is not None
        self._set_up(every, optimizer, Summaries(log_dir, writer) if writes else None)

    _reader_of = staticmethod(state_reader)
