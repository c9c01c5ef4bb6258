# SPDX-License-Identifier: Apache-2.0
"""The inner optimizer's own fixed loss scale, `loss_scale_factor`, beside the wrapper's.

The loss is scaled by both. The wrapper unscales both at once, so that gradients are unscaled when a
program looks at them, and the inner optimizer unscales nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def not_unscaling(optimizer: Any) -> Iterator[None]:
    """Keeps an optimizer, and those that a `MultiOptimizer` has, from unscaling gradients.

    Args:
        optimizer: The inner optimizer.
    """
    optimizers = [optimizer, *getattr(optimizer, "optimizers", ())]
    factors = [one.loss_scale_factor for one in optimizers]
    for one in optimizers:
        one.loss_scale_factor = None
    try:
        yield
    finally:
        for one, factor in zip(optimizers, factors, strict=True):
            one.loss_scale_factor = factor
