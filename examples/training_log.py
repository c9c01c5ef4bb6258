# SPDX-License-Identifier: Apache-2.0
"""What a training program's log tells of its loss scale."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_FIELD = re.compile(r"(?<!\S)(step|loss|loss_scale) ([-+.\w]+)")
_EPOCH = re.compile(r"epoch (\d+) ")
_FINAL = re.compile(r"final test accuracy ([\d.]+) \((\d+) steps, ([\d.]+) s\)")


@dataclass(frozen=True)
class ScaleChange:
    """The loss scale from `step` on."""

    step: int
    scale: float


@dataclass
class Log:
    """What a training program printed, as far as the demo is interested."""

    path: list[ScaleChange] = field(default_factory=list)
    accuracy: float | None = None
    steps: int = 0
    seconds: float = 0.0

    def read(self, line: str) -> None:
        """Takes note of one more line."""
        final = _FINAL.match(line)
        if final:
            self.accuracy = float(final[1])
            self.steps = int(final[2])
            self.seconds = float(final[3])
        change = scale_in(line)
        if change and (not self.path or self.path[-1].scale != change.scale):
            self.path.append(change)


def scale_in(line: str) -> ScaleChange | None:
    """The step and the loss scale that a log line tells.

    >>> scale_in("step 120 loss 0.1234 loss_scale 65536")
    ScaleChange(step=120, scale=65536.0)
    """
    values = dict(_FIELD.findall(line))
    if "step" not in values or "loss_scale" not in values:
        return None
    return ScaleChange(int(values["step"]), float(values["loss_scale"]))


def format_path(scales: Sequence[float], first: int = 4, last: int = 2) -> str:
    """A loss scale's path in one line, with the middle of a long one left out.

    >>> format_path([32768, 65536, 32768])
    '32768 → 65536 → 32768'
    """
    shown = [f"{scale:.0f}" for scale in scales]
    if len(shown) > first + last + 1:
        shown[first:-last] = ["…"]
    return " → ".join(shown)


def count_changes(scales: Sequence[float]) -> tuple[int, int]:
    """How often the loss scale grew and how often it backed off."""
    pairs = list(itertools.pairwise(scales))
    return sum(b > a for a, b in pairs), sum(b < a for a, b in pairs)


class Condenser:
    """Chooses the log lines to show: the first changes of the loss scale and every fifth epoch."""

    def __init__(self, changes: int = 6, every: int = 5) -> None:
        self._changes_left = changes
        self._every = every
        self._last_scale: float | None = None

    def shows(self, line: str) -> bool:
        """Whether to show this line. To be asked about each line once, in order."""
        change = scale_in(line)
        changed = change is not None and change.scale != self._last_scale
        if change is not None:
            self._last_scale = change.scale
        epoch = _EPOCH.match(line)
        if epoch:
            return int(epoch[1]) % self._every == 0
        if change is None:
            return True
        if changed and self._changes_left > 0:
            self._changes_left -= 1
            return True
        return False
