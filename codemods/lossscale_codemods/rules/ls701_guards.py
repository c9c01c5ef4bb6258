# SPDX-License-Identifier: Apache-2.0
"""Branches for old versions stay, and are reported as collapsible.

Code that tests the version, catches ImportError, or calls hasattr before it uses an old name
already works before and after TensorFlow 2.4. `--collapse-guards` removes the old branches.

The codemod evaluates conditions as the program does. `tf.__version__ < "2.4"` compares strings, and
`"2.21.0" < "2.4"` is true, so current versions of TensorFlow run the branch. In that case the
codemod migrates the branch and reports the condition.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from lossscale_codemods.analysis import version_guards
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.rules.base import Case, Removal, Review, Rule, Verdict
from lossscale_codemods.vocabulary.names import Target
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lossscale_codemods.analysis.guard_parts import Guard
    from lossscale_codemods.analysis.program import Program


_MISTAKEN = Review(
    "current versions run the branch that seems to be for old ones",
    "Compare versions as numbers: as strings, `2.21` is below `2.4`. Then remove the branch that "
    "no version runs.",
)


class Guards(Rule):
    """Keeps other rules from branches for old versions, and takes these out if asked to."""

    id = "LS701"
    title = "Branches for old versions"
    shows_whole = True
    targets = frozenset(Target)
    valid = (
        Case(
            "import tensorflow as tf\n"
            "if tuple(map(int, tf.__version__.split('.')[:2])) >= (2, 4):\n"
            "    tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
            "else:\n"
            "    tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n",
            review="can be collapsed",
        ),
        Case(
            "try:\n"
            "    from tensorflow.keras.mixed_precision import LossScaleOptimizer\n"
            "except ImportError:\n"
            "    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer\n",
            review="can be collapsed",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields conditions that take versions of today for old ones."""
        old = [*program.references, *program.imports]
        for guard in version_guards.mistaken(program, old):
            node = getattr(guard, "test", guard)
            yield Occurrence(node, program.tree.span(node), Role.DOUBTFUL, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports them."""
        del program
        return _MISTAKEN if occurrence.rule == self.id else None

    def protect(
        self, program: Program, occurrences: Sequence[Occurrence]
    ) -> Mapping[Occurrence, Review]:
        """Returns what is in branches for old versions."""
        guarded = version_guards.guarded(program, occurrences)
        return {
            one: Review(why.message, why.advice, yields=not why.sure, for_older_versions=why.sure)
            for one, why in guarded.items()
        }

    def removals(self, program: Program, occurrences: Sequence[Occurrence]) -> Iterator[Removal]:
        """Yields the branches that can be taken out."""
        for guard in version_guards.collapsible(program, occurrences):
            edit, kept = _collapse_edit(program, guard)
            gone = version_guards.gone_with(program, guard, occurrences)
            message = "taken out with the branch for old versions"
            yield Removal(edit, kept, guard.node, message, gone)


def _collapse_edit(program: Program, guard: Guard) -> tuple[Edit, list[tuple[int, int]]]:
    """Returns the edit, and where each part of its text starts in it and was before."""
    tree = program.tree
    if isinstance(guard.node, cst.IfExp) and isinstance(guard.new, cst.BaseExpression):
        start, end = tree.full_span(guard.node)
        return Edit(start, end, tree.source(guard.new)), [(0, tree.full_span(guard.new)[0])]
    start = tree.span(guard.node)[0]
    end = tree.line_end(max(tree.span(guard.node)[1] - 1, start))
    body: Sequence[cst.CSTNode] = getattr(guard.new, "body", ())
    statements = list(body)
    first, last = tree.span(statements[0])[0], tree.span(statements[-1])[1]
    left = tree.line_start(first)
    while left > 0:  # Comments above the first statement belong to it.
        above = tree.line_start(left - 1)
        if not tree.text[above:left].strip().startswith(b"#"):
            break
        left = above
    lines = tree.slice((left, tree.line_end(max(last - 1, first))))
    indent = tree.indentation(start)
    newline = tree.newline
    text = textwrap.dedent(lines.replace(newline, "\n")).rstrip("\n")
    moved = [indent + line + newline if line else newline for line in text.split("\n")]
    comment = _header_comment(guard.new)
    lead = f"{indent}{comment.value}{newline}" if comment is not None else ""
    kept = [(0, tree.span(comment)[0])] if comment is not None else []
    new = _size(lead)
    for before, after in zip(lines.splitlines(keepends=True), moved, strict=False):
        kept.append((new, left + _size(before) - _size(after)))
        new, left = new + _size(after), left + _size(before)
    return Edit(tree.line_start(start), end, "".join([lead, *moved])), kept


def _header_comment(block: cst.CSTNode | None) -> cst.Comment | None:
    """Returns the comment behind the colon in front of a block."""
    return block.header.comment if isinstance(block, cst.IndentedBlock) else None


def _size(text: str) -> int:
    return len(text.encode())
