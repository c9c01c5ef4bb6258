# SPDX-License-Identifier: Apache-2.0
"""Diffs in the documentation's console blocks have colours, and other output has none."""

from __future__ import annotations

from pygments.token import Generic, Token

from docs.console_lexer import ConsoleLexer

SESSION = """\
$ compat-lossscale migrate a.py
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
 import x
-old
+new

1 occurrence: nothing was written.
- no diff
$ echo -n
+ no diff
"""


def test_lines_of_a_diff_have_colours() -> None:
    tokens = [
        (token, value.rstrip("\n"))
        for token, value in ConsoleLexer().get_tokens(SESSION)
        if token in Token.Generic and token is not Generic.Prompt
    ]
    assert tokens == [
        (Generic.Heading, "--- a/a.py"),
        (Generic.Heading, "+++ b/a.py"),
        (Generic.Subheading, "@@ -1,2 +1,2 @@"),
        (Generic.Output, " import x"),
        (Generic.Deleted, "-old"),
        (Generic.Inserted, "+new"),
        (Generic.Output, ""),
        (Generic.Output, "1 occurrence: nothing was written."),
        (Generic.Output, "- no diff"),
        (Generic.Output, "+ no diff"),
    ]
