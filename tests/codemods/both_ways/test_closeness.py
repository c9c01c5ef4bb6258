# SPDX-License-Identifier: Apache-2.0
"""Texts and values are close if they differ by rounding alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.codemods.both_ways.closeness import is_close


@pytest.mark.parametrize(
    ("one", "other", "close"),
    [
        ("loss 0.7500001", "loss 0.75", True),
        ("loss 0.7534", "loss 0.7530", False),
        ("scale 32768.0", "scale 16384.0", False),
        ("step 3", "step 4", False),
        ("3 steps", "3.0 steps", False),
        ("nan", "0.5", False),
        ("loss 0.5", "losses 0.5", False),
        ({"a": [0.5, 1]}, {"a": [0.5000001, 1]}, True),
        ({"a": [0.5, 1]}, {"a": [0.5, 2]}, False),
        ("<keras.src.optimizers.sgd.SGD object at 0x>", "<SGD name=SGD, built=True>", True),
        ("1e-05", "1.00001e-05", True),
    ],
)
def test_closeness(one: Any, other: Any, close: bool) -> None:
    assert is_close(one, other) is close
