# SPDX-License-Identifier: Apache-2.0
"""What becomes of the imports and aliases of old names, once each use of them is decided.

A binding whose every use is rewritten moves to the new name, or goes if nothing needs it. A binding
that some use still needs, or that other files use in the old way, stays exactly as it is: all or
nothing.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import Binding, BindingKind, Occurrence, Program, Role
from lossscale_codemods.rules.base import Ignore, Review, Rewrite, Suppressed, Verdict
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import BESIDE, Meaning, OldName, Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
    """Decides on the bindings of one file.

    Args:
        program: The file.
        imports: The imports that are decided.
        decisions: What becomes of each reference.
    """

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
        """Returns what becomes of each binding.

        Args:
            blocked: Nodes of imports and aliases that must stay, with the reason.
        """
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
            needed = any(
                bindings[binding].meaning in BESIDE or self._is_needed(binding) for binding in group
            )
            unused = not any(self._uses(binding) for binding in group)
            for binding in group:
                new = bindings[binding].new_path(self.program.target)
                if (needed or unused) and new is not None:
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
        mine = [n for n in reads if n not in binding.uses and not self._is_of_framework(n)]
        return [*binding.uses, *mine]

    def _is_of_framework(self, node: cst.Attribute) -> bool:
        """Whether an attribute is read of TensorFlow, so that no class of the file has it."""
        above = self.program.resolver.paths(node.value)
        return bool(above) and all(p is not None and frameworks.is_framework(p) for p in above)

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
            lacks_new = old.new_path(self.program.target) is None and self._is_needed(binding)
            if lacks_new or (is_gone and not is_respelled):
                return f"{old.path} has no equivalent"
            if changes_for_others(old, self.program.target):
                unused = not self._uses(binding)
                reason = why_offered(self.program, binding, unused=unused)
                if reason is not None:
                    return reason
        return None


_SAME_SIGNATURE = {
    Meaning.SET_POLICY,
    Meaning.GLOBAL_POLICY,
    Meaning.V1_OPTIMIZER,
    Meaning.REWRITE_OFF,
    Meaning.LOSS_SCALE,
    Meaning.FIXED,
    Meaning.DYNAMIC,
    Meaning.KERAS_OPTIMIZER,
    Meaning.NEIGHBOUR,
}
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
    """Says why other files must be expected to use a binding, if they must.

    Args:
        program: The file.
        binding: One of its bindings.
        unused: Whether nothing in the file itself uses it.
    """
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
