# SPDX-License-Identifier: Apache-2.0
"""Code that already supports old and new versions: recognised, and its old branches left.

    if version.parse(tf.__version__) >= version.parse("2.4"):
        opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
    else:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")

To rewrite the old branch would make both branches equal, or break the old version it is for.
`--collapse-guards` takes it out. A program whose old names are all in such branches runs today as
it is, with the optimizers of today; so do its other files.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

import libcst as cst

from lossscale_codemods.domain.program import Occurrence, Program, Role, Usage
from lossscale_codemods.domain.version_values import is_new
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import Meaning


@dataclasses.dataclass
class Guard:
    """A statement or expression that chooses between old and new names.

    Attributes:
        node: The statement or expression.
        old: The parts for old versions.
        new: The part for new versions, if it is one part of this statement.
        alone: Whether nothing in the file does the same in new versions.
    """

    node: cst.CSTNode
    old: list[cst.CSTNode]
    new: cst.CSTNode | None
    alone: bool = False


def is_within(program: Program, node: cst.CSTNode, part: cst.CSTNode) -> bool:
    """Whether a node is a part of a file, or in it."""
    return node is part or any(above is part for above in program.tree.ancestors(node))


_NAMES_A_VERSION = re.compile(r"(?i:(?:tf|tensorflow|keras)[._]*(?:version|v?2_?[34]))|VERSION")
"""How flags of files that are not there are named: `IS_PREV_TF_2_4`."""
_ASKS = frozenset({Usage.ANNOTATION, Usage.TYPE_COMPARISON, Usage.TYPE_TEST})
"""What a class is used for without an object being made of it."""


def find_guards(program: Program, occurrences: Sequence[Occurrence]) -> Iterator[Guard]:
    """Yields the guards around some occurrences of old names."""
    guards = _Guards(program, occurrences)
    yield from guards.by_versions()
    yield from guards.by_names()


class _Guards:
    def __init__(self, program: Program, occurrences: Sequence[Occurrence]) -> None:
        self.program = program
        self.tree = program.tree
        self.reachability = program.reachability
        told = (Role.UNRESOLVED, Role.DOUBTFUL)  # Neither says for which versions a branch is.
        self.occurrences = [o for o in occurrences if o.role not in told]

    def by_versions(self) -> Iterator[Guard]:
        """What TensorFlow's version alone keeps new versions from."""
        guards: dict[cst.CSTNode, list[Occurrence]] = {}
        for occurrence in sorted(self.occurrences, key=lambda one: self.tree.span(one.node)):
            guard = self.reachability.guard_of(occurrence.node)
            if guard is not None:
                guards.setdefault(guard, []).append(occurrence)
        for node, kept in guards.items():
            other = self._other_side(node, kept)
            does_same = other is not None and self._does_the_same(kept, other)
            missed = not does_same and any(self._does_something(one, node) for one in kept)
            alone = missed and not self.reachability.has_newer_side
            nodes = [occurrence.node for occurrence in kept]
            can_go = does_same and all(map(self.reachability.is_kept_from_new, nodes))
            yield Guard(node, nodes, other if can_go else None, alone=alone)

    def by_names(self) -> Iterator[Guard]:
        """What a condition that cannot be evaluated keeps new versions from, by its name."""
        guards: dict[cst.If | cst.IfExp, list[Occurrence]] = {}
        for occurrence in self.occurrences:
            below = occurrence.node
            for above in self.tree.ancestors(below):
                if (
                    isinstance(above, cst.If | cst.IfExp)
                    and below is not above.test
                    and self._names_a_version(above.test)
                ):
                    guards.setdefault(above, []).append(occurrence)
                below = above
        for node, kept in guards.items():
            other = self._other_side(node, kept)
            does_same = other is not None and self._does_the_same(kept, other)
            if other is not None or node.orelse is None:
                missed = not does_same and any(self._does_something(one, node) for one in kept)
                is_in_body = is_within(self.program, kept[0].node, node.body)
                side = node.body if is_in_body or node.orelse is None else node.orelse
                yield Guard(node, [side], None, alone=missed)

    def _names_a_version(self, test: cst.BaseExpression) -> bool:
        if isinstance(test, cst.BooleanOperation):  # `amp and tf.__version__ >= "2.1"` names one.
            return self._names_a_version(test.left) or self._names_a_version(test.right)
        is_named = _NAMES_A_VERSION.search(self.tree.source(test)) is not None
        return is_named and not self.reachability.is_known(test)

    def _does_the_same(self, old: list[Occurrence], other: cst.CSTNode) -> bool:
        """Whether the other side of a guard has names of its own for what old names do."""
        named = [occurrence for occurrence in old if occurrence.names]
        return (
            not named
            or any(is_new(node, self.program.resolver) for node in self.tree.walk(other))
            or any(is_within(self.program, o.node, other) for o in self.occurrences)
            or self._brings_in(named, other)
        )

    def _brings_in(self, old: list[Occurrence], other: cst.CSTNode) -> bool:
        """Whether what old names bring in under a name, the other side imports under that, too."""
        imported = {
            binding.name
            for node, bindings in self.program.scopes.binding_at.items()
            if is_within(self.program, node, other)
            for binding in bindings
            if binding.path is not None and frameworks.is_framework(binding.path)
        }
        return all(
            bound.name in imported
            for occurrence in old
            for bound in self.program.scopes.binding_at.get(occurrence.node, [])
        ) and any(self.program.scopes.binding_at.get(occurrence.node) for occurrence in old)

    def _does_something(self, occurrence: Occurrence, guard: cst.CSTNode) -> bool:
        """Whether versions that do not come to an old name run without what it does.

        What is imported and asked with `isinstance` alone, or is a private part that a program
        changes, does nothing for training.
        """
        bound = self.program.scopes.binding_at.get(occurrence.node, [])
        if occurrence.role is Role.IMPORT:
            return any(
                not is_within(self.program, use, guard) for binding in bound for use in binding.uses
            )
        if not occurrence.names or occurrence.meaning is Meaning.PRIVATE:
            return False
        return self.program.usage(occurrence) not in _ASKS

    def _other_side(self, node: cst.CSTNode, old: list[Occurrence]) -> cst.CSTNode | None:
        """Returns the side of a guard for new versions, if it has just two sides."""
        sides: list[cst.CSTNode] = []
        if isinstance(node, cst.If) and isinstance(node.orelse, cst.Else):
            sides = [node.body, node.orelse.body]
        elif isinstance(node, cst.IfExp):
            sides = [node.body, node.orelse]
        elif isinstance(node, cst.BooleanOperation):
            sides = [node.left, node.right]
        elif isinstance(node, cst.Try) and len(node.handlers) == 1:
            sides = [node.body, node.handlers[0].body]
        sides_of = [
            [side for side in sides if is_within(self.program, one.node, side)] for one in old
        ]
        within = sides_of[0]
        if len(within) != 1 or any(one != within for one in sides_of):
            return None
        parent = self.tree.parent(node)
        if isinstance(parent, cst.If) and parent.orelse is node:
            return None  # An `elif`.
        return next(side for side in sides if side is not within[0])


