# SPDX-License-Identifier: Apache-2.0
"""For test suites: whether two configs have the same meaning, or two optimizers behave the same."""

from compat_lossscale.equivalence.configs import configs_equivalent, convert_config
from compat_lossscale.equivalence.optimizers import (
    Comparison,
    StockOutcome,
    assert_equivalent,
    compare_with_stock,
)

__all__ = [
    "Comparison",
    "StockOutcome",
    "assert_equivalent",
    "compare_with_stock",
    "configs_equivalent",
    "convert_config",
]
