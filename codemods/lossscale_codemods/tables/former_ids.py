# SPDX-License-Identifier: Apache-2.0
"""Ids of rules that are a part of another rule now: they stand for that one wherever ids do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMER_IDS: Final = {
    "LS202": "LS201",
    "LS304": "LS311",
    "LS312": "LS311",
    "LS313": "LS311",
    "LS314": "LS311",
    "LS315": "LS311",
    "LS316": "LS311",
    "LS402": "LS401",
    "LS503": "LS501",
}


def stands_for(ids: Sequence[str], rule: str) -> bool:
    """Whether a rule is named: by its id, the beginning of its id, or a former id.

    Args:
        ids: What is written.
        rule: The id of the rule.
    """
    return rule.startswith(tuple(ids)) or any(FORMER_IDS.get(one) == rule for one in ids)
