# SPDX-License-Identifier: Apache-2.0
"""What becomes of the imports and aliases of old names, once each use of them is decided.

A binding whose every use is rewritten moves to the new name, or goes if nothing needs it. A binding
that some use still needs, or that other files use in the old way, stays exactly as it is: all or
nothing.
"""

from __future__ import annotations

import ast
import dataclasses
import sys
from collections.abc import Mapping, Sequence

import libcst as cst

from lossscale_codemods.domain import (
    Binding,
    BindingKind,
    CannotRenderError,
    Occurrence,
    Program,
    Role,
    from_imports,
    import_path,
    imported,
    scopes_in,
)
from lossscale_codemods.rules.base import Ignore, Review, Rewrite, Suppressed, Verdict
from lossscale_codemods.source.edits import (
    apply_edits,
    close_gaps,
    insert_line_behind,
    remove_item,
    remove_statement,
)
from lossscale_codemods.source.syntax_tree import Tree
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import BESIDE, Meaning, OldName, Target
from lossscale_codemods.tables.records import Edit


@dataclasses.dataclass
class Plan:
    """What becomes of each binding of an old name."""

    moved: dict[Binding, str] = dataclasses.field(default_factory=dict)
    dropped: set[Binding] = dataclasses.field(default_factory=set)
    kept: dict[Binding, str] = dataclasses.field(default_factory=dict)
    """Bindings that stay, with the reason."""
    follows: set[Binding] = dataclasses.field(default_factory=set)
    """Those of them that stay for a use which is a finding of its own."""
    changed_names: set[str] = dataclasses.field(default_factory=set)
    """Names that other files must not use, as in `Result`."""


class Planner:
    """Decides on the bindings of one file, by what becomes of each reference."""

    def __init__(
        self,
        program: Program,
        imports: Sequence[Occurrence],
        decisions: Mapping[Occurrence, Verdict],
    ) -> None:
        self.program = program
        self.imports = imports
        self.decisions = decisions
        self._by_node: dict[cst.CSTNode, Occurrence] = {}
        self._given: dict[Binding, Occurrence] = {}
        """What each alias is assigned."""
        for occurrence in program.references:
            for node in occurrence.prefixes():
                self._by_node[node] = occurrence

    def plan(self, blocked: Mapping[cst.CSTNode, str]) -> Plan:
        """Returns what becomes of each binding; `blocked` has nodes that must stay, and why."""
        plan = Plan()
        bindings = self._old_bindings()
        beside = [binding for binding, old in bindings.items() if old.meaning in BESIDE]
        others = [binding for binding in bindings if binding not in beside]
        for group in [*self._groups(others), *([binding] for binding in beside)]:
            reason = self._reason_to_keep(group, bindings, blocked)
            if reason is not None:
                plan.kept.update(dict.fromkeys(group, reason))
                if any(self._has_finding(binding) for binding in group):
                    plan.follows.update(group)
                continue
            needed = any(bindings[b].meaning in BESIDE or self._is_needed(b) for b in group)
            unused = not any(self._uses(binding) for binding in group)
            for binding in group:
                new = bindings[binding].new_path(self.program.target)
                if new is not None and (needed or unused or binding in self._given):
                    plan.moved[binding] = new
                    changed = changes_for_others(bindings[binding], self.program.target)
                else:
                    plan.dropped.add(binding)
                    changed = True
                name = name_for_others(self.program, binding)
                if changed and name is not None:
                    plan.changed_names.add(name)
        return plan

    def _old_bindings(self) -> dict[Binding, OldName]:
        old_names: dict[Binding, OldName] = {}
        for occurrence in self.imports:
            for binding in self.program.scopes.binding_at.get(occurrence.node, []):
                is_root = isinstance(occurrence.node, cst.ImportAlias) and binding.path is not None
                if is_root and binding.path != occurrence.names[0].path:
                    continue  # `import a.b.c` binds `a` alone.
                if binding.kind is BindingKind.IMPORT:
                    old_names[binding] = occurrence.names[0]
        for occurrence in self.program.references:
            if occurrence.role is Role.REFERENCE and occurrence.meaning is not None:
                for binding in self.program.alias_bindings(occurrence):
                    old_names[binding] = occurrence.names[0]
                    self._given[binding] = occurrence
        return old_names

    def _groups(self, bindings: list[Binding]) -> list[list[Binding]]:
        """Returns the bindings in groups that share a use, or are in one assignment."""
        groups: list[tuple[list[Binding], set[cst.CSTNode]]] = []
        for binding in bindings:
            members, shared = [binding], set(self._uses(binding))
            if binding.kind is BindingKind.ASSIGN:
                shared.add(self.program.tree.statement(binding.node))
            joined = [group for group in groups if not group[1].isdisjoint(shared)]
            for group in reversed(joined):
                groups.remove(group)
                members, shared = [*group[0], *members], shared | group[1]
            groups.append((members, shared))
        return [members for members, _ in groups]

    def _uses(self, binding: Binding) -> Sequence[cst.CSTNode]:
        name = name_for_others(self.program, binding)
        if name is None or not name.startswith("."):
            return binding.uses
        reads = self.program.reads_by_attribute.get(name[1:], [])
        is_only = self.program.resolver.is_only
        others = [one for one in reads if one not in binding.uses]  # No class has TensorFlow's.
        mine = [one for one in others if not is_only(one.value, frameworks.is_framework)]
        return [*binding.uses, *mine]

    def _is_needed(self, binding: Binding) -> bool:
        for use in self._uses(binding):
            verdict = self._verdict(use)
            if isinstance(verdict, Rewrite) and verdict.keeps_name:
                return True
            if isinstance(verdict, Ignore):
                return True
        return why_offered(self.program, binding, unused=False) is not None

    def _has_finding(self, binding: Binding) -> bool:
        """Whether what a binding is used for, or what it is assigned, is a finding."""
        uses = [self._verdict(use) for use in self._uses(binding)]
        given = self._given.get(binding)
        others = [self.decisions.get(given)] if given is not None else []
        return any(isinstance(one, Review) and not one.follows for one in [*uses, *others])

    def _verdict(self, use: cst.CSTNode) -> Verdict | None:
        occurrence = self._by_node.get(use)
        return self.decisions.get(occurrence) if occurrence is not None else None

    def _reason_to_keep(
        self,
        group: Sequence[Binding],
        bindings: Mapping[Binding, OldName],
        blocked: Mapping[cst.CSTNode, str],
    ) -> str | None:
        for binding in group:
            old = bindings[binding]
            if binding.node in blocked:
                return blocked[binding.node]
            if old.meaning in BESIDE:
                continue  # Whatever is done with it, this is what it was.
            given = self._given.get(binding)
            if given is not None and isinstance(self.decisions.get(given), Review | Suppressed):
                return "what it is assigned stays"
            for use in self._uses(binding):
                verdict = self._verdict(use)
                if not isinstance(verdict, Rewrite | Ignore):
                    line = self.program.line(use)
                    return f"line {line} still needs it"
            is_gone = old.meaning is Meaning.PRIVATE or old.is_of_keras_3
            verdicts = [self._verdict(use) for use in self._uses(binding)]
            is_respelled = any(isinstance(one, Rewrite) for one in verdicts)
            needs_one = given is not None or self._is_needed(binding)
            lacks_new = old.new_path(self.program.target) is None and needs_one
            if lacks_new or (is_gone and not is_respelled):
                return f"{old.path} has no equivalent"
            if changes_for_others(old, self.program.target):
                unused = not self._uses(binding)
                reason = why_offered(self.program, binding, unused=unused)
                if reason is not None:
                    return reason
        return None


