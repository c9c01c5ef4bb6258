# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_noop, check_review

IMPORT = "import tensorflow as tf\nD = tf.compat.v1.mixed_precision.DynamicLossScale\n"
OLD = f"{IMPORT}opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
NEW = f"{IMPORT}opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
MESSAGE = "a tensor now, and of no such class"


@pytest.mark.parametrize(
    "test",
    [
        "isinstance(opt.loss_scale, D)",
        "isinstance(opt.loss_scale, (int, D))",
        "self.assertIsInstance(opt.loss_scale, D)",
    ],
)
def test_a_test_for_a_class_of_today_is_reported_before_and_after(test: str) -> None:
    check_review(f"{OLD}x = {test}\n", f"{NEW}x = {test}\n", MESSAGE)
    check_left(f"{NEW}x = {test}\n", MESSAGE)


@pytest.mark.parametrize(
    "test",
    [
        "type(opt.loss_scale) is D",
        "issubclass(type(opt.loss_scale), D)",
        "D != type(opt.loss_scale)",
        "opt.loss_scale.__class__ in [int, D]",
        "type(opt.loss_scale).__name__ == 'DynamicLossScale'",
        "opt.loss_scale.__class__.__name__ in ('DynamicLossScale', 'FixedLossScale')",
    ],
)
def test_a_comparison_of_types_is_reported_in_migrated_code(test: str) -> None:
    check_left(f"{NEW}x = {test}\n", MESSAGE)


def test_a_kept_loss_scale_is_followed() -> None:
    check_left(f"{NEW}scale = opt.loss_scale\nx = isinstance(scale, D)\n", MESSAGE)


@pytest.mark.parametrize(
    "use",
    [
        "print(type(opt.loss_scale), opt.loss_scale.__class__.__name__)",
        "x = isinstance(opt.loss_scale, (int, float, tf.Tensor))",
        "x = type(opt).__name__ == 'LossScaleOptimizer'",
        "x = isinstance(scale, D)",
        "scale = opt.loss_scale\nx = scale() if isinstance(scale, D) else scale",
    ],
)
def test_new_code_that_is_right_has_no_finding(use: str) -> None:
    check_noop(f"{NEW}{use}\n")
