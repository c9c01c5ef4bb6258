# SPDX-License-Identifier: Apache-2.0
"""Text for terminals: names of files, and what files contain, can hold any character."""

from __future__ import annotations


def escaped(text: str, *, keep: str = "") -> str:
    """Returns text without characters that control a terminal, break lines or reorder text.

    Args:
        text: The text.
        keep: Such characters that may stay.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text
    )
