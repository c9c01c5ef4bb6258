# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left, check_review


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


def test_a_subclass_that_is_left_when_its_guard_goes() -> None:
    check_review(
        """
        try:
            from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer as LSO
        except ImportError:
            from tensorflow.keras.mixed_precision import LossScaleOptimizer as LSO
        class Mine(LSO):
            pass
        opt = LSO(inner, "dynamic")
        """,
        """
        from tensorflow.keras.mixed_precision import LossScaleOptimizer as LSO
        class Mine(LSO):
            pass
        opt = LSO(inner)
        """,
        "this is a subclass of the class of today",
        collapse_guards=True,
    )
