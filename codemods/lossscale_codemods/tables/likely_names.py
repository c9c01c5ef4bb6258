# SPDX-License-Identifier: Apache-2.0
"""Text and dotted names that read like old names, where it is not known what they stand for."""

from __future__ import annotations

import re

from lossscale_codemods.tables.names import CONTRIB_MEMBERS, lookup

_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")


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
