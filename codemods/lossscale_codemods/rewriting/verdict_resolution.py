# SPDX-License-Identifier: Apache-2.0
"""Asks the rules about a file again and again, until names, imports and aliases fit together."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.editing.comments import kept_comments
from lossscale_codemods.editing.edits import (
    OverlappingEditsError,
    apply_edits,
    remove_statement,
    small_statement,
)
from lossscale_codemods.editing.name_rendering import CannotRenderError, NameRenderer
from lossscale_codemods.rewriting.binding_plan import Plan, Planner
from lossscale_codemods.rewriting.import_edits import ImportEditor
from lossscale_codemods.rewriting.module_imports import ModuleImports
from lossscale_codemods.rewriting.recording import Outcomes, Recorder, only_suppressed
from lossscale_codemods.rewriting.rule_verdicts import RuleVerdicts
from lossscale_codemods.rules.base import (
    Review,
    Rewrite,
    Suppressed,
)
from lossscale_codemods.rules.registry import all_rules
from lossscale_codemods.vocabulary import names
from lossscale_codemods.vocabulary.names import Meaning
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from lossscale_codemods.vocabulary.options import Observed
    from lossscale_codemods.vocabulary.suppression import Selection, Suppressions

_CLASSES = frozenset({Meaning.OPTIMIZER, Meaning.POLICY})
_BY_HAND = "Change it by hand; `compat-lossscale migrate --explain {}` says more."


class Decisions:
    """The decisions on one file.

    Args:
        program: The file.
        selection: Which rules are applied.
        suppressions: What its comments suppress.
        unsafe_fixes: Whether rewrites that are not proven are made.
        observed: What a recorded run saw, by line.
    """

    def __init__(
        self,
        program: Program,
        selection: Selection,
        suppressions: Suppressions,
        *,
        unsafe_fixes: bool = False,
        observed: Observed | None = None,
    ) -> None:
        self.program = program
        self.tree = program.tree
        self.rules = RuleVerdicts(
            program, selection, suppressions, unsafe_fixes=unsafe_fixes, observed=observed or {}
        )
        self.import_rule = next(r for r in all_rules() if r.decides_imports)
        self.blocked: dict[cst.CSTNode, str] = {}

    def outcomes(self) -> Outcomes:
        """Returns what becomes of the file."""
        if self.rules.is_empty:
            return Outcomes()
        for occurrence in self.rules.imports:
            self._block_import(occurrence)
        # Each round forces at least one more occurrence to be left, so this ends.
        every = (*self.program.references, *self.rules.of_rules, *self.rules.imports)
        for _ in range(len(every) + 1):
            self.rules.ask()
            result = self._try()
            if result is not None:
                return result
        raise AssertionError("the decisions did not settle")

    def _block_import(self, occurrence: Occurrence) -> None:
        offered = self._offered_star(occurrence.node)
        if occurrence in self.rules.protected:
            self.blocked[occurrence.node] = self.rules.protected[occurrence][0].message
        elif offered is not None:
            self.blocked[occurrence.node] = offered
        elif self.rules.is_suppressed(occurrence, occurrence.rule or self.import_rule.id):
            self.blocked[occurrence.node] = "suppressed"

    def _offered_star(self, node: cst.CSTNode) -> str | None:
        """Says which other file uses a name that a star import brings in, if one does."""
        for binding in self.program.scopes.binding_at.get(node, []):
            if binding.kind is BindingKind.STAR and binding.scope is self.program.scopes.module:
                for name in sorted(names.members(binding.path or "")):
                    if name in self.program.exports.users:
                        return f"{self.program.exports.users[name]} takes {name} from here"
        return None

    def _try(self) -> Outcomes | None:
        """Returns the outcomes if everything fits, or forces something to be left."""
        plan = Planner(self.program, self.rules.imports, self.rules.verdicts).plan(self.blocked)
        if self._force_aliases(plan) or self._force_unpacked() or self._force_private_names():
            return None
        modules = ModuleImports(self.program, self.rules.verdicts, self.blocked)
        stars, dotted_imports = modules.stars(), modules.dotted_imports()
        renderer = NameRenderer(self.program, {**plan.moved, **stars}, plan.dropped)
        edits: dict[Occurrence, list[Edit]] = {}
        for occurrence, verdict in self.rules.verdicts.items():
            if not isinstance(verdict, Rewrite):
                continue
            aliases = self.program.alias_bindings(occurrence)
            if aliases and plan.dropped.issuperset(aliases):
                continue  # Its assignment goes, so there is nothing to spell.
            try:
                edits[occurrence] = list(verdict.edits(renderer))
            except CannotRenderError as error:
                advice = error.advice or _BY_HAND.format(self.rules.rule_of[occurrence])
                self.rules.forced[occurrence] = Review(str(error), advice)
                return None
        self._respell_inside(edits)
        instead_of_stars = modules.instead_of(stars)
        removed = self._removed_statements()
        removed += self._assigned_to_themselves(edits)
        removed += [star for star, text in instead_of_stars.items() if not text]
        editor = ImportEditor(self.program, plan, dotted_imports, removed)
        try:
            import_edits = editor.edits()
        except CannotRenderError as error:
            for occurrence in self.rules.imports:
                if occurrence.node not in self.blocked:
                    self.blocked[occurrence.node] = str(error)
            return None
        assignments = editor.alias_assignments()
        recorder = Recorder(
            self.program,
            self.rules.imports,
            self.rules.verdicts,
            self.rules.rule_of,
            self.rules.protected,
            self.import_rule,
            self.blocked,
        )
        outcomes = recorder.outcomes(plan, edits, import_edits, stars, dotted_imports)
        dropped_spans = [self.tree.span(s) for s in assignments]
        outcomes.edits = [
            e
            for e in outcomes.edits
            if not any(start <= e.start and e.end <= end for start, end in dropped_spans)
        ]
        for of_assignment in assignments.values():
            outcomes.edits += of_assignment
        for statement in removed:
            outcomes.edits += remove_statement(self.tree, statement, editor.gone)
        outcomes.edits += [
            Edit(*self.tree.span(star), text) for star, text in instead_of_stars.items() if text
        ]
        outcomes.changed_names = (
            plan.changed_names | self._removed_variables() | modules.names_of(stars)
        )
        if outcomes.edits:
            outcomes.edits += renderer.header_edits()
            outcomes.edits += kept_comments(self.tree, outcomes.edits)
        return outcomes if self._without_overlaps(outcomes, edits) else None

    def _respell_inside(self, edits: dict[Occurrence, list[Edit]]) -> None:
        """Respells what the text of another edit has a copy of."""
        for occurrence, verdict in self.rules.verdicts.items():
            if not isinstance(verdict, Rewrite) or verdict.instead is None:
                continue
            start, end = occurrence.span
            for other, its_edits in edits.items():
                around = any(e.start <= start and end <= e.end for e in its_edits)
                if other is not occurrence and around:
                    # The copy can be in the text of another of these edits.
                    edits[other] = [_with_text(e, *verdict.instead) for e in its_edits]
                    edits[occurrence] = []

    def _without_overlaps(self, outcomes: Outcomes, edits: dict[Occurrence, list[Edit]]) -> bool:
        """Leaves an occurrence whose edit collides with another, rather than the whole file."""
        try:
            apply_edits(self.tree.text, outcomes.edits)
        except OverlappingEditsError:
            colliding = [
                occurrence
                for occurrence, own in edits.items()
                if any(
                    e.start < o.end and o.start < e.end
                    for e in own
                    for o in outcomes.edits
                    if o not in own
                )
            ]
            # All of them: were only one left, a second run could change it.
            for occurrence in colliding:
                self.rules.forced[occurrence] = Review(
                    "its change collides with another change on its lines",
                    "Make both changes by hand.",
                )
            return not colliding
        return True

    def _force_aliases(self, plan: Plan) -> bool:
        forced = False
        for occurrence, verdict in self.rules.verdicts.items():
            if not isinstance(verdict, Rewrite) or occurrence.role is not Role.REFERENCE:
                continue
            for binding in self.program.alias_bindings(occurrence):
                if binding not in plan.kept or occurrence in self.rules.forced:
                    continue
                if only_suppressed(binding, self.rules.verdicts):
                    self.rules.forced[occurrence] = Suppressed()
                else:
                    self.rules.forced[occurrence] = Review(
                        f"the name {binding.name} must stay what it is: {plan.kept[binding]}",
                        "Change that use first, then run again.",
                        follows=binding in plan.follows,
                    )
                forced = True
        return forced

    def _force_unpacked(self) -> bool:
        """Leaves what is given a name among others, `F, D = mp.A, mp.B`, if a use of it is left."""
        left = {
            node: occurrence
            for occurrence, verdict in self.rules.verdicts.items()
            if isinstance(verdict, Review | Suppressed)
            for node in occurrence.prefixes()
        }
        forced = False
        for occurrence, verdict in self.rules.verdicts.items():
            if not isinstance(verdict, Rewrite) or occurrence in self.rules.forced:
                continue
            aliases = self.program.alias_bindings(occurrence)
            for binding in self.program.bound_to.get(occurrence.node, ()):
                use = next((use for use in binding.uses if use in left), None)
                if use is not None and binding not in aliases:
                    line = self.program.line(use)
                    self.rules.forced[occurrence] = Review(
                        f"the name {binding.name} must stay what it is: line {line} still needs it",
                        "Change that use first, then run again.",
                    )
                    forced = True
        return forced

    def _force_private_names(self) -> bool:
        """Leaves a private name everywhere if it has to be left anywhere.

        From TensorFlow 2.6 on, the private class of TensorFlow and the public one of Keras are two.
        """
        private = [
            (occurrence, verdict)
            for occurrence, verdict in self.rules.verdicts.items()
            if occurrence.meaning in _CLASSES and not all(old.public for old in occurrence.names)
        ]
        left = [occurrence for occurrence, verdict in private if isinstance(verdict, Review)]
        forced = False
        for occurrence, verdict in private:
            same = [other for other in left if other.meaning is occurrence.meaning]
            if same and isinstance(verdict, Rewrite) and occurrence not in self.rules.forced:
                line = self.tree.position(same[0].span[0])[0]
                self.rules.forced[occurrence] = Review(
                    f"the private class stays on line {line}, and the public one is another class",
                    "Change that use first, then run again.",
                    follows=True,
                )
                forced = True
        return forced

    def _removed_statements(self) -> list[cst.BaseSmallStatement]:
        removed: list[cst.BaseSmallStatement] = []
        for verdict in self.rules.verdicts.values():
            if isinstance(verdict, Rewrite):
                for binding in verdict.removes:
                    statement = small_statement(self.tree, binding.node)
                    if statement is not None and statement not in removed:
                        removed.append(statement)
        return removed

    def _assigned_to_themselves(
        self, edits: dict[Occurrence, list[Edit]]
    ) -> list[cst.BaseSmallStatement]:
        """Returns what `mp = mp.experimental` is in, which became `mp = mp`; it needs no edits."""
        useless: list[cst.BaseSmallStatement] = []
        for occurrence, of_name in edits.items():
            statement = self.tree.parent(occurrence.node)
            match statement:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
                    start, end = occurrence.span
                    moved = [Edit(e.start - start, e.end - start, e.text) for e in of_name]
                    inside = all(e.start >= 0 and e.end <= end - start for e in moved)
                    is_global = self.program.scope(occurrence) is self.program.scopes.module
                    old = self.tree.text[start:end]
                    if inside and is_global and apply_edits(old, moved) == name.encode():
                        useless.append(statement)
                        edits[occurrence] = []
        return useless

    def _removed_variables(self) -> set[str]:
        return {
            binding.name
            for verdict in self.rules.verdicts.values()
            if isinstance(verdict, Rewrite)
            for binding in verdict.removes
            if binding.scope is self.program.scopes.module
        }


def _with_text(edit: Edit, old: str, new: str) -> Edit:
    """Returns an edit with a dotted name in its text replaced by another."""
    copied = re.compile(rf"(?<![\w.]){re.escape(old)}(?!\w)")
    return dataclasses.replace(edit, text=copied.sub(lambda _: new, edit.text))
