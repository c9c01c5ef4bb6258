# SPDX-License-Identifier: Apache-2.0
"""Keras' own class goes wrong as the documentation says, and this package's does not.

Where the test of Keras' own fails, Keras has changed: see what it does now, and say it in
`defects.py` and on docs/keras3.md.
"""

from __future__ import annotations

import keras
import pytest

from compat_lossscale.keras3 import LossScaleOptimizer
from tests.keras3.defects import DEFECTS, RECORDED_WITH, TABLE, Defect, Stock, table
from tests.keras3.stepping import BACKEND

HERE = [one for one in DEFECTS if BACKEND in one.backends]
each_defect = pytest.mark.parametrize(
    "defect",
    [
        pytest.param(one, id=one.case, marks=[pytest.mark.nightly] if one.takes_long else [])
        for one in HERE
    ],
)
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.skipif(
    tuple(map(int, keras.__version__.split(".")[:2])) < RECORDED_WITH,
    reason="Keras' own class had other defects before: see the release notes of Keras",
)
@each_defect
def test_keras_own_class_still_does_what_is_recorded(defect: Defect) -> None:
    assert defect.observe(Stock) == defect.stock_gives


@each_defect
def test_this_class_does_what_is_wanted(defect: Defect) -> None:
    assert defect.observe(LossScaleOptimizer) == defect.ours_gives


def test_the_documentation_has_the_table() -> None:
    assert TABLE.read_text(encoding="utf-8") == table(), "run python -m tests.keras3.defects"
