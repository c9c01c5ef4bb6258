# SPDX-License-Identifier: Apache-2.0
"""What Keras 3's own LossScaleOptimizer does otherwise, for programs that get nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.rules.base import Review

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lossscale_codemods.rules.base import Rewrite

OTHER_LOSS_SCALE = (
    "Keras 3's own loss scale has no floor and no cap, and `iterations` does not count steps that "
    "are skipped"
)
WITHOUT_FLOOR = Review(
    OTHER_LOSS_SCALE,
    "Use it with --unsafe-fixes, if the model trains as well; or do without --no-dependency.",
)
NOT_FIXED = Review(
    "Keras 3's own LossScaleOptimizer takes no `dynamic`, and has no fixed loss scale",
    "Give the wrapped optimizer `loss_scale_factor`, and leave out the wrapper; or do without "
    "--no-dependency.",
)


def stock_constructor(arguments: Iterable[str], made: Rewrite) -> Review:
    """Returns what to say of a constructor of Keras 3's own class.

    Args:
        arguments: The arguments that say the loss scale, as source.
        made: What writes the constructor.
    """
    if any(text.startswith(("dynamic=", "**")) for text in arguments):
        return NOT_FIXED
    return Review(WITHOUT_FLOOR.message, WITHOUT_FLOOR.advice, unsafe_fix=made)
