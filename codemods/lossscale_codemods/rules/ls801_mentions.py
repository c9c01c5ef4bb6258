# SPDX-License-Identifier: Apache-2.0
"""Old names in comments, docstrings and strings are listed, and never edited.

Prose can mention an old version on purpose. A mention needs no action and does not change the exit
code. For strings that are part of the program, see LS802.
"""

from __future__ import annotations

import ast
import tokenize
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.approximate_names import CannotTellError
from lossscale_codemods.analysis.decoding import text_of
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.rules.base import Case, Rule
from lossscale_codemods.rules.shared.string_tokens import fields_blanked
from lossscale_codemods.vocabulary import mentions
from lossscale_codemods.vocabulary.names import HELPER, Target
from lossscale_codemods.vocabulary.records import Outcome, Record
from lossscale_codemods.vocabulary.suppression import IS_OURS, comments

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.analysis.scanned_source import ScannedSource

_COMMENT, _DOCSTRING, _STRING = "a comment", "a docstring", "a string"
_PARTS = {getattr(tokenize, name, None) for name in ("FSTRING_MIDDLE", "TSTRING_MIDDLE")}
"""Tokens of Python 3.12 and later; before, an f-string is one token."""


class Mentions(Rule):
    """Lists what comments and prose say."""

    id = "LS801"
    title = "Comments and strings"
    targets = frozenset(Target)
    not_handled = "Nothing is edited. What a mention says has to be judged by whoever wrote it."
    valid = (Case("# opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'd')\n"),)

    def can_fire(self, source: ScannedSource) -> bool:
        """Never: `scan_mentions` needs no full parse."""
        del source
        return False

    def mentions(self, program: Program) -> Iterator[Record]:
        """Yields a record for each old name in a comment or a string that no rule decides."""
        tree = program.tree
        decided = program.decided_strings | {
            o.node for o in program.references if isinstance(o.node, cst.SimpleString)
        }
        for comment in comments(text_of(program.source)):
            yield from self._in_comment(comment)
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

    def scan_mentions(self, source: ScannedSource) -> Iterator[Record]:
        """Yields the same from Python's own tokens."""
        if not mentions.may_mention_old_name(source.text):
            return
        if HELPER in source.text:
            raise CannotTellError
        lines = source.text.split("\n")
        docstrings = {
            (value.lineno, value.col_offset, value.end_lineno, value.end_col_offset)
            for node in source.nodes.of(ast.Expr)
            if isinstance(value := node.value, ast.Constant)
        }
        for token in source.tokens:
            if token.type == tokenize.COMMENT:
                yield from self._in_comment(token)
            elif token.type == tokenize.STRING:
                yield from self._in_string(token, lines, docstrings)
            elif token.type in _PARTS:
                yield from self._in_part(token, lines)

    def _in_comment(self, comment: tokenize.TokenInfo) -> Iterator[Record]:
        if IS_OURS not in comment.string:
            yield from self._records(comment.string, comment.start, _COMMENT)

    def _in_string(
        self,
        token: tokenize.TokenInfo,
        lines: Sequence[str],
        docstrings: Collection[tuple[int | None, ...]],
    ) -> Iterator[Record]:
        raw = token.string
        if not mentions.may_mention_old_name(raw):
            return
        if "f" in raw[: raw.index(raw[-1])].lower():
            yield from self._records(fields_blanked(raw), token.start, _STRING)
            return
        (first, start), (last, end) = token.start, token.end
        span = (first, _bytes(lines[first - 1], start), last, _bytes(lines[last - 1], end))
        yield from self._records(raw, token.start, _DOCSTRING if span in docstrings else _STRING)

    def _in_part(self, token: tokenize.TokenInfo, lines: Sequence[str]) -> Iterator[Record]:
        """Yields a record for each old name in the text between two fields of an f-string."""
        if mentions.may_mention_old_name(token.string):
            (first, start), (last, end) = token.start, token.end
            # Braces that stand for themselves make a token shorter than its text.
            if first != last or lines[first - 1][start:end] != token.string:
                raise CannotTellError
            yield from self._records(token.string, token.start, _STRING)

    def _records(self, text: str, start: tuple[int, int], kind: str) -> Iterator[Record]:
        for match in mentions.mentions_of_old_names(text):
            before = text[: match.start()]
            newlines = before.count("\n")
            column = match.start() - before.rfind("\n") + (0 if newlines else start[1])
            yield self._record(start[0] + newlines, column, match.group(), kind)

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


def _bytes(line: str, column: int) -> int:
    """Returns how many bytes of UTF-8 are before a column, as syntax trees count."""
    return len(line[:column].encode())


def _is_in_helper(program: Program, node: cst.CSTNode) -> bool:
    """Whether a string is in the function that an earlier run added."""
    return any(
        isinstance(above, cst.FunctionDef) and above.name.value.rstrip("_") == HELPER
        for above in program.tree.ancestors(node)
    )
