# SPDX-License-Identifier: Apache-2.0
"""Asks the rules about a file again and again, until names, imports and aliases fit together.

What is decided then becomes edits, and a record in words for each old name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import libcst as cst

from lossscale_codemods.domain import (
    BESIDE,
    Binding,
    BindingKind,
    CannotRenderError,
    NameRenderer,
    Occurrence,
    Program,
    Role,
)
from lossscale_codemods.rewriting.import_edits import ImportEditor, Plan, Planner
from lossscale_codemods.rules.base import (
    Ignore,
    ImportState,
    MeaningClaim,
    Review,
    Rewrite,
    Rule,
    Suppressed,
    Verdict,
    all_rules,
    rules_for,
)
from lossscale_codemods.source.edits import (
    OverlappingEditsError,
    apply_edits,
    kept_comments,
    remove_statement,
    small_statement,
)
from lossscale_codemods.source.reading import text_of
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import canonical
from lossscale_codemods.tables.options import Options, Suppressions
from lossscale_codemods.tables.records import Edit, Outcome, Record

_BY_HAND = "Change it by hand; `compat-lossscale migrate --explain {}` says more."


class RuleVerdicts:
    """The verdicts on one file. None is known before `ask` is called.

    Attributes:
        found: What the rules look for besides the old names.
        imports: The imports that are decided.
        protected: Occurrences that no rule may change: why, and by which rule.
        forced: Occurrences of which it has turned out that they cannot be changed.
        verdicts: What becomes of each occurrence.
        rule_of: The id of the rule that decided it.
        told: The verdicts that rules found together with the occurrence.
    """

    def __init__(self, program: Program, options: Options) -> None:
        self.program = program
        self.tree = program.tree
        self.suppressions = Suppressions(text_of(program.source))
        self.unsafe_fixes = options.unsafe_fixes
        program.observed = options.observed_here
        self.rules = rules_for(program.target)
        self.forced: dict[Occurrence, Review | Suppressed] = {}
        self.verdicts: dict[Occurrence, Verdict] = {}
        self.rule_of: dict[Occurrence, str] = {}
        self.of_rules: list[Occurrence] = []
        self.told: dict[Occurrence, Verdict] = {}
        for rule in self.rules:
            found = dict(rule.find(program))
            program.decided_strings |= {o.node for o in found if o.role is Role.STRING}
            program.has_old_uses |= any(o.is_old_use for o in found)
            self.of_rules += found
            self.told |= found
        self.imports = [*program.imports]
        self.imports += [o for rule in self.rules for o in rule.find_imports(program)]
        self.protected: dict[Occurrence, tuple[Review, str]] = {}
        if not self.is_empty:
            old = [o for o in (*program.references, *self.of_rules) if o.role not in BESIDE]
            self.protected = {
                occurrence: (review, rule.id)
                for rule in self.rules
                for occurrence, review in rule.protect(program, [*old, *program.imports]).items()
            }

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to decide."""
        return not (self.program.references or self.of_rules or self.imports)

    def is_suppressed(self, occurrence: Occurrence, rule: str) -> bool:
        """Whether a comment or an option says that a rule leaves an occurrence."""
        if not self.program.selection.applies(rule):
            return True
        first = self.tree.position(occurrence.span[0])[0]
        start, end = self.tree.span(self.tree.statement(occurrence.node))
        lines = {first, self.tree.position(start)[0]}
        if isinstance(self.tree.statement(occurrence.node), cst.SimpleStatementLine):
            lines.add(self.tree.position(end)[0])
        return self.suppressions.covers(rule, lines)

    def ask(self) -> None:
        """Asks again, with what is forced by now."""
        everything = [*self.program.references, *self.of_rules]
        self.verdicts = {}
        self.rule_of = {}
        # Rules that claim other occurrences, such as a constructor its loss scale, go first.
        for rule in self.rules:
            for occurrence in everything:
                if occurrence in self.verdicts or not _is_for(rule, occurrence):
                    continue
                verdict = self._ask(rule, occurrence)
                if verdict is None:
                    continue
                self.verdicts[occurrence] = verdict
                self.rule_of[occurrence] = rule.id
                if isinstance(verdict, Rewrite):
                    for other in verdict.claims:
                        if self._can_claim(other, rule):
                            gone = Rewrite(verdict.message, lambda _: [], keeps_name=False)
                            self.verdicts[other] = gone
                            self.rule_of[other] = rule.id
        for occurrence in everything:
            if occurrence not in self.verdicts:
                self._decide_the_rest(occurrence)

    def _can_claim(self, other: Occurrence, rule: Rule) -> bool:
        """Whether an occurrence is free, or was left by this rule as unclaimed."""
        if other not in self.verdicts:
            return True
        return (
            isinstance(self.verdicts[other], Review)
            and self.rule_of[other] == rule.id
            and other not in self.protected
            and other not in self.forced
        )

    def _fix(self, review: Review, occurrence: Occurrence) -> Rewrite | None:
        """Returns what is to be made although it is not proven, if there is such a rewrite."""
        line = self.program.line(occurrence.node)
        seen = self.program.observed.get(line, {})
        for fix in review.observed_fixes:
            times = fix.times(seen)
            if times and fix.rewrite is not None:
                self.program.decided_by_run[line] = times
                return fix.rewrite
        if self.unsafe_fixes and review.unsafe_fix is not None:
            return dataclasses.replace(review.unsafe_fix, unsafe=True)
        return None

    def _ask(self, rule: Rule, occurrence: Occurrence) -> Verdict | None:
        verdict = self.told.get(occurrence) or rule.decide(occurrence, self.program)
        if verdict is None or isinstance(verdict, Ignore):
            return verdict
        if isinstance(verdict, Review):
            verdict = self._fix(verdict, occurrence) or verdict
        if self.is_suppressed(occurrence, rule.id):
            return Suppressed()
        if occurrence in self.protected:
            return self.protected[occurrence][0]
        if occurrence in self.forced:
            return self.forced[occurrence]
        is_ambiguous = occurrence.ambiguous and occurrence.role is not Role.UNRESOLVED
        if isinstance(verdict, Review) and is_ambiguous:
            return dataclasses.replace(verdict, unsafe_fix=None)  # It is refused below.
        if not isinstance(verdict, Rewrite):
            return verdict
        if is_ambiguous:
            if verdict.is_rename and self._is_new_as_well(occurrence):
                return Ignore()
            star = self.program.resolver.hidden_by(occurrence.base)
            if star is not None:
                return Review(
                    f"the star import on line {self.program.line(star.node)} may bring in another "
                    "thing of this name",
                    "Import what you need of that module by name.",
                )
            return Review(
                "on other ways through the program this name stands for something else",
                "Give the two things two names, or take out the one that is for old versions.",
            )
        if self._is_shown(occurrence.node):
            shown = Review(
                "its source is printed with its value here, so that the text would be another one",
                "Write the new code, and the text that is to be printed.",
                unsafe_fix=verdict,
            )
            return self._fix(shown, occurrence) or shown
        return verdict

    def _is_shown(self, node: cst.CSTNode) -> bool:
        """Whether a node is in a field of an f-string that shows its source: `f"{x=}"`."""
        return any(
            isinstance(above, cst.FormattedStringExpression) and above.equal is not None
            for above in self.tree.ancestors(node)
        )

    def _is_new_as_well(self, occurrence: Occurrence) -> bool:
        """Whether the other things a name can be are what the old one becomes, or is in 2.4.

        It is also right as it is if the old one is nothing that the versions of today come to.
        """
        new = {
            canonical(path)
            for old in occurrence.names
            for path in (*old.new_paths(self.program.target), *old.new)
        }
        paths = self.program.today.paths(occurrence.node)
        others = [path for path in paths if path is None or names.lookup(path) is None]
        if occurrence.role not in BESIDE and len(others) == len(paths):
            return True
        return all(path is not None and canonical(path) in new for path in others)

    def _decide_the_rest(self, occurrence: Occurrence) -> None:
        rule = next(rule.id for rule in self.rules if rule.decides_the_rest)
        verdict: Verdict = Review("it is used in a way that no rule knows", _BY_HAND.format(rule))
        if occurrence in self.protected:
            verdict = self.protected[occurrence][0]
        if self.is_suppressed(occurrence, rule):
            verdict = Suppressed()
        self.rule_of[occurrence] = rule
        self.verdicts[occurrence] = verdict


