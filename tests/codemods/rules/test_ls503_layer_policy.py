# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left


def test_calls_and_other_uses_are_reported() -> None:
    check_left(
        """
        from tensorflow.keras.mixed_precision.experimental import get_layer_policy
        a = get_layer_policy(model.layers[0]).compute_dtype
        b = map(get_layer_policy, layers)
        """,
        "an attribute now",
        "an attribute now",
        "line 2 still needs it",
    )
