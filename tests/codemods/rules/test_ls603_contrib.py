# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left, check_transformed

CONTRIB = "tf.contrib.mixed_precision"
V1 = "tf.compat.v1.mixed_precision"


def test_an_exact_manager_in_a_variable() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        manager = {CONTRIB}.ExponentialUpdateLossScaleManager(
            init_loss_scale=2 ** 32, incr_every_n_steps=1000, decr_every_n_nan_or_inf=1,
            decr_ratio=0.5)
        opt = {CONTRIB}.LossScaleOptimizer(opt, loss_scale_manager=manager)
        """,
        f"""
        import tensorflow as tf
        manager = {V1}.DynamicLossScale(2 ** 32, 1000)
        opt = {V1}.MixedPrecisionLossScaleOptimizer(opt, loss_scale=manager)
        """,
    )


def test_managers_without_equivalent() -> None:
    check_left(
        f"""
        from tensorflow.contrib.mixed_precision import FixedLossScaleManager, LossScaleOptimizer
        import tensorflow as tf
        opt = LossScaleOptimizer(opt, FixedLossScaleManager(5000))
        other = {CONTRIB}.ExponentialUpdateLossScaleManager(2 ** 32, 1000)
        """,
        "LS101",
        "LS101",
        "that its manager has an equivalent is not proven",
        "skipped steps that are not finite",
        "no equivalent",
    )
