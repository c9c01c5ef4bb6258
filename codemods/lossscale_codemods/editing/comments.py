# SPDX-License-Identifier: Apache-2.0
"""Comments inside of what an edit replaces: they move to lines of their own above the statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.vocabulary.records import Edit
from lossscale_codemods.vocabulary.suppression import IS_OURS, comments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.syntax_tree import Tree


def kept_comments(tree: Tree, edits: Sequence[Edit]) -> list[Edit]:
    """Returns the edits that keep the comments which other edits take out.

    Args:
        tree: The file.
        edits: All edits of it.
    """
    replacing = [e for e in edits if b"#" in tree.text[e.start : e.end]]
    if not replacing:
        return []
    kept = []
    for comment in comments(tree.code):
        offset = tree.offset(comment.start[0], comment.start[1] + 1)
        edit = next((e for e in replacing if e.start <= offset < e.end), None)
        if edit is None or comment.string in edit.text or IS_OURS in comment.string:
            continue
        start = tree.line_start(_statement_start(tree, edit.start))
        line = f"{tree.indentation(start)}{comment.string}{tree.newline}"
        kept.append(Edit(start, start, line))
    return kept


def _statement_start(tree: Tree, offset: int) -> int:
    """Returns where the innermost statement around an offset starts."""
    statements = cst.SimpleStatementLine | cst.BaseCompoundStatement
    starts = [
        tree.span(node)[0]
        for node in tree.parents
        if isinstance(node, statements) and tree.span(node)[0] <= offset < tree.span(node)[1]
    ]
    return max(starts, default=offset)
