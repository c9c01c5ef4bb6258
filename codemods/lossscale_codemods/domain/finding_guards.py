# SPDX-License-Identifier: Apache-2.0
"""Finds the branches that programs have for versions before and after the change of names.

Some ask an object which version it is of, by how its loss scale can be read.

    try:
        scale = float(opt.loss_scale)
    except TypeError:
        scale = float(opt.loss_scale())
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain.occurrences import Occurrence, Role
from lossscale_codemods.domain.program import Program, Usage
from lossscale_codemods.domain.version_reachability import catches_error, leaves_block
from lossscale_codemods.domain.version_values import is_new
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import Meaning
from lossscale_codemods.tables.paths import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.source.syntax_tree import Tree


@dataclasses.dataclass
class Guard:
    """A statement or expression that chooses between old and new names.

    Attributes:
        node: The statement or expression.
        old: The parts for old versions.
        new: The part for new versions, if it is one part of this statement.
        sure: Whether it is a test of versions or names for all that is seen here.
        alone: Whether nothing in the file does the same in new versions.
    """

    node: cst.CSTNode
    old: list[cst.CSTNode]
    new: cst.CSTNode | None
    sure: bool = True
    alone: bool = False


class Parts:
    """Answers for the parts of one file.

    Args:
        program: The file.
        occurrences: The old names in it that count.
    """

    def __init__(self, program: Program, occurrences: Sequence[Occurrence]) -> None:
        self.program = program
        self.tree = program.tree
        told = (Role.UNRESOLVED, Role.DOUBTFUL)  # Neither says for which versions a branch is.
        self.occurrences = [o for o in occurrences if o.role not in told]
        self.old_nodes = {o.node for o in self.occurrences}

    def has_old(self, part: Sequence[cst.CSTNode]) -> bool:
        """Whether an old name is in some nodes."""
        return any(is_within(self.program, n, one) for one in part for n in self.old_nodes)

    def has_new(self, part: Sequence[cst.CSTNode]) -> bool:
        """Whether a name of today is in some nodes."""
        return any(
            is_new(node, self.program.resolver) for one in part for node in self.tree.walk(one)
        )

    def becomes(self, part: Sequence[cst.CSTNode]) -> set[str]:
        """Returns what the old names in some nodes are today."""
        return {
            canonical(path)
            for occurrence in self.occurrences
            if any(is_within(self.program, occurrence.node, one) for one in part)
            for old in occurrence.names
            if old.meaning is not Meaning.MODULE
            for path in old.new
        }

    def new_names(self, part: Sequence[cst.CSTNode]) -> set[str]:
        """Returns the names of today in some nodes."""
        paths = (
            self.program.resolver.paths(node)
            for one in part
            for node in self.tree.walk(one)
            if isinstance(node, cst.Attribute | cst.Name)
        )
        return {
            canonical(p)
            for node_paths in paths
            for p in node_paths
            if p and frameworks.is_new_name(p)
        }


def is_within(program: Program, node: cst.CSTNode, part: cst.CSTNode) -> bool:
    """Whether a node is a part of a file, or in it."""
    return node is part or any(above is part for above in program.tree.ancestors(node))


def asks_whether_callable(tree: Tree, text: str, test: cst.CSTNode) -> bool:
    """Whether a condition asks whether an expression can be called.

    Args:
        tree: The file.
        text: The expression, as source.
        test: The condition.
    """
    return any(
        isinstance(one, cst.Call)
        and dotted(one.func) in {"callable", "hasattr"}
        and bool(one.args)
        and tree.source(one.args[0].value) == text
        for one in tree.walk(test)
    )


def is_called_in(tree: Tree, text: str, part: cst.CSTNode) -> bool:
    """Whether an expression is called in a part of a file.

    Args:
        tree: The file.
        text: The expression, as source.
        part: The part.
    """
    return any(
        isinstance(node, cst.Call) and tree.source(node.func) == text for node in tree.walk(part)
    )


_NOT_CALLABLE = ("TypeError", "AttributeError", "Exception")


def guards_of_call(program: Program, node: cst.CSTNode) -> Iterator[Guard]:
    """Yields what has a loss scale called only where it is an object that can be.

    Args:
        program: The file.
        node: What is called.
    """
    if not _is_called(program, node):
        return
    below: cst.CSTNode = node
    for above in program.tree.ancestors(node):
        chosen = isinstance(above, cst.If | cst.IfExp) and below is not above.test
        if isinstance(above, cst.Try) and all(
            catches_error(program.tree, h, _NOT_CALLABLE) for h in above.handlers
        ):
            others = [part for part in (above.body, *above.handlers) if part is not below]
            chosen = any(_reads_it_uncalled(program, node, other) for other in others)
        elif chosen and isinstance(above, cst.If | cst.IfExp):
            text = program.tree.source(node)
            chosen = asks_whether_callable(program.tree, text, above.test)
        if chosen:
            yield Guard(above, [below], None)
        below = above


def _is_called(program: Program, node: cst.CSTNode) -> bool:
    above = program.tree.parent(node)
    return isinstance(above, cst.Call) and above.func is node


def _reads_it_uncalled(program: Program, node: cst.CSTNode, part: cst.CSTNode) -> bool:
    text = program.tree.source(node)
    return any(
        isinstance(one, cst.Attribute | cst.Name)
        and program.tree.source(one) == text
        and not _is_called(program, one)
        for one in program.tree.walk(part)
    )


_ASKS = frozenset({Usage.ANNOTATION, Usage.TYPE_COMPARISON, Usage.TYPE_TEST})
"""What a class is used for without an object being made of it."""


def find_guards(program: Program, occurrences: Sequence[Occurrence]) -> Iterator[Guard]:
    """Yields the guards around some occurrences of old names."""
    return _Guards(program, occurrences).all()


class _Guards:
    def __init__(self, program: Program, occurrences: Sequence[Occurrence]) -> None:
        self.program = program
        self.tree = program.tree
        self.parts = Parts(program, occurrences)
        self.reachability = program.reachability

    def all(self) -> Iterator[Guard]:
        yield from self._by_versions()
        for node in sorted(self._conditions(), key=self.tree.span):
            guard = self._seeming(node)
            if guard is not None:
                yield guard
        for occurrence in self.parts.occurrences:
            if occurrence.role is Role.FOUND:
                yield from guards_of_call(self.program, occurrence.node)

    def _conditions(self) -> set[cst.If]:
        """Returns the `if` statements around old names, and in front of them if they leave."""
        found: set[cst.If] = set()
        for node in self.parts.old_nodes:
            below = node
            for above in self.tree.ancestors(node):
                if isinstance(above, cst.If):
                    found.add(above)
                elif isinstance(above, cst.IndentedBlock | cst.Module):
                    before = itertools.takewhile(lambda one, end=below: one is not end, above.body)
                    found.update(
                        s for s in before if isinstance(s, cst.If) and leaves_block(s.body)
                    )
                below = above
        return found

    def _by_versions(self) -> Iterator[Guard]:
        """What TensorFlow's version alone keeps new versions from."""
        guards: dict[cst.CSTNode, list[cst.CSTNode]] = {}
        for node in sorted(self.parts.old_nodes, key=self.tree.span):
            guard = self.reachability.guard_of(node)
            if guard is not None:
                guards.setdefault(guard, []).append(node)
        for node, kept in guards.items():
            other = self._other_side(node, kept)
            does_same = other is not None and self._does_the_same(kept, other)
            alone = (
                not does_same and not self.reachability.has_newer_side and self._are_missed(kept)
            )
            yield Guard(node, kept, other if does_same else None, alone=alone)

    def _does_the_same(self, old: list[cst.CSTNode], other: cst.CSTNode) -> bool:
        """Whether the other side of a guard has names of its own for what old names do."""
        named = [o for o in self.parts.occurrences if o.node in old and o.names]
        return (
            not named
            or self.parts.has_new([other])
            or self.parts.has_old([other])
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

    def _are_missed(self, old: list[cst.CSTNode]) -> bool:
        """Whether versions that do not come to some old names run without what these do.

        What is imported and asked with `isinstance` alone, or is a private part that a program
        changes, does nothing for training.
        """
        return any(
            occurrence.node in old and self._does_something(occurrence)
            for occurrence in self.parts.occurrences
        )

    def _does_something(self, occurrence: Occurrence) -> bool:
        bound = self.program.scopes.binding_at.get(occurrence.node, [])
        if occurrence.role is Role.IMPORT:
            guard = self.reachability.guard_of(occurrence.node)
            return any(
                guard is None or not is_within(self.program, use, guard)
                for binding in bound
                for use in binding.uses
            )
        if not occurrence.names or occurrence.meaning is Meaning.PRIVATE:
            return False
        return self.program.usage(occurrence) not in _ASKS

    def _other_side(self, node: cst.CSTNode, old: list[cst.CSTNode]) -> cst.CSTNode | None:
        """Returns the side of a guard for new versions, if it has just two sides."""
        sides: list[cst.CSTNode] = []
        if isinstance(node, cst.If) and isinstance(node.orelse, cst.Else):
            sides = [node.body, node.orelse.body]
        elif isinstance(node, cst.IfExp):
            sides = [node.body, node.orelse]
        elif isinstance(node, cst.Try) and len(node.handlers) == 1:
            sides = [node.body, node.handlers[0].body]
        within = [side for side in sides if any(is_within(self.program, one, side) for one in old)]
        if len(within) != 1 or not all(is_within(self.program, o, within[0]) for o in old):
            return None
        parent = self.tree.parent(node)
        if isinstance(parent, cst.If) and parent.orelse is node:
            return None  # An `elif`.
        return next(side for side in sides if side is not within[0])

    def _behind(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """Returns the statements behind a statement, in its block."""
        block = list(getattr(self.tree.parent(node), "body", ()))
        return block[block.index(node) + 1 :] if node in block else []

    def _seeming(self, node: cst.If) -> Guard | None:
        """A choice between old names and what just these have become, on whatever condition."""
        parent = self.tree.parent(node)
        if isinstance(parent, cst.If) and parent.orelse is node:
            return None  # `elif` is looked at with its `if`.
        parts: list[list[cst.CSTNode]] = []
        rest: cst.If | cst.Else | None = node
        while isinstance(rest, cst.If):
            if self.reachability.splits(rest.test):
                return None  # What its version says is all there is to it.
            parts.append([rest.body])
            rest = rest.orelse
        if rest is not None:
            parts.append([rest.body])
        elif leaves_block(node.body):
            parts.append(self._behind(node))
        if self.reachability.is_the_same(node.test) or any(
            self.reachability.mistaken_guard_of(one) for part in parts for one in part
        ):
            return None
        today = [self.parts.new_names(part) for part in parts]
        becomes = [self.parts.becomes(part) for part in parts]
        old = [
            one
            for index, part in enumerate(parts)
            if not becomes[index] & today[index] and any(becomes[index] & names for names in today)
            for one in part
        ]
        sure = all(self.reachability.is_only_older(one) for one in old)
        return Guard(node, old, None, sure=sure) if old else None
