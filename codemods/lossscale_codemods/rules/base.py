# SPDX-License-Identifier: Apache-2.0
"""What a rule can say of an occurrence, and what a rule is."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

from lossscale_codemods.vocabulary.names import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.editing.name_rendering import NameRenderer
    from lossscale_codemods.vocabulary.records import Edit


@dataclasses.dataclass(frozen=True)
class MeaningClaim:
    """That a rewritten constructor means what the old one meant; `proofs` checks it.

    Attributes:
        old: Source of the old `loss_scale` argument; `None` if it stood for the default.
        definitions: Source of every value that a variable in it can have, by variable.
        classes: `"FixedLossScale"` or `"DynamicLossScale"` by how the file spells the class.
    """

    old: str
    definitions: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    classes: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Rewrite:
    """The occurrence has an exact equivalent.

    Attributes:
        message: What is done, for the report.
        edits: Makes the edits, once it is known how each name is spelled.
        keeps_name: Whether the result still refers to the name that the occurrence stands on.
        claims: Other occurrences that vanish with it.
        removes: Variables whose assignment vanishes with it.
        meaning: For constructors: the claim to prove.
        constructor: For constructors: the span of the call.
        is_rename: Whether the name changes and nothing else does.
    """

    message: str
    edits: Callable[[NameRenderer], Sequence[Edit]]
    keeps_name: bool = True
    claims: Sequence[Occurrence] = ()
    removes: Sequence[Binding] = ()
    meaning: MeaningClaim | None = None
    constructor: tuple[int, int] | None = None
    is_rename: bool = False


def rename(message: str, occurrence: Occurrence) -> Rewrite:
    """Returns the rewrite that puts the new name in place of the old one, and nothing else."""
    return Rewrite(message, lambda renderer: renderer.name_edit(occurrence), is_rename=True)


@dataclasses.dataclass
class Review:
    """The occurrence is left as it is, and a person has to look at it.

    Attributes:
        message: Why it was left.
        advice: What to do about it.
    """

    message: str
    advice: str


@dataclasses.dataclass
class Ignore:
    """The occurrence is right as it is, on old and new versions alike."""


@dataclasses.dataclass
class Suppressed:
    """The occurrence is left as it is, because a comment or an option says so."""


Verdict = Rewrite | Review | Ignore | Suppressed


@dataclasses.dataclass(frozen=True)
class Case:
    """A program before and after a rule, or one that the rule leaves.

    Attributes:
        before: The program as it was.
        after: What becomes of it; the same as `before` if nothing does.
        review: A part of the message of the finding, if there must be one.
    """

    before: str
    after: str | None = None
    review: str | None = None


class Rule:
    """One rule: an id, a title, examples that are also tests and docs, and a decision.

    A rule's module docstring is its documentation. `decide` is asked for every occurrence that no
    earlier rule has decided; `find` may add occurrences that are no names, such as reads of
    attributes.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    order: ClassVar[int] = 0
    """Rules are asked in this order, and then in the order of their ids."""
    targets: ClassVar[frozenset[Target]] = frozenset([Target.TF_KERAS])
    invalid: ClassVar[tuple[Case, ...]] = ()
    """Programs that the rule changes."""
    valid: ClassVar[tuple[Case, ...]] = ()
    """Programs that it leaves, with or without a finding."""
    not_handled: ClassVar[str] = ""
    """What it leaves, in words, where `valid` has no finding that says so."""

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields further occurrences that this rule decides."""
        del program
        yield from ()

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Says what becomes of an occurrence, or nothing if that is another rule's business."""
        del occurrence, program
        return None
