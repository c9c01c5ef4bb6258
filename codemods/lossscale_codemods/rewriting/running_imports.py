# SPDX-License-Identifier: Apache-2.0
"""Imports that stay for what a module does, when the names that they gave are no longer needed.

`from precision import mp` becomes `import precision` if `precision.py` sets a policy, or registers
something, when it is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import import_path, member_path
from lossscale_codemods.analysis.import_effects import acts_when_imported
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import ProjectFiles
from lossscale_codemods.vocabulary import frameworks
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.program import Program

_UNUSED = "  # noqa: F401"


class RunningImports:
    """Knows which modules of the project the imports of one file run.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self._files = (
            relative if isinstance(relative := program.resolver.relative, ProjectFiles) else None
        )
        self._written: set[str] = set()

    def is_needed(self, binding: Binding) -> bool:
        """Whether an import of a module as a whole stays, though nothing reads its name."""
        node = binding.node
        if not isinstance(node, cst.ImportAlias):
            return False
        statement = self.tree.parent(node)
        dotted = node.evaluated_name
        if isinstance(statement, cst.ImportFrom):
            dotted = member_path(import_path(statement), dotted)
        return self._module(dotted) is not None and self._acts(dotted)

    def instead_of(self, statement: cst.ImportFrom, going: Collection[cst.CSTNode]) -> str:
        """Returns the import that runs the module of another; empty if none has to.

        Args:
            statement: An import all of whose names go.
            going: Other imports that go as well.
        """
        module = import_path(statement)
        path = self._module(module) if module.strip(".") else None
        if path is None or module in self._written or not self._acts(module):
            return ""
        others = (one for one in self._imported(going) if one[0] is not statement)
        if any(self._module(dotted) == path for _, dotted in others):
            return ""
        self._written.add(module)
        base, _, last = module.rpartition(".")
        is_relative = module.startswith(".")
        bound = last if is_relative else module.partition(".")[0]
        scopes = self.program.scopes.of_node.values()
        alias = f" as _{last}" if any(bound in scope.bindings for scope in scopes) else ""
        if not is_relative:
            return f"import {module}{alias}"
        home = base if base.strip(".") else module[: len(module) - len(last)]
        return f"from {home} import {last}{alias}"

    def in_place(self, statement: cst.ImportFrom, text: str) -> list[Edit]:
        """Returns the edits that write an import in the place of another."""
        start, end = self.tree.span(statement)
        behind = self.tree.slice((end, self.tree.line_end(max(end - 1, start)))).strip()
        return [Edit(start, end, text if behind else text + _UNUSED)]

    def in_front(self, statement: cst.ImportFrom, text: str) -> list[Edit]:
        """Returns the edits that write an import before another."""
        start, _ = self.tree.span(statement)
        if self.tree.slice((self.tree.line_start(start), start)).strip():
            return [Edit(start, start, f"{text}; ")]
        indent, newline = self.tree.indentation(start), self.tree.newline
        return [Edit(start, start, f"{text}{_UNUSED}{newline}{indent}")]

    def _imported(self, going: Collection[cst.CSTNode]) -> Iterator[tuple[cst.CSTNode, str]]:
        """Yields the modules that the imports which stay run, each with its statement."""
        for node in self.tree.parents:
            if node in going or not isinstance(node, cst.Import | cst.ImportFrom):
                continue
            if isinstance(node, cst.ImportFrom):
                yield node, import_path(node)
            if not isinstance(node.names, cst.ImportStar):
                base = import_path(node) if isinstance(node, cst.ImportFrom) else ""
                for alias in node.names:
                    yield node, member_path(base, alias.evaluated_name)

    def _module(self, dotted: str) -> Path | None:
        """Returns the file of a module of the project."""
        if self._files is None or frameworks.is_framework(dotted):
            return None
        located = self._files.locate(dotted)
        return located[0] if located is not None and not located[1] else None

    def _acts(self, dotted: str) -> bool:
        return self._files is not None and acts_when_imported(self._files, dotted)
