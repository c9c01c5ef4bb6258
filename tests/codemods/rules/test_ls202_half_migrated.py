# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_noop, check_transformed

HEAD = "import tensorflow as tf\n"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("opt, 'dynamic'", "opt"),
        ("opt, loss_scale='dynamic'", "opt"),
        ("opt, loss_scale=8", "opt, dynamic=False, initial_scale=8"),
        ("optimizer=opt, loss_scale=8", "inner_optimizer=opt, dynamic=False, initial_scale=8"),
        ("opt, tf.mixed_precision.experimental.DynamicLossScale(8)", "opt, initial_scale=8"),
    ],
)
def test_what_can_only_be_the_old_argument(before: str, after: str) -> None:
    check_transformed(f"{HEAD}opt = {NEW}({before})\n", f"{HEAD}opt = {NEW}({after})\n")


@pytest.mark.parametrize(
    "arguments",
    ["opt", "opt, False, 128", "opt, True", "opt, dynamic=False, initial_scale=8", "o, d"],
)
def test_the_new_api(arguments: str) -> None:
    check_noop(f"{HEAD}opt = {NEW}({arguments})\n")


def test_what_can_be_either() -> None:
    check_left(f"{HEAD}opt = {NEW}(opt, 128)\n", "Keras 3")
    check_left(f"{HEAD}def f(opt, loss_scale):\n    return {NEW}(opt, loss_scale)\n", "Keras 3")


def test_a_test_that_expects_the_error_is_left() -> None:
    for expectation in (
        "pytest.raises(TypeError)",
        "self.assertRaisesRegex(TypeError, 'must be a bool')",
        "self.assertRaises(TypeError) as error",
    ):
        check_left(
            f"{HEAD}def test_error(self, opt):\n    with {expectation}:\n"
            f"        {NEW}(opt, 'dynamic')\n",
            "expects an error",
        )
    check_transformed(
        f"{HEAD}with strategy.scope():\n    opt = {NEW}(opt, 'dynamic')\n",
        f"{HEAD}with strategy.scope():\n    opt = {NEW}(opt)\n",
    )
