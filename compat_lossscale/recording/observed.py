# SPDX-License-Identifier: Apache-2.0
"""What came by at places of a program in a recorded run: a table from places to kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

ObservedKinds = dict[str, dict[int, dict[str, tuple[str, int]]]]
"""By the file, the line, and what was done there: the one kind that came by, and how often.

What was done is `loss_scale` or `lr` for an attribute of that name, `made` or `wrapped` for a
constructor of an optimizer without or with a loss scale, `scale` for the loss scale that it was
made with, `compile` for a model, and `policy`. The kind is a module and a class, such as
`tensorflow.python.training.momentum.MomentumOptimizer`, and for a loss scale its numbers; of a
policy it is its name and its loss scale. A place where kinds mixed is not in the table.
"""


def observed_kinds(lines: Iterable[Mapping[str, Any]]) -> ObservedKinds:
    """Returns the table of a recording.

    Args:
        lines: The lines of kind `observed` in it.
    """
    kinds: dict[tuple[str, int, str], dict[str, int]] = {}
    for file, line, what, kind, times in (row for one in lines for row in one["places"]):
        seen = kinds.setdefault((file, line, what), {})
        seen[kind] = seen.get(kind, 0) + times
    found: ObservedKinds = {}
    for (file, line, what), seen in kinds.items():
        if len(seen) == 1:
            ((kind, times),) = seen.items()
            found.setdefault(file, {}).setdefault(line, {})[what] = (kind, times)
    return found
