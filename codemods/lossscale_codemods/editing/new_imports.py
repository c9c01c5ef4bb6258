# SPDX-License-Identifier: Apache-2.0
"""Where the imports and functions that a file gets go: among its own imports, and below them."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.editing.import_style import from_imports
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lossscale_codemods.analysis.syntax_tree import Tree

_INDENTATION = re.compile(r"^(?: {4})+", re.MULTILINE)


class NewImports:
    """Makes the edits that add imports and functions to one file.

    Args:
        tree: The file.
        first_use: Where the first of them is used.
    """

    def __init__(self, tree: Tree, first_use: int) -> None:
        self.tree = tree
        self.header: list[cst.CSTNode] = []
        """The statements that imports can go behind, in order."""
        self._find_header(first_use)

    def edits(self, imports: Mapping[str, str], helpers: Iterable[str]) -> list[Edit]:
        """Returns the edits.

        Args:
            imports: Paths that are imported, with the name that each is given.
            helpers: The source of the functions.
        """
        tree, newline = self.tree, self.tree.newline
        end = self._end()
        lines: dict[tuple[int, str], list[str]] = {}
        for module, statements in self._statements(imports):
            lines.setdefault(self._place(module, end), []).extend(statements)
        texts = {
            place: "".join(one + newline for one in statements)
            for place, statements in lines.items()
        }
        functions = list(helpers)
        for source in functions:
            indented = self._as_the_file_indents(source.strip("\n"))
            function = f"{newline}{newline}{indented.replace(chr(10), newline)}{newline}"
            texts[end] = texts.get(end, "") + function
        if functions:
            following = tree.text[end[0] : end[0] + 2 * len(newline)]
            if following and following != newline.encode() * 2:
                texts[end] += newline * (1 if following.startswith(newline.encode()) else 2)
        return [Edit(offset, offset, glue + text) for (offset, glue), text in texts.items()]

    def _statements(self, imports: Mapping[str, str]) -> Iterable[tuple[str, list[str]]]:
        """Yields each module with the statements that import it, or its members."""
        modules: dict[str, list[str]] = {}
        for path, name in sorted(imports.items()):
            module, _, member = path.rpartition(".")
            text = member if member == name else f"{member} as {name}"
            modules.setdefault(module, []).append(text)
        for name in modules.pop("", []):
            yield name, [f"import {name}"]
        for module, members in modules.items():
            yield module, from_imports(self.tree, module, members)

    def _place(self, module: str, end: tuple[int, str]) -> tuple[int, str]:
        """Returns where an import goes: behind others of its package, or of Python's own."""
        root = module.partition(".")[0]
        simple = [one for one in self.header if isinstance(one, cst.SimpleStatementLine)]
        near = [one for one in simple if root in _roots(one)]
        if not near and root in sys.stdlib_module_names:
            near = [one for one in simple if _roots(one) & sys.stdlib_module_names]
        return self._behind(near[-1]) if near else end

    def _behind(self, node: cst.CSTNode) -> tuple[int, str]:
        end = self.tree.line_end(max(self.tree.span(node)[1] - 1, 0))
        glue = "" if self.tree.text[:end].endswith((b"\n", b"\r")) else self.tree.newline
        return end, glue

    def _end(self) -> tuple[int, str]:
        """Returns where what has no better place goes."""
        if self.header:
            offset, glue = self._behind(self.header[-1])
            # What is imported from the future stands by itself.
            alone = isinstance(self.header[-1], cst.SimpleStatementLine) and _is_of_the_future(
                self.header[-1]
            )
            return offset, glue + self.tree.newline * alone
        body = self.tree.module.body
        if body:
            return self.tree.line_start(self.tree.span(body[0])[0]), ""
        return len(self.tree.text), ""

    def _find_header(self, first_use: int) -> None:
        body = self.tree.module.body
        for index, statement in enumerate(body):
            if self.tree.span(statement)[1] > first_use:
                return
            if isinstance(statement, cst.SimpleStatementLine):
                smalls = statement.body
                if all(isinstance(s, cst.Import | cst.ImportFrom) for s in smalls):
                    self.header.append(statement)
                    continue
                is_docstring = (
                    index == 0
                    and isinstance(smalls[0], cst.Expr)
                    and isinstance(smalls[0].value, cst.BaseString)
                )
                if is_docstring:
                    self.header.append(statement)
                    continue
                # `__version__ = ...`, `sys.path.append(...)` and the like between imports.
                simple = cst.Assign | cst.AnnAssign | cst.Expr | cst.Pass
                if not all(isinstance(s, simple) for s in smalls) or not any(
                    isinstance(later, cst.SimpleStatementLine)
                    and isinstance(later.body[0], cst.Import | cst.ImportFrom)
                    for later in body[index:]
                ):
                    return
            elif isinstance(statement, cst.If | cst.Try) and self._only_imports(statement):
                self.header.append(statement)
            else:
                return

    def _only_imports(self, statement: cst.CSTNode) -> bool:
        small = [n for n in self.tree.walk(statement) if isinstance(n, cst.BaseSmallStatement)]
        return any(isinstance(n, cst.Import | cst.ImportFrom) for n in small) and all(
            isinstance(n, cst.Import | cst.ImportFrom | cst.Pass | cst.Assign) for n in small
        )

    def _as_the_file_indents(self, source: str) -> str:
        unit = self.tree.module.default_indent
        return _INDENTATION.sub(lambda spaces: unit * (len(spaces[0]) // 4), source)


def _is_of_the_future(line: cst.SimpleStatementLine) -> bool:
    return any(
        isinstance(s, cst.ImportFrom) and dotted(s.module) == "__future__" for s in line.body
    )


def _roots(line: cst.SimpleStatementLine) -> set[str]:
    """Returns the packages that a line imports from, but for the file's own."""
    packages: set[str] = set()
    for small in line.body:
        if isinstance(small, cst.ImportFrom) and not small.relative:
            packages.add((dotted(small.module) or "").partition(".")[0])
        elif isinstance(small, cst.Import):
            packages.update((dotted(one.name) or "").partition(".")[0] for one in small.names)
    return packages - {"__future__"}
