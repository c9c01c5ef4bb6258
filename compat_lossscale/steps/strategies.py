# SPDX-License-Identifier: Apache-2.0
"""Which `tf.distribute` strategies loss scaling works under."""

from __future__ import annotations

import tensorflow as tf


def is_supported() -> bool:
    """Whether loss scaling works under the current `tf.distribute` strategy.

    It works where each replica has its own copy of every variable, so that gradients are unscaled
    once per copy: without a strategy, and under OneDevice, Mirrored and MultiWorkerMirrored
    strategies. Source: TensorFlow 2.2 and later.
    """
    if not tf.distribute.has_strategy():
        return True
    supported = (
        tf.distribute.OneDeviceStrategy,
        tf.compat.v1.distribute.OneDeviceStrategy,
        tf.distribute.MirroredStrategy,
        tf.compat.v1.distribute.MirroredStrategy,
        tf.distribute.MultiWorkerMirroredStrategy,
        tf.compat.v1.distribute.experimental.MultiWorkerMirroredStrategy,
    )
    return isinstance(tf.distribute.get_strategy(), supported)


def check() -> None:
    """Refuses strategies under which loss scaling would go wrong.

    Raises:
        ValueError: The current strategy is not supported; TPU strategies get an explanation of
            their own. Source: TensorFlow 2.2 and later.
    """
    if is_supported():
        return
    strategy = tf.distribute.get_strategy()
    if isinstance(strategy, tf.distribute.TPUStrategy):
        raise ValueError(
            "Loss scaling is not supported with TPUStrategy, and not needed: TPUs compute in "
            "bfloat16, which has float32's range. Remove the LossScaleOptimizer when you use TPUs."
        )
    raise ValueError(
        "Loss scaling is not supported with the tf.distribute.Strategy: "
        f"{type(strategy).__name__}. Try using a different Strategy, "
        "e.g. a MirroredStrategy."  # prose: keep (TensorFlow's words)
    )