def _is_for(rule: Rule, occurrence: Occurrence) -> bool:
    """Whether a rule is asked for an occurrence: for what it found, and for its meanings."""
    if occurrence.rule is not None:
        return occurrence.rule == rule.id
    return rule.meanings is None or occurrence.meaning in rule.meanings


class Decisions:
    """The decisions on one file."""

    def __init__(self, program: Program, options: Options) -> None:
        self.program = program
        self.tree = program.tree
        self.rules = RuleVerdicts(program, options)
        self.import_rule = next(r for r in all_rules() if r.decides_imports)
        self.blocked: dict[cst.CSTNode, str] = {}

    def outcomes(self) -> Outcomes:
        """Returns what becomes of the file."""
        if self.rules.is_empty:
            return Outcomes(left=0)
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
        if occurrence in self.rules.protected:
            self.blocked[occurrence.node] = self.rules.protected[occurrence][0].message
        elif self.rules.is_suppressed(occurrence, occurrence.rule or self.import_rule.id):
            self.blocked[occurrence.node] = "suppressed"

    def _try(self) -> Outcomes | None:
        """Returns the outcomes if everything fits, or forces something to be left."""
        plan = Planner(self.program, self.rules.imports, self.rules.verdicts).plan(self.blocked)
        if self._force_aliases(plan) or self._force_unpacked():
            return None
        renderer = NameRenderer(self.program, plan.moved, plan.dropped)
        edits: dict[Occurrence, list[Edit]] = {}
        for occurrence, verdict in self.rules.verdicts.items():
            if not isinstance(verdict, Rewrite):
                continue
            try:
                edits[occurrence] = list(verdict.edits(renderer))
            except CannotRenderError as error:
                advice = _BY_HAND.format(self.rules.rule_of[occurrence])
                self.rules.forced[occurrence] = Review(str(error), advice)
                return None
        given_up = [
            binding
            for verdict in self.rules.verdicts.values()
            if isinstance(verdict, Rewrite)
            for binding in verdict.removes
        ]
        statements = (small_statement(self.tree, binding.node) for binding in given_up)
        removed = [one for one in dict.fromkeys(statements) if one is not None]
        editor = ImportEditor(self.program, plan, removed)
        try:
            import_edits = editor.edits()
        except CannotRenderError as error:
            for occurrence in self.rules.imports:
                if occurrence.node not in self.blocked:
                    self.blocked[occurrence.node] = str(error)
            return None
        outcomes = self._recorded(plan, edits, import_edits)
        for statement in removed:
            outcomes.edits += remove_statement(self.tree, statement, editor.gone)
        module = self.program.scopes.module
        outcomes.changed_names = plan.changed_names | {
            binding.name for binding in given_up if binding.scope is module
        }
        if outcomes.edits:
            outcomes.edits += renderer.header_edits()
            outcomes.edits += kept_comments(self.tree, outcomes.edits)
        return outcomes if self._without_overlaps(outcomes, edits) else None

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

    def _recorded(
        self,
        plan: Plan,
        edits: dict[Occurrence, list[Edit]],
        import_edits: dict[cst.CSTNode, list[Edit]],
    ) -> Outcomes:
        """Returns the edits and records of everything that is decided."""
        result = Outcomes()
        decided = [
            (one, verdict, self.rules.rule_of[one], edits.get(one, []))
            for one, verdict in self.rules.verdicts.items()
        ]
        left = sum(self._is_left(one, verdict, plan) for one, verdict, _, _ in decided)
        for one in self.rules.imports:
            verdict = self._import_verdict(one, plan)
            rule = one.rule or self.import_rule.id
            decided.append((one, verdict, rule, import_edits.get(one.node, [])))
            left += one.rule is None and not isinstance(verdict, Rewrite)
        result.left = left
        recorded: list[tuple[Record, cst.CSTNode | None]] = []
        for one, verdict, rule, own in decided:
            result.edits += own
            result.changes_optimizers |= _changes_optimizers(one, verdict)
            if isinstance(verdict, Rewrite) and verdict.meaning is not None:
                span = verdict.constructor or self.tree.span(one.node)
                result.calls.append(ProvenCall(span, own, verdict.meaning))
            record = self._record(one, rule, verdict, own)
            if record is not None:
                recorded.append((record, getattr(verdict, "cause", None)))
        causes: set[cst.CSTNode | None] = set()
        for record, cause in sorted(recorded, key=lambda one: (one[0].line, one[0].column)):
            follows = record.follows or (cause is not None and cause in causes)
            result.records.append(dataclasses.replace(record, follows=follows))
            causes.add(cause)
        return result

    def _is_left(self, occurrence: Occurrence, verdict: Verdict, plan: Plan) -> bool:
        """Whether an old name will still be there."""
        if isinstance(verdict, Ignore):
            bindings = self.program.resolver.bindings(occurrence.base)
            moved = [one.path for one in bindings if one in plan.moved]
            if any(path is None or names.lookup(path) is not None for path in moved):
                return False  # They move together.
        roles = (Role.FOUND, Role.STRING, Role.DOUBTFUL, *BESIDE)
        return occurrence.role not in roles and not isinstance(verdict, Rewrite)

    def _import_verdict(self, occurrence: Occurrence, plan: Plan) -> Verdict:
        if self.blocked.get(occurrence.node) == "suppressed":
            return Suppressed()
        if occurrence in self.rules.protected:
            return self.rules.protected[occurrence][0]
        own = self.program.scopes.binding_at.get(occurrence.node, [])
        reason = self.blocked.get(occurrence.node)
        state = ImportState(
            moved=any(binding in plan.moved for binding in own),
            dropped=any(binding in plan.dropped for binding in own),
            star=any(binding.kind is BindingKind.STAR for binding in own),
            only_suppressed=any(only_suppressed(one, self.rules.verdicts) for one in own),
            reason=reason or next(filter(None, map(plan.kept.get, own)), None),
            follows=reason is None and any(binding in plan.follows for binding in own),
        )
        rules = {rule.id: rule for rule in all_rules()}
        rule = rules[occurrence.rule] if occurrence.rule is not None else self.import_rule
        return rule.decide_import(occurrence, state)

    def _record(
        self, occurrence: Occurrence, rule: str, verdict: Verdict, edits: Sequence[Edit]
    ) -> Record | None:
        if isinstance(verdict, Ignore):
            return None
        if isinstance(verdict, Suppressed):
            return record_of(occurrence, self.program, rule, Outcome.SUPPRESSED, "left, as asked")
        if isinstance(verdict, Rewrite):
            record = record_of(occurrence, self.program, rule, Outcome.REWRITTEN, verdict.message)
            times = self.program.decided_by_run.get(self.program.line(occurrence.node), 0)
            return dataclasses.replace(
                record, edits=tuple(edits), unsafe=verdict.unsafe, observed=times
            )
        protected, by = self.rules.protected.get(occurrence, (None, rule))
        record = record_of(
            occurrence,
            self.program,
            by if verdict is protected else rule,
            Outcome.NEEDS_REVIEW,
            verdict.message,
        )
        return dataclasses.replace(
            record,
            advice=verdict.advice,
            edits=tuple(edits),
            unsafe=verdict.unsafe_fix is not None,
            for_older_versions=verdict.for_older_versions,
            follows=verdict.follows,
            stops=verdict.stops,
        )


def record_of(
    occurrence: Occurrence, program: Program, rule: str, outcome: Outcome, message: str
) -> Record:
    """Returns the record of an occurrence, with its place and a message of one line."""
    (line, column), (end_line, end_column) = map(program.tree.position, occurrence.span)
    name, message = program.describe(occurrence), " ".join(message.split())
    return Record(rule, outcome, line, column, name, message, "", end_line, end_column)


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
    left: int | None = None
    """How many old names are left as they are, if that is known."""
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


def _changes_optimizers(occurrence: Occurrence, verdict: Verdict) -> bool:
    """Whether a Keras optimizer becomes one of another family."""
    is_optimizer = occurrence.role is Role.OPTIMIZER or any(
        old.meaning is names.Meaning.KERAS_OPTIMIZER for old in occurrence.names
    )
    return is_optimizer and isinstance(verdict, Rewrite)
