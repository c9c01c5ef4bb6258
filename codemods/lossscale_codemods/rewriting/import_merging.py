# SPDX-License-Identifier: Apache-2.0
"""Joins an import whose module changed with an import from that module that is already there.

Only imports of the same block are joined, with nothing but imports between them and no comment that
would lose what it stands by. The line that stays keeps its layout, and its order if it has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import import_path
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.editing.import_style import imports_names_singly
from lossscale_codemods.editing.layout import LINE_LENGTH
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lossscale_codemods.analysis.syntax_tree import Tree


def host(
    tree: Tree,
    statement: cst.ImportFrom,
    module: str,
    taken: Sequence[cst.CSTNode],
    moved: Mapping[cst.CSTNode, str],
) -> cst.ImportFrom | None:
    """Returns the import that another import's names can move to, if there is one.

    Args:
        tree: The file.
        statement: The import that is to go.
        module: What its names are imported from now.
        taken: Imports that change themselves.
        moved: Those of them that are of another module as a whole now, with the module.
    """
    if imports_names_singly(tree):
        return None
    line = tree.parent(statement)
    block = tree.parent(line) if line is not None else None
    if not isinstance(block, cst.Module | cst.IndentedBlock) or not _is_movable(tree, statement):
        return None
    body = list(block.body)
    at = next(i for i, other in enumerate(body) if other is line)
    for step in (-1, 1):
        index = at + step
        while 0 <= index < len(body):
            imports = _imports(body[index])
            if imports is None:
                break
            for candidate in imports:
                if (
                    isinstance(candidate, cst.ImportFrom)
                    and (candidate not in taken or candidate in moved)
                    and len(imports) == 1
                    and not isinstance(candidate.names, cst.ImportStar)
                    and moved.get(candidate, import_path(candidate)) == module
                    and not _has_comment_between(tree, statement, candidate)
                ):
                    return candidate
            index += step
    return None


def join(tree: Tree, statement: cst.ImportFrom, texts: Sequence[str], module: str) -> list[Edit]:
    """Returns the edits that add names to an import, if they fit into its layout.

    Args:
        tree: The file.
        statement: The import.
        texts: The names, in order, as `member` or `member as name`.
        module: The module that it imports from now.
    """
    if isinstance(statement.names, cst.ImportStar):
        return []
    names = [alias.evaluated_name for alias in statement.names]
    if "\\" in tree.source(statement) or {
        a.evaluated_alias or a.evaluated_name for a in statement.names
    } & {text.rpartition(" ")[2] for text in texts}:
        return []
    start, end = tree.span(statement.names[-1])
    line_start = tree.line_start(start)
    line = tree.text[line_start : tree.line_end(start)].rstrip()
    separator = ", "
    is_first = line_start <= tree.span(statement)[0]
    if not is_first and not tree.text[line_start:start].strip():
        separator = "," + tree.newline + tree.indentation(start)
        if b"#" in tree.text[end : tree.line_end(end)]:
            return []
    else:
        longer = len(module) - len(import_path(statement)) if is_first else 0
        length = len(line) + longer + len(separator.join(["", *texts]))
        if length > LINE_LENGTH:
            return []
    places: dict[cst.ImportAlias | None, list[str]] = {}
    for text in texts:
        follower = (
            a for a in statement.names if names == sorted(names) and a.evaluated_name > text
        )
        places.setdefault(next(follower, None), []).append(text)
    edits = []
    for alias, added in places.items():
        if alias is None:
            edits.append(Edit(end, end, separator.join(["", *added])))
        else:
            before = tree.span(alias)[0]
            edits.append(Edit(before, before, separator.join([*added, ""])))
    return edits


def _imports(line: cst.CSTNode) -> Sequence[cst.BaseSmallStatement] | None:
    if not isinstance(line, cst.SimpleStatementLine):
        return None
    only = all(isinstance(s, cst.Import | cst.ImportFrom) for s in line.body)
    return line.body if only else None


def _is_movable(tree: Tree, statement: cst.ImportFrom) -> bool:
    start, end = tree.span(statement)
    line = tree.text[tree.line_start(start) : start] + tree.text[end : tree.line_end(end - 1)]
    return not line.strip() and b"#" not in tree.text[start:end]


def _has_comment_between(tree: Tree, first: cst.CSTNode, second: cst.CSTNode) -> bool:
    spans = sorted([tree.span(first), tree.span(second)])
    return any(_comments(tree.slice((spans[0][1], spans[1][0]))))


def _comments(text: str) -> Iterator[bool]:
    # What is behind the first import on its own line is that line's own.
    return (line.lstrip().startswith("#") for line in text.split("\n")[1:])
