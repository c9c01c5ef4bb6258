# SPDX-License-Identifier: Apache-2.0
"""Old names in comments, docstrings and strings are listed, and never edited.

Prose can mention an old version on purpose. A mention needs no action and does not change the exit
code. For strings that are part of the program, see LS802.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.decoding import text_of
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.rules.base import Case, Rule
from lossscale_codemods.vocabulary import mentions
from lossscale_codemods.vocabulary.names import HELPER, Target
from lossscale_codemods.vocabulary.records import Outcome, Record
from lossscale_codemods.vocabulary.suppression import IS_OURS, comments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_COMMENT, _DOCSTRING, _STRING = "a comment", "a docstring", "a string"


class Mentions(Rule):
    """Lists what comments and prose say."""

    id = "LS801"
    title = "Comments and strings"
    targets = frozenset(Target)
    not_handled = "Nothing is edited. What a mention says has to be judged by whoever wrote it."
    valid = (Case("# opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'd')\n"),)

    def mentions(self, program: Program) -> Iterator[Record]:
        """Yields a record for each old name in a comment or a string that no rule decides."""
        tree = program.tree
        decided = program.decided_strings | {
            o.node for o in program.references if isinstance(o.node, cst.SimpleString)
        }
        for comment in comments(text_of(program.source)):
            if IS_OURS not in comment.string:
                line, column = comment.start
                for match in mentions.mentions_of_old_names(comment.string):
                    yield self._record(line, column + match.start() + 1, match.group(), _COMMENT)
        for node in list(tree.parents):
            if not isinstance(node, cst.SimpleString | cst.FormattedStringText) or node in decided:
                continue
            mentioned = list(mentions.mentions_of_old_names(node.value))
            if mentioned and _is_in_helper(program, node):
                continue
            kind = _DOCSTRING if isinstance(tree.parent(node), cst.Expr) else _STRING
            for match in mentioned:
                before = len(node.value[: match.start()].encode())
                place = tree.position(tree.span(node)[0] + before)
                yield self._record(*place, match.group(), kind)

    def _record(self, line: int, column: int, name: str, kind: str) -> Record:
        return Record(
            rule=self.id,
            outcome=Outcome.MENTIONED,
            line=line,
            column=column,
            name=name,
            message=f"is in {kind}, which is never edited",
            end_line=line,
            end_column=column + len(name),
        )


def _is_in_helper(program: Program, node: cst.CSTNode) -> bool:
    """Whether a string is in the function that an earlier run added."""
    return any(
        isinstance(above, cst.FunctionDef) and above.name.value.rstrip("_") == HELPER
        for above in program.tree.ancestors(node)
    )
