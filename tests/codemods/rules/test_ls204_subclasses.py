# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left


def test_every_old_optimizer() -> None:
    for old in (
        "tf.keras.mixed_precision.experimental.LossScaleOptimizer",
        "tf.train.experimental.MixedPrecisionLossScaleOptimizer",
        "tf.contrib.mixed_precision.LossScaleOptimizer",
    ):
        check_left(
            f"""
            import tensorflow as tf
            class Mine({old}):
                def __init__(self, opt):
                    super().__init__(opt, loss_scale="dynamic")
            """,
            "LS204",
        )
