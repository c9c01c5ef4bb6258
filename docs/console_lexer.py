# SPDX-License-Identifier: Apache-2.0
"""Colours for the diffs that commands print, in the documentation's blocks of console output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pygments.lexers.shell import BashSessionLexer
from pygments.token import Generic

_COLOURS = {"+": Generic.Inserted, "-": Generic.Deleted, "@": Generic.Subheading}
_HEADERS = ("--- ", "+++ ")


class ConsoleLexer(BashSessionLexer):  # type: ignore[misc]  # Pygments has no types
    """A session in a shell, in which diffs have colours."""

    name = "Console with diffs"
    aliases = ("console",)

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Yields tokens: of output, a whole line each."""
        in_diff = False
        for index, token, value in super().get_tokens_unprocessed(text):
            if token is not Generic.Output:
                in_diff = False
                yield index, token, value
                continue
            in_diff = value.startswith("@@ ") or (in_diff and value[:1] in "+- \\\n")
            if value.startswith(_HEADERS):
                yield index, Generic.Heading, value
            elif in_diff:
                yield index, _COLOURS.get(value[:1], token), value
            else:
                yield index, token, value