def guarded(program: Program, occurrences: Sequence[Occurrence]) -> dict[Occurrence, Guard]:
    """Returns the occurrences in branches for old versions, each with the guard of the branch."""
    guard_of: dict[Occurrence, Guard] = {}
    occurrences = [o for o in occurrences if o.role is not Role.STRING]
    for guard in find_guards(program, occurrences):
        for occurrence in occurrences:
            # What only seems to be old says nothing of a branch, and stays in one all the same.
            within = any(is_within(program, occurrence.node, part) for part in guard.old)
            if within or program.reachability.guard_of(occurrence.node) is guard.node:
                guard_of.setdefault(occurrence, guard)
    return guard_of


def collapsible(program: Program, occurrences: Sequence[Occurrence]) -> Iterator[Guard]:
    """Yields the guards that can be taken out as a whole, and what is for new versions kept.

    Imports come last, because flags that they set are the conditions of other guards.
    """
    occurrences = [o for o in occurrences if o.role is not Role.STRING]
    guards = sorted(find_guards(program, occurrences), key=lambda g: isinstance(g.node, cst.Try))
    return (guard for guard in guards if can_go(program, guard))


def gone_with(
    program: Program, guard: Guard, occurrences: Sequence[Occurrence]
) -> list[Occurrence]:
    """Returns the occurrences that go with a guard that is taken out."""
    told = (Role.STRING, Role.DOUBTFUL)
    return [
        occurrence
        for occurrence in occurrences
        if occurrence.role not in told and _goes(program, guard, occurrence.node)
    ]


