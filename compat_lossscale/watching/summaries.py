# SPDX-License-Identifier: Apache-2.0
"""Writes numbers for TensorBoard. Needs TensorFlow, and TensorBoard only to look at them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf

from compat_lossscale.errors import LossScaleArgumentError

_SCALAR = tf.compat.v1.SummaryMetadata(
    plugin_data=tf.compat.v1.SummaryMetadata.PluginData(plugin_name="scalars")
)
"""What tells TensorBoard that a summary is a number."""


class Summaries:
    """Writes with a `tf.summary` writer.

    Args:
        log_dir: Folder to write to.
        writer: A writer to write with, instead of `log_dir`.

    Raises:
        LossScaleArgumentError: Both are given, or one while eager execution is off.
    """

    def __init__(self, log_dir: str | Path | None, writer: Any) -> None:
        if log_dir is not None and writer is not None:
            raise LossScaleArgumentError(
                'Summaries go to one place: give "log_dir" or "writer", not both.'
            )
        if not tf.executing_eagerly():
            raise LossScaleArgumentError(
                "Summaries are written in eager mode only, which is switched off here. Leave out "
                '"log_dir" and "writer", and use the history.'
            )
        self._writer = writer
        if writer is None:
            self._writer = tf.summary.create_file_writer(str(log_dir))

    def write(self, name: str, value: float, step: float) -> None:
        """Writes a number."""
        with self._writer.as_default():
            # As tf.summary.scalar does, which needs TensorBoard installed.
            tf.summary.write(name, tf.constant(value, tf.float32), step, _SCALAR)

    def flush(self) -> None:
        """Writes out what is still in memory."""
        self._writer.flush()
