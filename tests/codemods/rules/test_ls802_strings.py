# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_noop


@pytest.mark.parametrize(
    "code",
    [
        "mock.patch('tensorflow.keras.mixed_precision.experimental.set_policy')",
        "importlib.import_module('tensorflow.keras.mixed_precision.experimental')",
        "ok = opt.__class__.__name__ == 'LossScaleOptimizer'",
    ],
)
def test_strings_that_code_works_with(code: str) -> None:
    check_left(code + "\n", "LS802")


def test_strings_that_it_does_not() -> None:
    check_noop("name = 'LossScaleOptimizer'\n")
