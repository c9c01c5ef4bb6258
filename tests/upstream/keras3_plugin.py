# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that puts this package's LossScaleOptimizer in place of Keras 3's own.

Keras' wheel has its tests in it. `keras3.py` runs them with and without this plugin.
"""

from __future__ import annotations

import sys

import keras

from compat_lossscale.keras3 import LossScaleOptimizer

_stock = keras.optimizers.LossScaleOptimizer
for _module in [one for name, one in sys.modules.items() if name.startswith("keras")]:
    if vars(_module).get("LossScaleOptimizer") is _stock:
        _module.LossScaleOptimizer = LossScaleOptimizer  # type: ignore[attr-defined]  # patched
