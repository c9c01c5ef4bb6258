# SPDX-License-Identifier: Apache-2.0
"""Old names in the comments and strings of a parsed file: listed, never edited.

A string that is nothing but an old name, such as one given to `mock.patch` or compared with a
class's name, is part of the program, so a person has to look at it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.analysis.decoding import text_of
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.prescan import mention_scan
from lossscale_codemods.vocabulary import names
from lossscale_codemods.vocabulary.names import HELPER, Target
from lossscale_codemods.vocabulary.records import Outcome, Record
from lossscale_codemods.vocabulary.suppression import Suppressions, comments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.vocabulary.options import Options

STRING = "LS802"


def find(program: Program, suppressions: Suppressions, options: Options) -> Iterator[Record]:
    """Yields a record for each old name in a comment or a string.

    Args:
        program: The file.
        suppressions: What its comments suppress.
        options: What the run does.
    """
    tree = program.tree
    annotation_strings = {
        o.node for o in program.references if isinstance(o.node, cst.SimpleString)
    }
    for comment in comments(text_of(program.source)):
        yield from mention_scan.in_comment(comment)
    for node in list(tree.parents):
        if not isinstance(node, cst.SimpleString | cst.FormattedStringText):
            continue
        if node in annotation_strings:
            continue
        raw = node.value
        finding = _finding(program, node) if isinstance(node, cst.SimpleString) else None
        if finding is not None:
            line, column = tree.position(tree.span(node)[0])
            lines = {line, tree.position(tree.span(tree.statement(node))[0])[0]}
            yield _string_record(line, column, raw, finding, suppressions, options, lines)
            continue
        kind = mention_scan.DOCSTRING if _is_docstring(program, node) else mention_scan.STRING
        mentioned = list(names.mentions_of_old_names(raw))
        if mentioned and _is_in_helper(program, node):
            continue
        for match in mentioned:
            place = tree.position(tree.span(node)[0] + len(raw[: match.start()].encode()))
            yield mention_scan.record(*place, match.group(), kind)


def _string_record(
    line: int,
    column: int,
    raw: str,
    finding: tuple[str, str],
    suppressions: Suppressions,
    options: Options,
    lines: set[int],
) -> Record:
    hidden = not options.selection.applies(STRING) or suppressions.covers(STRING, lines)
    return Record(
        rule=STRING,
        outcome=Outcome.SUPPRESSED if hidden else Outcome.NEEDS_REVIEW,
        line=line,
        column=column,
        name=raw,
        message="left, as asked" if hidden else finding[0],
        advice="" if hidden else finding[1],
        end_line=line,
        end_column=column + len(raw),
    )


def _finding(program: Program, node: cst.SimpleString) -> tuple[str, str] | None:
    if program.target is Target.COMPAT:
        return None
    try:
        text = str(node.evaluated_value)
    except (ValueError, SyntaxError):
        return None
    above = program.tree.parent(node)
    if names.is_old_path(text):
        return (
            "this string is the path of an old name, and strings are never edited",
            "Write the path of the new name into it, if code imports or patches by it.",
        )
    if text in names.OLD_CLASS_NAMES and isinstance(above, cst.Comparison | cst.ComparisonTarget):
        return (
            "the optimizer's class has another name now (LossScaleOptimizerV3 in tf-keras)",
            "Test with isinstance(optimizer, tf.keras.mixed_precision.LossScaleOptimizer) instead.",
        )
    if text == "experimental" and isinstance(above, cst.Arg) and _is_attribute_test(program, above):
        return (
            "getattr or hasattr looks for the old module by its name",
            "Take out the branch for old versions, if TensorFlow 2.4 is the oldest you support.",
        )
    return None


def _is_attribute_test(program: Program, argument: cst.Arg) -> bool:
    call = program.tree.parent(argument)
    if not isinstance(call, cst.Call) or dotted(call.func) not in {"getattr", "hasattr"}:
        return False
    paths = program.resolver.paths(call.args[0].value)
    return any(p is not None and p.endswith("mixed_precision") for p in paths)


def _is_in_helper(program: Program, node: cst.CSTNode) -> bool:
    """Whether a string stands in the function that an earlier run added."""
    return any(
        isinstance(above, cst.FunctionDef) and above.name.value == HELPER
        for above in program.tree.ancestors(node)
    )


def _is_docstring(program: Program, node: cst.CSTNode) -> bool:
    return isinstance(program.tree.parent(node), cst.Expr)
