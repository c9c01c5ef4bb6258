# SPDX-License-Identifier: Apache-2.0
"""Reports for people: HTML pages, and text that is safe in a terminal.

Each page is one file that loads nothing, and is complete without its script. The reports show the
content of other people's files. Every text is escaped when it is added to the page. In case that
fails, a content security policy allows no script but the page's own.
"""

from __future__ import annotations


def escaped(text: str, *, keep: str = "") -> str:
    """Returns text without characters that control a terminal, break lines or reorder text.

    Names of files, and what files contain, can hold any character.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text
    )
