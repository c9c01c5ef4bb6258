# SPDX-License-Identifier: Apache-2.0
"""Takes out branches for old versions, where `--collapse-guards` asks for it.

The branch for new versions moves to where the whole statement stood; its comments come along.
"""

from __future__ import annotations

import dataclasses
import textwrap
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.analysis import version_guards
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.editing.edits import apply_edits
from lossscale_codemods.editing.position_mapping import Origins
from lossscale_codemods.rewriting.recording import GUARDS
from lossscale_codemods.vocabulary.records import Edit, Outcome, Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.name_resolution import RelativeImports


@dataclasses.dataclass
class Collapsed:
    """A file without the branches for old versions that could be taken out.

    Attributes:
        program: What is left; the program as it was if there were none.
        records: One for each, as the file is.
        origins: Where what is left stands in the file.
    """

    program: Program
    records: list[Record] = dataclasses.field(default_factory=list)
    origins: Origins = dataclasses.field(default_factory=Origins)


def collapse(original: Program, relative: RelativeImports | None) -> Collapsed:
    """Takes out branches for old versions, until there is none left that can be.

    Args:
        original: The file.
        relative: Knows what relative imports give.
    """
    result = Collapsed(original)
    for _ in range(100):
        program = result.program
        occurrences = [*program.references, *program.imports]
        guard = next(
            (g for g in version_guards.find(program, occurrences) if _collapsible(program, g)), None
        )
        if guard is None:
            break
        edit, kept = _collapse_edit(program, guard)
        line, column = program.tree.position(program.tree.span(guard.node)[0])
        record = Record(
            rule=GUARDS,
            outcome=Outcome.REWRITTEN,
            line=line,
            column=column,
            name=program.tree.line_text(line).strip(),
            message="collapsed to the branch for new versions",
            end_line=line,
            end_column=column,
            edits=(edit,),
        )
        result.records.append(result.origins.of_record(record, program.tree, original.tree))
        result.origins.add(edit, kept)
        text = apply_edits(program.tree.text, [edit])
        module = cst.parse_module(text.decode("utf-8"), program.tree.module.config_for_parsing)
        module = module.with_changes(encoding=program.tree.module.encoding)
        result.program = Program(module, program.target, relative, exports=program.exports)
    return result


def _collapsible(program: Program, guard: version_guards.Guard) -> bool:
    if guard.new is None:
        return False
    if isinstance(guard.node, cst.IfExp):
        return True
    if isinstance(guard.node, cst.Try):
        whole = guard.node
        if whole.orelse is not None or whole.finalbody is not None or len(whole.handlers) != 1:
            return False
    return isinstance(guard.new, cst.IndentedBlock) and not _has_multiline_string(
        program, guard.new
    )


def _has_multiline_string(program: Program, block: cst.CSTNode) -> bool:
    return any(
        isinstance(n, cst.BaseString) and "\n" in program.tree.source(n)
        for n in program.tree.walk(block)
    )


def _collapse_edit(
    program: Program, guard: version_guards.Guard
) -> tuple[Edit, list[tuple[int, int]]]:
    """Returns the edit, and where each part of its text starts in it and stood before."""
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
    kept = []
    new = 0
    for before, after in zip(lines.splitlines(keepends=True), moved, strict=False):
        kept.append((new, left + _size(before) - _size(after)))
        new, left = new + _size(after), left + _size(before)
    return Edit(tree.line_start(start), end, "".join(moved)), kept


def _size(text: str) -> int:
    return len(text.encode())