def _goes(program: Program, guard: Guard, node: cst.CSTNode) -> bool:
    return is_within(program, node, guard.node) and not (
        guard.new is not None and is_within(program, node, guard.new)
    )


def can_go(program: Program, guard: Guard) -> bool:
    """Whether a guard can be collapsed to its side for new versions."""
    if guard.new is None or _binds_for_others(program, guard):
        return False
    if isinstance(guard.node, cst.IfExp):
        return True
    if isinstance(guard.node, cst.Try):
        whole = guard.node
        if whole.orelse is not None or whole.finalbody is not None or len(whole.handlers) != 1:
            return False
        if guard.new is not whole.body and not _fails_at_once(program, whole):
            return False
    return isinstance(guard.new, cst.IndentedBlock) and not any(
        isinstance(n, cst.BaseString) and "\n" in program.tree.source(n)
        for n in program.tree.walk(guard.new)
    )


def _fails_at_once(program: Program, node: cst.Try) -> bool:
    """Whether new versions run nothing of a `try` block before they come to an old name."""
    first = next(iter(node.body.body), None)
    old = [*program.references, *program.imports]
    return first is not None and any(is_within(program, one.node, first) for one in old)


def _binds_for_others(program: Program, guard: Guard) -> bool:
    """Whether a name gets its value, where it is read behind a guard, in what goes alone."""
    scopes = program.scopes
    goes = {
        binding
        for node, bindings in scopes.binding_at.items()
        if _goes(program, guard, node)
        for binding in bindings
    }
    return any(
        goes.issuperset(scopes.reaching.get(use, ()))
        for binding in goes
        for use in binding.uses
        if not is_within(program, use, guard.node)
    )


def uses_old_api(program: Program) -> bool:
    """Whether a file's code is of an old program: by a name, or because the user says so."""
    of_2_4 = program.has_old_arguments or program.has_members_of_tensorflow_2_4
    if program.has_old_uses or of_2_4 or program.options.legacy_optimizers:
        return True
    return program.remembered("unguarded old names", lambda: _has_unguarded(program))


def _has_unguarded(program: Program) -> bool:
    old = [*program.references, *program.imports]
    kept = guarded(program, old)
    return any(one not in kept and not _is_new_today(one, program) for one in old)


def _is_new_today(occurrence: Occurrence, program: Program) -> bool:
    """Whether a name is an old one in old versions only."""
    today = program.today
    return occurrence.ambiguous and today.is_only(occurrence.node, frameworks.is_new_name)


def is_for_old_versions(node: cst.CSTNode, program: Program) -> bool:
    """Whether a node is in a branch for old versions of TensorFlow."""

    def parts() -> set[cst.CSTNode]:
        guards = find_guards(program, [*program.references, *program.imports])
        return {part for guard in guards for part in guard.old}

    branches = program.remembered("branches for old versions", parts)
    inside = any(part in branches for part in (node, *program.tree.ancestors(node)))
    return inside or program.reachability.guard_of(node) is not None


def is_part_of_old(program: Program) -> bool:
    """Whether a file is part of a program that comes to old names."""
    known = program.runs_with_old
    return uses_old_api(program) if known is None else known
