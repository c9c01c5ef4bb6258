# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left

OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"


@pytest.mark.parametrize(
    "comparison", [f"type(opt) == {OLD}", f"{OLD} is type(opt)", f"opt.__class__ is not {OLD}"]
)
def test_comparisons_are_never_true_today(comparison: str) -> None:
    check_left(f"import tensorflow as tf\nok = {comparison}\n", "never true")


def test_membership_is_left() -> None:
    check_left(f"import tensorflow as tf\nok = type(opt) in ({OLD},)\n", "LS205")
