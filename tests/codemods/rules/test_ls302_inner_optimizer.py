# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_noop, check_transformed


def test_proven_and_not() -> None:
    check_transformed(
        """
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
        opt = LossScaleOptimizer(opt, "dynamic")
        lr = opt._optimizer.lr
        """,
        """
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
        opt = LossScaleOptimizer(opt)
        lr = opt.inner_optimizer.lr
        """.replace(".experimental", ""),
    )
    check_noop(
        """
        import tensorflow as tf  # mixed_precision.LossScaleOptimizer
        class Trainer:
            def __init__(self, optimizer):
                self._optimizer = optimizer
            def lr(self):
                return self._optimizer.lr
        """
    )


def test_a_program_that_asks_who_has_it_is_left() -> None:
    check_noop(
        """
        import tensorflow as tf  # mixed_precision.LossScaleOptimizer
        class Trainer:
            def __init__(self, inputs, outputs):
                self.model = tf.keras.Model(inputs, outputs)
            def variables(self):
                if hasattr(self.model.optimizer, "_optimizer"):
                    return self.model.optimizer._optimizer.variables()
        """
    )
