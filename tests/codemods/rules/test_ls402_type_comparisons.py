# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_transformed

OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"type(opt) == {OLD}", f"isinstance(opt, {NEW})"),
        (f"type(opt) is {OLD}", f"isinstance(opt, {NEW})"),
        (f"{OLD} is type(opt)", f"isinstance(opt, {NEW})"),
        (f"type(opt) != {OLD}", f"not isinstance(opt, {NEW})"),
        (f"opt.__class__ is not {OLD}", f"not isinstance(opt, {NEW})"),
        (f"a and (type(f(x)) == {OLD})", f"a and (isinstance(f(x), {NEW}))"),
    ],
)
def test_comparisons(before: str, after: str) -> None:
    check_transformed(
        f"import tensorflow as tf\nok = {before}\n", f"import tensorflow as tf\nok = {after}\n"
    )


def test_membership_is_left() -> None:
    check_left(f"import tensorflow as tf\nok = type(opt) in ({OLD},)\n", "LS205")
