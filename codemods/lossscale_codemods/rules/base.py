# SPDX-License-Identifier: Apache-2.0
"""What a rule can say of an occurrence, what a rule is, and which there are."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, TypeAlias

import libcst as cst

from lossscale_codemods import rules
from lossscale_codemods.domain import (
    Binding,
    LossScaleType,
    NameRenderer,
    Occurrence,
    Program,
    Role,
)
from lossscale_codemods.tables.names import WITH_NEW_API, Meaning, OldName, Target
from lossscale_codemods.tables.records import Edit, Record


@dataclasses.dataclass(frozen=True)
class MeaningClaim:
    """That a rewritten constructor means what the old one meant; `proofs` checks it.

    Attributes:
        old: Source of the old `loss_scale` argument, or of the object that a variable holds.
        kinds: What it can be.
        class_name: `"FixedLossScale"` or `"DynamicLossScale"`, if it makes an object of these.
    """

    old: str
    kinds: frozenset[LossScaleType] = frozenset()
    class_name: str = ""


@dataclasses.dataclass
class Rewrite:
    """The occurrence has an exact equivalent.

    Attributes:
        message: What is done, for the report.
        edits: Makes the edits, once it is known how each name is spelled.
        keeps_name: Whether the result still refers to the name that occurs there.
        claims: Other occurrences that vanish with it.
        removes: Variables whose assignment vanishes with it.
        meaning: For constructors: the claim to prove.
        constructor: For constructors: the span of the call.
        is_rename: Whether the name changes and nothing else does.
        unsafe: Whether it is probably right and not proven.
    """

    message: str
    edits: Callable[[NameRenderer], Sequence[Edit]]
    keeps_name: bool = True
    claims: Sequence[Occurrence] = ()
    removes: Sequence[Binding] = ()
    meaning: MeaningClaim | None = None
    constructor: tuple[int, int] | None = None
    is_rename: bool = False
    unsafe: bool = False


def rename(message: str, occurrence: Occurrence, also: Sequence[Edit] = ()) -> Rewrite:
    """Returns the rewrite that puts the new name in place of the old one, and makes other edits."""
    return Rewrite(
        message, lambda renderer: [*renderer.name_edit(occurrence), *also], is_rename=not also
    )


def rewrite(message: str, edits: Sequence[Edit]) -> Rewrite:
    """Returns a rewrite whose edits need no names."""
    return Rewrite(message, lambda _: edits)


@dataclasses.dataclass
class ObservedFix:
    """The right rewrite if one kind of object alone comes by, which a recorded run can tell.

    Attributes:
        what: What is done at the place, such as `loss_scale` for a read of it.
        words: What the name of the kind has in it.
        rewrite: The rewrite.
    """

    what: str
    words: tuple[str, ...]
    rewrite: Rewrite | None

    def times(self, seen: Mapping[str, tuple[str, int]]) -> int:
        """Returns how often that kind came by, if no other did, by what was seen at the place."""
        kind, times = seen.get(self.what, ("", 0))
        return times if all(word in kind for word in self.words) else 0


def of_known_loss_scale(rewrite: Rewrite) -> list[ObservedFix]:
    """Returns the fix of a constructor that got a loss scale of TensorFlow or of this package."""
    return [
        ObservedFix("scale", (home, f".{kind}LossScale "), rewrite)
        for home in ("tensorflow.python.", "compat_lossscale.core.")
        for kind in ("Dynamic", "Fixed")
    ]


@dataclasses.dataclass
class Review:
    """The occurrence is left as it is, and a person has to look at it.

    Attributes:
        message: Why it was left.
        advice: What to do about it.
        unsafe_fix: What is probably the right rewrite, if there is one that cannot be proven.
        observed_fixes: The right rewrites by what a recorded run saw at the place.
        for_older_versions: Whether it is right as it is, for only older versions come to it.
        follows: Whether it is settled with another finding of the file.
        cause: What several findings have in common, so that they are one for people.
        stops: Whether the program does not run there, rather than do something else.
    """

    message: str
    advice: str
    unsafe_fix: Rewrite | None = None
    observed_fixes: Sequence[ObservedFix] = ()
    for_older_versions: bool = False
    follows: bool = False
    cause: cst.CSTNode | None = None
    stops: bool = False


@dataclasses.dataclass
class Ignore:
    """The occurrence is right as it is, on old and new versions alike."""


@dataclasses.dataclass
class Suppressed:
    """The occurrence is left as it is, because a comment or an option says so."""


Verdict = Rewrite | Review | Ignore | Suppressed
Found: TypeAlias = tuple[Occurrence, Verdict]
"""What a rule finds besides the old names, and what becomes of it."""


@dataclasses.dataclass(frozen=True)
class ImportState:
    """What is known of an import once every use of what it brings in is decided.

    Attributes:
        moved: Whether it will import something else.
        dropped: Whether it will be gone.
        star: Whether it is a star import.
        only_suppressed: Whether it stays for nothing but uses that are excepted.
        reason: Why it has to stay, if that is known already.
        follows: Whether it stays for a use that is a finding of its own.
    """

    moved: bool
    dropped: bool
    star: bool
    only_suppressed: bool
    reason: str | None
    follows: bool = False


def moved_import(state: ImportState, message: str, advice: str) -> Verdict:
    """Returns what became of an import that is to become another; its edits are made elsewhere.

    Args:
        state: What is known of it.
        message: What was done, if it could be.
        advice: What to do if it has to stay.
    """
    if state.reason == "suppressed":
        return Suppressed()
    if state.moved or state.dropped:
        return Rewrite(message, lambda _: [])
    reason = state.reason or "it cannot be taken apart"
    return Review(f"the import stays as it is: {reason}", advice)


@dataclasses.dataclass(frozen=True)
class FirstChange:
    """A change that other rules are to see made.

    Attributes:
        edits: The edits.
        message: What is done, for the report.
        occurrences: What changes, or goes, with it.
    """

    edits: Sequence[Edit]
    message: str
    occurrences: Sequence[Occurrence]


@dataclasses.dataclass(frozen=True)
class Marker:
    """A word, one of its companions, and what may stand next to it.

    Attributes:
        word: What a file has somewhere in it.
        companions: What it has somewhere as well: one of these is enough.
        pattern: How the word is written there. Others have it in them too: `auto_mixed_precision`.
    """

    word: bytes
    companions: tuple[bytes, ...] = (b"",)
    pattern: re.Pattern[bytes] | None = None

    def stands_in(self, source: bytes) -> bool:
        """Whether a file that has the word has the rest of the marker."""
        return any(companion in source for companion in self.companions) and (
            self.pattern is None or self.pattern.search(source) is not None
        )


LOSS_SCALE_PATTERN = re.compile(rb"loss_scale(?:_optimizer|_manager)?(?!\w)")
OPTIMIZER = Marker(b"LossScale")
# Also where TensorFlow is not named: other files can hand over a loss-scale optimizer.
LOSS_SCALE = Marker(b"loss_scale", pattern=LOSS_SCALE_PATTERN)
# What is in front is not told from an escape's letter: "\\nmixed_precision".
MIXED_PRECISION = Marker(
    b"mixed_precision",
    (b"experimental", b"contrib", b"graph_rewrite"),
    re.compile(
        rb"(?<!_)mixed_precision(?!\w)"
        rb"|_mixed_precision_graph_rewrite(?:_v1)?(?!\w)"
        rb"|train\.experimental\.\w*mixed_precision"
    ),
)
_OF_2_10 = (b"decay", b"lr", b"gradient_", b"_resource_apply_", b"get_weights", b"legacy")
OF_2_4 = Marker(b"set_global_policy", _OF_2_10)
GIVES_LR = Marker(b"optimizers", pattern=re.compile(rb"(?<!\w)[A-Z]\w+\([^()]*\b(?:lr|decay)\s*="))
OLD_NAMES = (OPTIMIZER, MIXED_PRECISION, LOSS_SCALE, OF_2_4, GIVES_LR)
"""The markers of old names, and of arguments and methods that TensorFlow 2.11 gave up."""


class Rule:
    """One rule: what can make it fire, and a decision.

    Its page in `pages` is its documentation, with examples that are tests too. `decide` is asked
    for every old name of its meanings that no earlier rule has decided; the other methods are for
    rules that do more than that.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    order: ClassVar[int] = 0
    """Rules are asked in this order, and then in the order of their ids."""
    targets: ClassVar[frozenset[Target]] = WITH_NEW_API
    """What a program must be migrated to for the rule to be asked."""
    decides_imports: ClassVar[bool] = False
    """Whether imports are this rule's business: one rule's, that is."""
    decides_the_rest: ClassVar[bool] = False
    """Whether what no rule knows is reported as its own: one rule's, that is."""
    markers: ClassVar[tuple[Marker, ...]] = OLD_NAMES
    """Files without any of these are not parsed for this rule."""
    group_markers: ClassVar[tuple[Marker, ...]] = ()
    """With any of these, files are parsed as well if the run selects the rule or its group."""
    meanings: ClassVar[frozenset[Meaning] | None] = None
    """The old names that it decides, besides what it finds itself; without it, it is asked for
    each."""
    explains: ClassVar[frozenset[Meaning]] = frozenset()
    """The old names of which this rule says most, if these are not its meanings."""
    says: Sequence[str] = ()
    """What it says of each thing that it reports, for its documentation, where this is a list."""
    moved: ClassVar[str] = ""
    """What became of an import that the rule finds."""
    import_advice: ClassVar[str] = ""
    """What to do about such an import, where it stays."""

    @property
    def example_target(self) -> Target:
        """What its examples are migrated to: the first target that it is for."""
        return next(target for target in Target if target in self.targets)

    def find(self, program: Program) -> Iterator[Found]:
        """Yields further occurrences that this rule decides, such as reads of attributes."""
        del program
        yield from ()

    def found(
        self,
        node: cst.CSTNode,
        program: Program,
        verdict: Verdict,
        role: Role = Role.DOUBTFUL,
        names: tuple[OldName, ...] = (),
        *,
        is_old_use: bool = False,
    ) -> Found:
        """Returns what `find` yields of a node.

        Args:
            node: The node.
            program: The file.
            verdict: What becomes of it.
            role: In which way it is old.
            names: The old names that it can be.
            is_old_use: Whether it makes the file one of an old program.
        """
        return self.occurrence(node, program, role, names, is_old_use=is_old_use), verdict

    def occurrence(
        self,
        node: cst.CSTNode,
        program: Program,
        role: Role,
        names: tuple[OldName, ...] = (),
        *,
        is_old_use: bool = False,
    ) -> Occurrence:
        """Returns the occurrence of a node that this rule decides: see `found`."""
        span = program.tree.span(node)
        return Occurrence(node, span, role, names, rule=self.id, is_old_use=is_old_use)

    def find_imports(self, program: Program) -> Iterator[Occurrence]:
        """Yields further imports, on which this rule decides."""
        del program
        yield from ()

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Says what becomes of an old name, or nothing if that is another rule's business."""
        del occurrence, program
        return None

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict:
        """Says what became of an import, once all uses of what it brings in are decided."""
        del occurrence
        return moved_import(state, self.moved, self.import_advice)

    def protect(
        self, program: Program, occurrences: Sequence[Occurrence]
    ) -> Mapping[Occurrence, Review]:
        """Returns occurrences that no rule may change, each with the reason."""
        del program, occurrences
        return {}

    def first_changes(
        self, program: Program, occurrences: Callable[[], Sequence[Occurrence]]
    ) -> Iterator[FirstChange]:
        """Yields changes to make before other rules are asked, one after the other."""
        del program, occurrences
        yield from ()

    def mentions(self, program: Program) -> Iterator[Record]:
        """Yields records of places that only mention old names."""
        del program
        yield from ()


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """Returns one of each rule, in the order in which they are asked."""
    by_id: dict[str, Rule] = {}
    for rule in _discovered():
        if rule.id in by_id:
            raise RuntimeError(f"Two rules have the id {rule.id}.")
        by_id[rule.id] = rule
    return tuple(sorted(by_id.values(), key=lambda rule: (rule.order, rule.id)))


def rules_for(target: Target) -> tuple[Rule, ...]:
    """Returns those of the rules that are for a target, in the order in which they are asked."""
    return tuple(rule for rule in all_rules() if target in rule.targets)


@functools.cache
def _discovered() -> tuple[Rule, ...]:
    discovered = []
    for module_info in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}."):
        module = importlib.import_module(module_info.name)
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, Rule)
                and value.__module__ == module.__name__
                and hasattr(value, "id")
            ):
                discovered.append(value())
    return tuple(discovered)
