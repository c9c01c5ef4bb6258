# SPDX-License-Identifier: Apache-2.0
"""What the rules say about each old name in a file, suppressions and protected names included."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import BESIDE, Occurrence, Role, version_guards
from lossscale_codemods.rules.base import Ignore, Review, Rewrite, Rule, Suppressed, Verdict
from lossscale_codemods.rules.registry import all_rules, rules_for
from lossscale_codemods.source.reading import text_of
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import canonical
from lossscale_codemods.tables.suppression import Suppressions

if TYPE_CHECKING:
    from lossscale_codemods.domain import Program
    from lossscale_codemods.tables.options import Options


class RuleVerdicts:
    """The verdicts on one file. None is known before `ask` is called.

    Args:
        program: The file.
        options: What is done with it.

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
        self.for_new: frozenset[Occurrence] = frozenset()
        if not self.is_empty:
            old = [o for o in (*program.references, *self.of_rules) if o.role not in BESIDE]
            self.protected = {
                occurrence: (review, rule.id)
                for rule in self.rules
                for occurrence, review in rule.protect(program, [*old, *program.imports]).items()
            }
            self.for_new = version_guards.for_new_versions(program, old)

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
        if occurrence in self.for_new:
            return Ignore()
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
        if not isinstance(verdict, Rewrite):
            return verdict
        if occurrence.ambiguous and occurrence.role is not Role.UNRESOLVED:
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
        """Whether the other things a name can be are what the old one becomes.

        It is also right as it is if the old one is nothing that the versions of today come to.
        """
        new = {
            canonical(path)
            for old in occurrence.names
            for path in old.new_paths(self.program.target)
        }
        paths = self.program.today.paths(occurrence.node)
        others = [path for path in paths if path is None or names.lookup(path) is None]
        if occurrence.role not in BESIDE and len(others) == len(paths):
            return True
        return all(path is not None and canonical(path) in new for path in others)

    def _decide_the_rest(self, occurrence: Occurrence) -> None:
        asked = ((rule.id, rule.decide_rest(occurrence, self.program)) for rule in all_rules())
        rule_id, review = next((one, answer) for one, answer in asked if answer is not None)
        self.rule_of[occurrence] = rule_id
        verdict: Verdict = review
        if occurrence in self.protected:
            verdict = self.protected[occurrence][0]
        if self.is_suppressed(occurrence, rule_id):
            verdict = Suppressed()
        self.verdicts[occurrence] = verdict


def _is_for(rule: Rule, occurrence: Occurrence) -> bool:
    """Whether a rule is asked for an occurrence: for what it found, and for its meanings."""
    if occurrence.rule is not None:
        return occurrence.rule == rule.id
    return rule.meanings is None or occurrence.meaning in rule.meanings
