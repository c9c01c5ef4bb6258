# SPDX-License-Identifier: Apache-2.0
"""How old names look in prose: in comments, docstrings and other strings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_IN_TEXT = (
    (r"mixed_precision\s*(?:\.\s*|\s+import\s+)experimental", r"\b[\w.]*"),
    (r"train\.experimental\.\w*(?:LossScale|mixed_precision)", r"\w*"),
    (r"contrib\.mixed_precision", r"\b[\w.]*"),
    (r"enable_mixed_precision_graph_rewrite", r"\b"),
    (r"FixedLossScale", r"\b"),
    (r"DynamicLossScale", r"\b"),
)
_OLD_IN_TEXT = re.compile("|".join(rf"[\w.]*\b{old}{rest}" for old, rest in _IN_TEXT))
_SIGNS_OF_OLD = tuple(re.compile(old) for old, _ in _IN_TEXT)


def may_mention_old_name(text: str) -> bool:
    """Whether there may be an old name in a text, such as a comment; quick to tell."""
    return any(sign.search(text) for sign in _SIGNS_OF_OLD)


def mentions_of_old_names(text: str) -> Iterator[re.Match[str]]:
    """Yields the places in a comment or a string at which an old name occurs."""
    return _OLD_IN_TEXT.finditer(text) if may_mention_old_name(text) else iter(())
