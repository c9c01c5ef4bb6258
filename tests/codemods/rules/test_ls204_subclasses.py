# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left


def test_every_old_optimizer() -> None:
    for old, rule in (
        ("tf.keras.mixed_precision.experimental.LossScaleOptimizer", "LS204"),
        ("tf.contrib.mixed_precision.LossScaleOptimizer", "LS603"),
    ):
        check_left(
            f"""
            import tensorflow as tf
            class Mine({old}):
                def __init__(self, opt):
                    super().__init__(opt, loss_scale="dynamic")
            """,
            rule,
        )


V1 = "tf.train.experimental.MixedPrecisionLossScaleOptimizer"


def test_the_v1_optimizer_is_still_there_under_another_name() -> None:
    check_left(
        f"import tensorflow as tf\nclass Mine({V1}):\n    pass\n",
        "derive it from MixedPrecisionLossScaleOptimizer of tf.compat.v1.mixed_precision",
    )
