# SPDX-License-Identifier: Apache-2.0
"""The records of one file: what became of each old name, in words."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, BindingKind
from lossscale_codemods.analysis.occurrences import BESIDE, Occurrence, Role
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.rules.base import (
    BindingState,
    Ignore,
    ImportState,
    MeaningClaim,
    Review,
    Rewrite,
    Rule,
    Suppressed,
    Verdict,
)
from lossscale_codemods.rules.registry import all_rules
from lossscale_codemods.vocabulary import names
from lossscale_codemods.vocabulary.records import Edit, Outcome, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import libcst as cst

    from lossscale_codemods.rewriting.binding_plan import Plan


@dataclasses.dataclass
class ProvenCall:
    """A rewritten constructor, for the proof of its meaning."""

    span: tuple[int, int]
    edits: Sequence[Edit]
    claim: MeaningClaim


@dataclasses.dataclass
class Outcomes:
    """What becomes of one file."""

    records: list[Record] = dataclasses.field(default_factory=list)
    edits: list[Edit] = dataclasses.field(default_factory=list)
    calls: list[ProvenCall] = dataclasses.field(default_factory=list)
    left: int = 0
    """How many old names are left as they are."""
    changed_names: set[str] = dataclasses.field(default_factory=set)
    """Names that other files must not use, as in `Result`."""
    changes_optimizers: bool = False
    """As in `Result`."""


def only_suppressed(binding: Binding, verdicts: Mapping[Occurrence, Verdict]) -> bool:
    """Whether a name has to stay for nothing but uses that a comment or an option excepts."""
    of_uses = [v for o, v in verdicts.items() if any(n in binding.uses for n in o.prefixes())]
    return any(isinstance(v, Suppressed) for v in of_uses) and not any(
        isinstance(v, Review) for v in of_uses
    )


def _is_of_old(binding: Binding) -> bool:
    """Whether a name that moves had an old name, and none of those beside it."""
    return binding.path is None or names.lookup(binding.path) is not None


def _note_cause(
    by_cause: dict[cst.CSTNode, list[int]], verdict: Verdict, records: Sequence[Record]
) -> None:
    """Notes of the last of some records what it has in common with others."""
    if isinstance(verdict, Review) and verdict.cause is not None:
        by_cause.setdefault(verdict.cause, []).append(len(records) - 1)


def _changes_optimizers(occurrence: Occurrence, verdict: Verdict) -> bool:
    """Whether a Keras optimizer becomes one of another family."""
    is_optimizer = occurrence.role is Role.OPTIMIZER or any(
        old.meaning is names.Meaning.KERAS_OPTIMIZER for old in occurrence.names
    )
    return is_optimizer and isinstance(verdict, Rewrite)


class Recorder:
    """Puts together what became of one file.

    Args:
        program: The file.
        imports: The imports that are decided.
        verdicts: What becomes of each reference.
        rule_of: The id of the rule that decided it.
        protected: Occurrences that no rule may change: why, and by which rule.
        import_rule: The rule that decides imports.
        blocked: Nodes of imports that must stay, with the reason.
    """

    def __init__(
        self,
        program: Program,
        imports: Sequence[Occurrence],
        verdicts: Mapping[Occurrence, Verdict],
        rule_of: Mapping[Occurrence, str],
        protected: Mapping[Occurrence, tuple[Review, str]],
        import_rule: Rule,
        blocked: Mapping[cst.CSTNode, str],
    ) -> None:
        self.program = program
        self.imports = imports
        self.tree = program.tree
        self.verdicts = verdicts
        self.rule_of = rule_of
        self.protected = protected
        self.import_rule = import_rule
        self.blocked = blocked

    def outcomes(
        self,
        plan: Plan,
        edits: dict[Occurrence, list[Edit]],
        import_edits: dict[cst.CSTNode, list[Edit]],
        stars: dict[Binding, str],
        dotted_imports: dict[cst.CSTNode, str],
    ) -> Outcomes:
        """Returns the edits and records of everything that is decided.

        Args:
            plan: What becomes of imports and aliases.
            edits: The edits of each rewritten reference.
            import_edits: The edits by the import that they are for.
            stars: The star imports that become imports of names, and of which module.
            dotted_imports: New paths for `import a.b.experimental`.
        """
        result = Outcomes()
        by_cause: dict[cst.CSTNode, list[int]] = {}
        for occurrence, verdict in self.verdicts.items():
            own = edits.get(occurrence, [])
            result.edits += own
            result.left += self._is_left(occurrence, verdict, plan)
            record = self._record(occurrence, self.rule_of[occurrence], verdict, own)
            if record is not None:
                result.records.append(record)
                _note_cause(by_cause, verdict, result.records)
            result.changes_optimizers |= _changes_optimizers(occurrence, verdict)
            if isinstance(verdict, Rewrite) and verdict.meaning is not None:
                span = verdict.constructor or self.tree.span(occurrence.node)
                result.calls.append(ProvenCall(span, own, verdict.meaning))
        for occurrence in self.imports:
            own = import_edits.get(occurrence.node, [])
            result.edits += own
            verdict = self._import_verdict(occurrence, plan, stars, dotted_imports)
            result.left += occurrence.rule is None and not isinstance(verdict, Rewrite)
            result.changes_optimizers |= _changes_optimizers(occurrence, verdict)
            record = self._record(occurrence, self._rule_of_import(occurrence), verdict, own)
            if record is not None:
                result.records.append(record)
                _note_cause(by_cause, verdict, result.records)
        for indexes in by_cause.values():
            in_order = sorted(
                indexes, key=lambda i: (result.records[i].line, result.records[i].column)
            )
            for index in in_order[1:]:
                result.records[index] = dataclasses.replace(result.records[index], follows=True)
        return result

    def _rule_of_import(self, occurrence: Occurrence) -> str:
        if occurrence in self.protected:
            review, rule = self.protected[occurrence]
            if self.blocked.get(occurrence.node) == review.message:
                return rule
        return occurrence.rule or self.import_rule.id

    def _is_left(self, occurrence: Occurrence, verdict: Verdict, plan: Plan) -> bool:
        """Whether an old name will still be there."""
        if isinstance(verdict, Ignore):
            bindings = self.program.resolver.bindings(occurrence.base)
            if any(binding in plan.moved and _is_of_old(binding) for binding in bindings):
                return False  # They move together.
        roles = (Role.FOUND, Role.STRING, Role.DOUBTFUL, *BESIDE)
        return occurrence.role not in roles and not isinstance(verdict, Rewrite)

    def _import_verdict(
        self,
        occurrence: Occurrence,
        plan: Plan,
        stars: dict[Binding, str],
        dotted_imports: dict[cst.CSTNode, str],
    ) -> Verdict:
        if self.blocked.get(occurrence.node) == "suppressed":
            return Suppressed()
        if occurrence in self.protected:
            return self.protected[occurrence][0]
        bindings = [
            BindingState(
                moved=binding in plan.moved or binding in stars,
                dropped=binding in plan.dropped,
                kept=plan.kept.get(binding),
                only_suppressed=only_suppressed(binding, self.verdicts),
                star=binding.kind is BindingKind.STAR,
            )
            for binding in self.program.scopes.binding_at.get(occurrence.node, [])
        ]
        follows_module = occurrence.node in dotted_imports
        reason = self.blocked.get(occurrence.node)
        own = self.program.scopes.binding_at.get(occurrence.node, [])
        follows = reason is None and any(binding in plan.follows for binding in own)
        state = ImportState(follows_module, bindings, reason, follows)
        rules = {rule.id: rule for rule in all_rules()}
        rule = rules[occurrence.rule] if occurrence.rule is not None else self.import_rule
        verdict = rule.decide_import(occurrence, state)
        assert verdict is not None
        return verdict

    def _record(
        self, occurrence: Occurrence, rule: str, verdict: Verdict, edits: Sequence[Edit]
    ) -> Record | None:
        if isinstance(verdict, Suppressed):
            outcome, message, advice = Outcome.SUPPRESSED, "left, as asked", ""
        elif isinstance(verdict, Ignore):
            return None
        elif isinstance(verdict, Review):
            outcome, message, advice = Outcome.NEEDS_REVIEW, verdict.message, verdict.advice
            if occurrence in self.protected and verdict is self.protected[occurrence][0]:
                rule = self.protected[occurrence][1]
        else:
            outcome, message, advice = Outcome.REWRITTEN, verdict.message, ""
        line, column = self.tree.position(occurrence.span[0])
        end_line, end_column = self.tree.position(occurrence.span[1])
        return Record(
            rule=rule,
            outcome=outcome,
            line=line,
            column=column,
            name=self.program.describe(occurrence),
            message=message,
            advice=advice,
            end_line=end_line,
            end_column=end_column,
            edits=tuple(edits),
            unsafe=isinstance(verdict, Review) and verdict.unsafe_fix is not None,
            for_older_versions=isinstance(verdict, Review) and verdict.for_older_versions,
            follows=isinstance(verdict, Review) and verdict.follows,
            stops=isinstance(verdict, Review) and verdict.stops,
        )
