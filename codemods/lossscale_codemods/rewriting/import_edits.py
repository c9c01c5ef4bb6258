# SPDX-License-Identifier: Apache-2.0
"""How imports and aliases change once it is decided what each binding becomes."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import (
    Binding,
    BindingKind,
    Program,
    import_path,
    imported,
    scopes_in,
)
from lossscale_codemods.rewriting.bindings import Plan
from lossscale_codemods.rules.name_rendering import CannotRenderError, from_imports
from lossscale_codemods.source.edits import (
    apply_edits,
    close_gaps,
    insert_line_behind,
    remove_item,
    remove_statement,
    small_statement,
)
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.records import Edit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lossscale_codemods.source.syntax_tree import Tree


class ImportEditor:
    """Makes the edits for the imports of one file.

    Args:
        program: The file.
        plan: What each binding becomes.
        removed: Statements that other edits take out.
    """

    def __init__(
        self,
        program: Program,
        plan: Plan,
        removed: Sequence[cst.CSTNode],
    ) -> None:
        self.program = program
        self.tree = program.tree
        self.plan = plan
        self.gone = list(removed)

    def edits(self) -> dict[cst.CSTNode, list[Edit]]:
        """Returns the edits by the import alias, or import statement, that they are for."""
        edits_of: dict[cst.CSTNode, list[Edit]] = {}
        statements: dict[cst.CSTNode, dict[cst.CSTNode, Binding]] = {}
        for binding in [*self.plan.moved, *self.plan.dropped]:
            if isinstance(binding.node, cst.ImportAlias):
                statement = self.tree.parent(binding.node)
                if statement is not None:
                    statements.setdefault(statement, {})[binding.node] = binding
        self._collect_gone(statements)
        for statement in sorted(statements, key=self.tree.span):
            aliases = statements[statement]
            if isinstance(statement, cst.ImportFrom):
                edits = self._from_import(statement, aliases)
            elif isinstance(statement, cst.Import):
                edits = self._plain_import(statement, aliases)
            else:
                continue
            first = next(iter(aliases))
            edits_of[first] = edits
            for alias in aliases:
                edits_of.setdefault(alias, [])
        return edits_of

    def _collect_gone(
        self, statements: Mapping[cst.CSTNode, Mapping[cst.CSTNode, Binding]]
    ) -> None:
        for statement, aliases in statements.items():
            names = statement.names if isinstance(statement, cst.Import | cst.ImportFrom) else ()
            if not isinstance(names, cst.ImportStar) and all(
                alias in aliases and aliases[alias] in self.plan.dropped for alias in names
            ):
                self.gone.append(statement)

    def _plain_import(
        self, statement: cst.Import, aliases: Mapping[cst.CSTNode, Binding]
    ) -> list[Edit]:
        dropped = [a for a in statement.names if a in aliases and aliases[a] in self.plan.dropped]
        if len(dropped) == len(statement.names):
            return remove_statement(self.tree, statement, self.gone)
        edits = remove_item(self.tree, statement.names, dropped)
        for alias in statement.names:
            if alias in aliases and aliases[alias] in self.plan.moved:
                start, end = self.tree.span(alias.name)
                edits.append(Edit(start, end, self.plan.moved[aliases[alias]]))
        return edits

    def _from_import(
        self, statement: cst.ImportFrom, aliases: Mapping[cst.CSTNode, Binding]
    ) -> list[Edit]:
        if isinstance(statement.names, cst.ImportStar):
            return []
        kept = [a for a in statement.names if a not in aliases]
        groups: dict[str, list[cst.ImportAlias]] = {}
        for alias in statement.names:
            if alias in aliases and aliases[alias] in self.plan.moved:
                module = self.plan.moved[aliases[alias]].rpartition(".")[0]
                groups.setdefault(module, []).append(alias)
        if not kept and not groups:
            return remove_statement(self.tree, statement, self.gone)
        edits: list[Edit] = []
        staying = list(kept)
        if not kept:
            primary = max(groups, key=lambda m: len(groups[m]))
            staying = groups.pop(primary)
            edits += self._rename_module(statement, primary)
            edits += self._rename_aliases(staying, aliases)
        elif import_path(statement) in groups:
            renamed = groups.pop(import_path(statement))
            staying += renamed
            edits += self._rename_aliases(renamed, aliases)
        gone = [a for a in statement.names if a not in staying]
        edits += remove_item(self.tree, statement.names, gone)
        for module, members in groups.items():
            names = [self._spelled(alias, aliases[alias]) for alias in members]
            line = self.tree.statement(statement)
            if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
                raise CannotRenderError(
                    "the import shares its line with other statements, and has to become two"
                )
            for text in from_imports(self.tree, module, names):
                edits += insert_line_behind(self.tree, line, text)
        return edits

    def _rename_module(self, statement: cst.ImportFrom, module: str) -> list[Edit]:
        if statement.module is None:
            raise CannotRenderError("the import is relative")
        start, end = self.tree.span(statement.module)
        if statement.relative:
            start = self.tree.span(statement.relative[0])[0]
        return [Edit(start, end, module)]

    def _rename_aliases(
        self, members: Sequence[cst.ImportAlias], aliases: Mapping[cst.CSTNode, Binding]
    ) -> list[Edit]:
        edits = []
        for alias in members:
            text = self._spelled(alias, aliases[alias])
            start, end = self.tree.span(alias.name)
            if alias.asname is not None:
                end = self.tree.span(alias.asname.name)[1]
            if self.tree.slice((start, end)) != text:
                edits.append(Edit(start, end, text))
        return edits

    def _spelled(self, alias: cst.ImportAlias, binding: Binding) -> str:
        """Returns `member` or `member as local`, for a from-import of what a binding becomes."""
        member = self.plan.moved[binding].rpartition(".")[2]
        local = alias.evaluated_alias or alias.evaluated_name
        return member if member == local else f"{member} as {local}"

    def alias_assignments(self) -> dict[cst.CSTNode, list[Edit]]:
        """Returns the edits that take out assignments of aliases that nothing needs."""
        gone = dict.fromkeys(
            statement
            for binding in self.plan.dropped
            if not isinstance(binding.node, cst.ImportAlias)
            and (statement := small_statement(self.tree, binding.node)) is not None
        )
        self.gone += gone
        return {one: remove_statement(self.tree, one, self.gone) for one in gone}


def unused_imports(program: Program) -> set[str]:
    """Returns the names that are imported and that nothing in the file uses.

    What is imported from a file of the project that may do more than bind names stays for that.
    """
    unused = set()
    strings = _names_in_strings(program)
    for scope in program.scopes.of_node.values():
        for name, bindings in scope.bindings.items():
            imports = [b for b in bindings if b.kind is BindingKind.IMPORT]
            offered = scope is program.scopes.module and name in program.exports.users
            needed = offered or name in strings or any(b.uses for b in bindings)
            if imports and not needed and not any(_runs_file(program, b) for b in imports):
                unused.add(name)
    return unused


def _names_in_strings(program: Program) -> set[str]:
    """Returns the names in strings that are code: annotations, `__all__`, what `eval` gets."""
    names: set[str] = set()
    for node, parent in program.tree.parents.items():
        if not isinstance(node, cst.SimpleString) or isinstance(parent, cst.Expr):
            continue
        try:
            code = ast.parse(node.raw_value.strip())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        names.update(one.id for one in ast.walk(code) if isinstance(one, ast.Name))
    return names


def without_unused(before: Program, result: Program) -> tuple[bytes, set[str]]:
    """Takes out imports that only the old names needed.

    Returns:
        The result's bytes without them, and the names of the module that went.
    """
    unused = unused_imports(result) - unused_imports(before)
    plan = Plan()
    for scope in result.scopes.of_node.values():
        for name in unused & scope.bindings.keys():
            plan.dropped.update(
                b for b in scope.bindings[name] if b.kind is BindingKind.IMPORT and not b.uses
            )
    if not plan.dropped:
        return result.source, set()
    edits = [e for of_alias in ImportEditor(result, plan, ()).edits().values() for e in of_alias]
    text = apply_edits(result.tree.text, close_gaps(result.tree.text, edits))
    gone = {b.name for b in plan.dropped if b.scope is result.scopes.module}
    return text.decode("utf-8").encode(result.tree.module.encoding), gone


def _runs_file(program: Program, binding: Binding) -> bool:
    """Whether an import runs a file of the project that may do more than bind names."""
    files, statement = program.resolver.project, program.tree.parent(binding.node)
    if files is None or not isinstance(statement, cst.Import | cst.ImportFrom):
        return False
    path = next(path for node, path in imported(statement) if node is binding.node)
    located = None if frameworks.is_framework(path) else files.locate(path)
    if located is None:
        return False
    scopes = scopes_in(located[0], files.read(located[0]) or b"")
    return scopes is None or any(_may_act(scopes.tree, one) for one in scopes.tree.module.body)


def _may_act(tree: Tree, statement: cst.CSTNode) -> bool:
    """Whether a statement of a module may do more than bind names.

    What it imports from others may, but for TensorFlow and Python's own library.
    """
    if isinstance(statement, cst.FunctionDef):
        return bool(statement.decorators)
    if isinstance(statement, cst.ClassDef):
        return bool(statement.decorators or statement.keywords)
    if isinstance(statement, cst.Try):
        parts = [statement, *statement.handlers, statement.orelse, statement.finalbody]
        return any(_may_act(tree, one) for part in parts if part for one in part.body.body)
    if not isinstance(statement, cst.SimpleStatementLine):
        return True
    roots: set[str] = set()
    for node in tree.walk(statement):
        if isinstance(node, cst.Call | cst.Await | cst.AugAssign):
            return True
        if isinstance(node, cst.AssignTarget) and not isinstance(node.target, cst.Name | cst.Tuple):
            return True
        if isinstance(node, cst.Import | cst.ImportFrom):
            roots.update(path.partition(".")[0] for _, path in imported(node))
    return not all(frameworks.is_framework(one) or one in sys.stdlib_module_names for one in roots)
