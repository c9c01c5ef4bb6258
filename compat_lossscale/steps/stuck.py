# SPDX-License-Identifier: Apache-2.0
"""The warning of a loss scale that has to move and cannot."""

from __future__ import annotations

import warnings

from compat_lossscale.errors import LossScaleStuckWarning

_STUCK = (
    "The loss scale has to move and cannot. At 1, the lowest it can be, the gradients still hold a "
    "NaN or an infinity: look for one in the input or the loss, or for a learning rate at which "
    "training diverges. Near 3.4e38, the highest, every gradient has been tiny for a long time: "
    "look whether the loss depends on the variables at all."
)


def warn_that_it_is_stuck() -> None:
    """Warns that the loss scale is as low or as high as it can be."""
    warnings.warn(_STUCK, LossScaleStuckWarning, stacklevel=3)
