# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left, check_noop, check_transformed


def test_private_spellings() -> None:
    check_transformed(
        """
        import tensorflow as tf
        def log(opt):
            if isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer):
                print(opt._loss_scale._current_loss_scale, opt.loss_scale._num_good_steps)
        """,
        """
        import tensorflow as tf
        def log(opt):
            if isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer):
                print(opt.loss_scale, opt.dynamic_counter)
        """,
    )


def test_what_is_not_proven() -> None:
    check_left(
        "import tensorflow as tf  # LossScale\nprint(m.optimizer.loss_scale._current_loss_scale)\n",
        "not proven",
    )
    check_noop("import tensorflow as tf  # LossScale\nprint(c.loss_scale.increment_period)\n")
