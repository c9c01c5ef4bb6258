# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
import tensorflow as tf
from lossscale_codemods.rules.shared.v1_subclasses import ADDED

from compat_lossscale import v1
from tests.codemods.checks import check_left, check_transformed


def test_every_old_optimizer() -> None:
    for old in (
        "tf.keras.mixed_precision.experimental.LossScaleOptimizer",
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


V1 = "tf.train.experimental.MixedPrecisionLossScaleOptimizer"
V1_TODAY = "tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer"


def test_the_v1_optimizer_is_still_there() -> None:
    body = """
    def __init__(self, opt):
        super().__init__(opt, "dynamic")
        self._kept = getattr(self, "_optimizer")
    def minimize(self, loss):
        return super().minimize(loss)
"""
    before = f"import tensorflow as tf\nclass Mine({V1}):{body}"
    check_transformed(before, before.replace(V1, V1_TODAY))


@pytest.mark.parametrize(
    "body",
    [
        "    def _scale_loss(self, loss):\n        return loss\n",
        "    def __getattribute__(self, name):\n        return 1\n",
        "    skipped_steps = 0\n",
        "    def apply_gradients(self, pairs):\n        self._step_log = pairs\n",
        "    def apply_gradients(self, pairs):\n        setattr(self, pairs[0], 1)\n",
        "    pass\nclass Other(Mine):\n    def _scale_loss(self, loss):\n        return loss\n",
    ],
)
def test_a_subclass_that_differs_on_the_class_of_tensorflow(body: str) -> None:
    check_left(f"import tensorflow as tf\nclass Mine({V1}):\n{body}", "a subclass depends on")
    decorated = f"import tensorflow as tf\n@register\nclass Mine({V1}):\n    pass\n"
    check_left(decorated, "a subclass depends on")
    check_left(f"import tensorflow as tf\nclass Mine({V1}, Mixin):\n    pass\n", "a subclass")


def test_what_the_classes_under_run_have_in_addition() -> None:
    for name in ("LossScale", "DynamicLossScale", "MixedPrecisionLossScaleOptimizer"):
        ours, theirs = getattr(v1, name), getattr(tf.compat.v1.mixed_precision, name)
        added = {member for member in set(dir(ours)) - set(dir(theirs)) if member[:2] != "__"}
        assert added <= ADDED
