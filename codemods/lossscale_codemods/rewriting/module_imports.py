# SPDX-License-Identifier: Apache-2.0
"""Imports that bind no old name by themselves: star imports and `import a.b.experimental`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rewriting.import_edits import alias_text, covers_dotted
from lossscale_codemods.rules.base import Rewrite, Verdict
from lossscale_codemods.vocabulary import names

if TYPE_CHECKING:
    from collections.abc import Mapping


class ModuleImports:
    """Decides on such imports, once it is decided what becomes of the names they bring.

    Args:
        program: The file.
        verdicts: What becomes of each reference.
        blocked: Nodes of imports that must stay, with the reason.
    """

    def __init__(
        self,
        program: Program,
        verdicts: Mapping[Occurrence, Verdict],
        blocked: Mapping[cst.CSTNode, str],
    ) -> None:
        self.program = program
        self.tree = program.tree
        self.verdicts = verdicts
        self.blocked = blocked

    def stars(self) -> dict[Binding, str]:
        """The star imports that can become imports of the names that are used."""
        path_of: dict[Binding, str] = {}
        for occurrence in self.program.imports:
            if not isinstance(occurrence.node, cst.ImportFrom) or occurrence.node in self.blocked:
                continue
            uses = self._star_uses(occurrence)
            new = occurrence.names[0].new_path(self.program.target)
            if uses and new and all(isinstance(self.verdicts.get(o), Rewrite) for o in uses):
                for binding in self.program.scopes.binding_at.get(occurrence.node, []):
                    path_of[binding] = new
        return path_of

    def names_of(self, stars: Mapping[Binding, str]) -> set[str]:
        """The names that the module no longer has without these star imports."""
        return {
            name
            for star in stars
            if star.scope is self.program.scopes.module
            for name in names.members(star.path or "")
        }

    def instead_of(self, stars: Mapping[Binding, str]) -> dict[cst.ImportFrom, str]:
        """Returns the import of names in the place of each star import; empty if it just goes."""
        instead: dict[cst.ImportFrom, str] = {}
        for occurrence in self.program.imports:
            node = occurrence.node
            bindings = self.program.scopes.binding_at.get(node, [])
            if not isinstance(node, cst.ImportFrom) or not any(b in stars for b in bindings):
                continue
            texts: set[str] = set()
            for use in self._star_uses(occurrence):
                verdict = self.verdicts[use]
                path = use.names[0].new_path(self.program.target)
                if isinstance(verdict, Rewrite) and verdict.keeps_name and path is not None:
                    texts.add(alias_text(path, self.tree.slice(use.span).split(".")[0]))
            home = stars[bindings[0]]
            instead[node] = f"from {home} import {', '.join(sorted(texts))}" if texts else ""
        return instead

    def dotted_imports(self) -> dict[cst.CSTNode, str]:
        """New paths for `import a.b.experimental`, which binds `a` only."""
        homes: dict[cst.CSTNode, str] = {}
        for occurrence in self.program.imports:
            node = occurrence.node
            parent = self.tree.parent(node)
            if (
                not isinstance(node, cst.ImportAlias)
                or not isinstance(parent, cst.Import)
                or node.asname is not None
                or node in self.blocked
            ):
                continue
            through = [
                o
                for o in self.program.references
                if isinstance(o.node, cst.Attribute) and covers_dotted(node, dotted(o.node) or "")
            ]
            home = occurrence.names[0].new_path(self.program.target)
            if home and all(isinstance(self.verdicts.get(o), Rewrite) for o in through):
                homes[node] = home
        return homes

    def _star_uses(self, occurrence: Occurrence) -> list[Occurrence]:
        prefix = occurrence.names[0].path + "."
        return [
            o
            for o in self.program.references
            if isinstance(o.base, cst.Name)
            and not self.program.resolver.bindings(o.base)
            and o.names
            and o.names[0].path.startswith(prefix)
        ]
