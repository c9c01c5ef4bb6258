# SPDX-License-Identifier: Apache-2.0
"""Branches for old versions stay, and are reported as collapsible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import libcst as cst

from lossscale_codemods.domain import Guard, Occurrence, Program, version_guards
from lossscale_codemods.rules.base import FirstChange, Found, Review, Rule
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.records import Edit

_MISTAKEN = Review(
    "current versions run the branch that seems to be for old ones",
    "Compare versions as numbers: as strings, `2.21` is below `2.4`. Then remove the branch that "
    "no version runs.",
)

_ADVICE = (
    "Take out the branch for old versions, {}, if TensorFlow 2.4 is the oldest that you support."
)
_ADVICE_ALONE = (
    "Do the same with the new names in newer versions, then take out the branch for old ones."
)


class Guards(Rule):
    """Keeps other rules from branches for old versions, and takes these out if asked to."""

    id = "LS701"
    title = "Branches for old versions"
    targets = frozenset(Target)

    def find(self, program: Program) -> Iterator[Found]:
        """Yields conditions that take versions of today for old ones."""
        old = [*program.references, *program.imports]
        guards = (program.reachability.mistaken_guard_of(one.node) for one in old)
        for guard in dict.fromkeys(guards):
            if guard is not None:
                yield self.found(getattr(guard, "test", guard), program, _MISTAKEN)

    def protect(
        self, program: Program, occurrences: Sequence[Occurrence]
    ) -> Mapping[Occurrence, Review]:
        """Returns what is in branches for old versions."""
        guarded = version_guards.guarded(program, occurrences)
        return {one: _review(guard, program) for one, guard in guarded.items()}

    def first_changes(
        self, program: Program, occurrences: Callable[[], Sequence[Occurrence]]
    ) -> Iterator[FirstChange]:
        """Yields the branches that can be taken out, if the run asks for that."""
        if not program.options.collapse_guards:
            return
        for guard in version_guards.collapsible(program, occurrences()):
            gone = version_guards.gone_with(program, guard, occurrences())
            message = "taken out with the branch for old versions"
            yield FirstChange([*_collapse_edits(program, guard)], message, gone)


def _review(guard: Guard, program: Program) -> Review:
    """Says why an occurrence in a branch for old versions is left."""
    whole = guard.node
    above = program.tree.parent(whole)
    while isinstance(above, cst.If) and above.orelse is whole:  # An `elif` is of one guard.
        whole, above = above, program.tree.parent(above)
    message = f"it is the branch for old versions of the guard on line {program.line(guard.node)}"
    if guard.alone:
        message += ", and nothing takes its place in newer ones, so that these run without it"
        return Review(message, _ADVICE_ALONE, cause=whole)
    if not version_guards.can_go(program, guard):
        return Review(message, _ADVICE.format("by hand"), for_older_versions=True, cause=whole)
    message += ", which can be collapsed to the new branch"
    advice = _ADVICE.format("by hand or with --collapse-guards")
    return Review(message, advice, for_older_versions=True, cause=whole)


def _collapse_edits(program: Program, guard: Guard) -> Iterator[Edit]:
    """Yields the edits that leave one side of a guard, and put it in the place of the guard."""
    tree = program.tree
    if isinstance(guard.node, cst.IfExp) and isinstance(guard.new, cst.BaseExpression):
        (start, end), (new_start, new_end) = map(tree.full_span, (guard.node, guard.new))
        yield from (Edit(start, new_start, ""), Edit(new_end, end, ""))
        return
    start = tree.span(guard.node)[0]
    end = tree.line_end(max(tree.span(guard.node)[1] - 1, start))
    statements: Sequence[cst.CSTNode] = getattr(guard.new, "body", ())
    first, last = tree.span(statements[0])[0], tree.span(statements[-1])[1]
    left, right = tree.line_start(first), tree.line_end(max(last - 1, first))
    while left > 0:  # Comments above the first statement belong to it.
        above = tree.line_start(left - 1)
        if not tree.text[above:left].strip().startswith(b"#"):
            break
        left = above
    indent, block = tree.indentation(start), guard.new
    comment = block.header.comment if isinstance(block, cst.IndentedBlock) else None
    lead = f"{indent}{comment.value}{tree.newline}" if comment is not None else ""
    yield Edit(tree.line_start(start), left, lead)
    lines = tree.text[left:right].splitlines(keepends=True)
    deeper = min(len(line) - len(line.lstrip(b" \t")) for line in lines if line.strip())
    for line in lines:
        if line.strip():
            yield Edit(left, left + deeper, indent)
        left += len(line)
    yield Edit(right, end, "")