_SAME_SIGNATURE = {
    Meaning.SET_POLICY, Meaning.GLOBAL_POLICY, Meaning.V1_OPTIMIZER, Meaning.REWRITE_OFF,
    Meaning.LOSS_SCALE, Meaning.FIXED, Meaning.DYNAMIC, *BESIDE,
}  # fmt: skip
"""Old names that other files can go on using through this one, once it has moved."""


def name_for_others(program: Program, binding: Binding) -> str | None:
    """Returns the name under which other files can reach a binding, if they can."""
    if program.owner_of_attribute(binding) is not None or binding.scope.is_class:
        return "." + binding.name.rpartition(".")[2]
    return binding.name if binding.scope is program.scopes.module else None


def changes_for_others(old: OldName, target: Target) -> bool:
    """Whether calls through a name no longer work the old way once it has moved."""
    return target is not Target.COMPAT and old.meaning not in _SAME_SIGNATURE


def why_offered(program: Program, binding: Binding, *, unused: bool) -> str | None:
    """Says why other files must be expected to use a binding, if they must."""
    name = name_for_others(program, binding)
    if name is None:
        return None
    if name in program.exports.users:
        return f"{program.exports.users[name]} may use it too, and in the old way"
    if name in program.exported:
        return f"`__all__` offers {name} to other files, which may call it in the old way"
    if program.exports.package and unused and not name.startswith(("_", ".")):
        return f"the package offers {name} to other files, which may call it in the old way"
    return None


class ImportEditor:
    """Makes the edits for the imports of one file, of which some statements are taken out."""

    def __init__(self, program: Program, plan: Plan, removed: Sequence[cst.CSTNode] = ()) -> None:
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
    edits = [e for of_alias in ImportEditor(result, plan).edits().values() for e in of_alias]
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
