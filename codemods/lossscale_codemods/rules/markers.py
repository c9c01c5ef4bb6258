# SPDX-License-Identifier: Apache-2.0
"""Words that a file must have in its bytes, or no rule can find anything in it."""

from __future__ import annotations

import dataclasses
import re

_ANYTHING = (b"",)


@dataclasses.dataclass(frozen=True)
class Marker:
    """A word, one of its companions, and what may stand next to it.

    Attributes:
        word: What a file has somewhere in it.
        companions: What it has somewhere as well: one of these is enough.
        pattern: How the word is written there. Others have it in them too: `auto_mixed_precision`.
    """

    word: bytes
    companions: tuple[bytes, ...] = _ANYTHING
    pattern: re.Pattern[bytes] | None = None

    def stands_in(self, source: bytes) -> bool:
        """Whether a file that has the word has the rest of the marker."""
        return any(companion in source for companion in self.companions) and (
            self.pattern is None or self.pattern.search(source) is not None
        )


LOSS_SCALE_PATTERN = re.compile(rb"loss_scale(?:_optimizer|_manager)?(?!\w)")
OPTIMIZER = Marker(b"LossScale")
# Also where TensorFlow is not named: other files can hand over a loss-scale optimizer.
LOSS_SCALE = Marker(b"loss_scale", pattern=LOSS_SCALE_PATTERN)
# What is in front is not told from an escape's letter: "\\nmixed_precision".
MIXED_PRECISION = Marker(
    b"mixed_precision",
    (b"experimental", b"contrib", b"graph_rewrite"),
    re.compile(
        rb"(?<!_)mixed_precision(?!\w)"
        rb"|_mixed_precision_graph_rewrite(?:_v1)?(?!\w)"
        rb"|train\.experimental\.\w*mixed_precision"
    ),
)
OLD_NAMES = (OPTIMIZER, MIXED_PRECISION, LOSS_SCALE)
"""The markers of old names."""
