# SPDX-License-Identifier: Apache-2.0
"""This package's classes under the names that tf-keras' private module has for its own."""

from __future__ import annotations

import compat_lossscale
from compat_lossscale.optimizers import base, stock

BaseLossScaleOptimizer = compat_lossscale.LossScaleOptimizer
LossScaleOptimizer = base.joined(BaseLossScaleOptimizer, base.FRONT_ENDS[stock.OptimizerV2])
LossScaleOptimizerV3 = base.joined(BaseLossScaleOptimizer, base.FRONT_ENDS[stock.Optimizer])
