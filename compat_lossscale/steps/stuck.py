# SPDX-License-Identifier: Apache-2.0
"""The warning and the error of a loss scale that has to move and cannot."""

from __future__ import annotations

import warnings

from compat_lossscale.errors import LossScaleStuckError, LossScaleStuckWarning
from compat_lossscale.steps.guards import frames_to_the_program

_STUCK = (
    "The loss scale has to move and cannot. At {floor:g}, the lowest it can be, the "
    "gradients still hold a NaN or an infinity: look for one in the input or the loss, or for a "
    "learning rate at which training diverges. Near 3.4e38, the highest, every gradient has been "
    "tiny for a long time: look whether the loss depends on the variables at all."
)
AT_FLOOR = (
    "The loss scale is at the floor of its rule and has to shrink: the gradients still hold a NaN "
    "or an infinity. Look for one in the input or the loss, or for a learning rate at which "
    'training diverges. To go on without an error, use a rule with on_floor="warn", or with more '
    "floor_steps."
)
"""What the error says, in functions too."""


def warn_that_it_is_stuck(floor: float = 1.0) -> None:
    """Warns that the loss scale is as low as `floor`, or as high as it can be."""
    warnings.warn(_STUCK.format(floor=floor), LossScaleStuckWarning, stacklevel=3)


def warn_that_it_starts_again(scale: float, initial: float) -> None:
    """Warns that the loss scale was of no use, `scale`, and starts again at `initial`."""
    warnings.warn(
        f"The loss scale is {scale:g}, with which nothing can be trained: it must be positive and "
        f"finite. It starts again at its initial value, {initial:g}.",
        LossScaleStuckWarning,
        stacklevel=frames_to_the_program(),
    )


def refuse_to_go_on() -> None:
    """Raises the error for a loss scale at its floor.

    Raises:
        LossScaleStuckError: Always.
    """
    raise LossScaleStuckError(AT_FLOOR)
