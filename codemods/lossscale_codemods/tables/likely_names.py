# SPDX-License-Identifier: Apache-2.0
"""What reads like an old name, where it is not known what it stands for: dotted names and prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lossscale_codemods.tables.names import CONTRIB_MEMBERS, lookup

_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
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


def is_old_path(text: str) -> bool:
    """Whether a string is the path of an old name, or of a member of one, and nothing else.

    A colon can stand before the member, as in `pkgutil.resolve_name("package.module:member")`.
    """
    text = text.replace(":", ".", 1)
    if not _PATH.fullmatch(text):
        return False
    return lookup(text) is not None or lookup(text.rpartition(".")[0]) is not None


def is_unresolved_old_name(suffix: str) -> bool:
    """Whether a dotted name would be an old one if its root were TensorFlow."""
    return bool(
        re.search(
            r"(?:^|\.)keras\.mixed_precision\.experimental(?:\.|$)"
            r"|(?:^|\.)train\.experimental\.(?:\w*LossScale\w*|\w+_mixed_precision_graph_rewrite)$"
            r"|(?:^|\.)mixed_precision\.experimental\.\w*(?:LossScale|[pP]olicy)\w*$"
            r"|\.experimental\.(?:set_policy|get_layer_policy|\w*LossScale\w*)$",
            suffix,
        )
    )


def is_lazy_contrib_name(function: str, member: str) -> bool:
    """Whether a member of what a function returns reads like one of contrib's names."""
    if member not in CONTRIB_MEMBERS or not function.endswith("mixed_precision"):
        return False
    return member.endswith("Manager") or "contrib" in function


def may_mention_old_name(text: str) -> bool:
    """Whether there may be an old name in a text, such as a comment; quick to tell."""
    return any(sign.search(text) for sign in _SIGNS_OF_OLD)


def mentions_of_old_names(text: str) -> Iterator[re.Match[str]]:
    """Yields the places in a comment or a string at which an old name occurs."""
    return _OLD_IN_TEXT.finditer(text) if may_mention_old_name(text) else iter(())
