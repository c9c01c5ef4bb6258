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
import re
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain.occurrences import Occurrence, Role
from lossscale_codemods.domain.program import Program, Usage
from lossscale_codemods.domain.version_reachability import leaves_block
from lossscale_codemods.domain.version_values import is_new
from lossscale_codemods.python import BindingKind
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


def catches_error(program: Program, handler: cst.ExceptHandler, errors: Sequence[str]) -> bool:
    """Whether an exception handler catches one of some errors, by their names."""
    if handler.type is None:
        return True
    caught = program.tree.source(handler.type)
    return any(name in caught for name in errors)


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
            catches_error(program, h, _NOT_CALLABLE) for h in above.handlers
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


_VERSION_OF_CHANGE = re.compile(
    r"[\"']2\.[34](?:\.\d+)?[\"']|\(\s*2\s*,\s*[34]\s*[,)]|\b2\.[34]\b|TF_?2_?[34]"
)
_VERSION_TEST = re.compile(
    r"(?i:\b_*(?:is_)?(?:tf|tensorflow|keras)[\w.]*version)|\b[A-Z_]*VERSION[A-Z_]*\b"
    r"|(?<![a-zA-Z])(?:TF|(?i:is_tf))_?[12]"
)
"""Also names such as `IS_PREV_TF_2_4`, which may be imported."""
_MISSING = ("ImportError", "ModuleNotFoundError", "AttributeError", "Exception")
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
        self.candidates: list[cst.CSTNode] = []
        for node in self.parts.old_nodes:
            for above in self.tree.ancestors(node):
                kinds = cst.If | cst.Try | cst.IfExp
                if isinstance(above, kinds) and above not in self.candidates:
                    self.candidates.append(above)
        self.candidates.sort(key=lambda n: self.tree.span(n)[0])

    def all(self) -> Iterator[Guard]:
        yield from self._by_versions()
        for node in self.candidates:
            guard = None
            if isinstance(node, cst.If):
                guard = self._if(node)
            elif isinstance(node, cst.IfExp) and self._is_version_test(node.test):
                guard = self._choose(node, [[node.body], [node.orelse]])
            elif isinstance(node, cst.Try):
                guard = self._try(node)
            if guard is not None:
                yield guard
        yield from self._early_returns()
        for occurrence in self.parts.occurrences:
            if occurrence.role is Role.FOUND:
                yield from guards_of_call(self.program, occurrence.node)

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

    def _if(self, node: cst.If) -> Guard | None:
        parent = self.tree.parent(node)
        if isinstance(parent, cst.If) and parent.orelse is node:
            return None  # `elif` is looked at with its `if`.
        parts: list[list[cst.CSTNode]] = [[node.body]]
        tests = [node.test]
        rest = node.orelse
        while isinstance(rest, cst.If):
            parts.append([rest.body])
            tests.append(rest.test)
            rest = rest.orelse
        if rest is not None:
            parts.append([rest.body])
        elif leaves_block(node.body):
            parts.append(self._behind(node))
        if any(self.reachability.splits(test) for test in tests):
            return None  # What its version says is all there is to it.
        if not any(self._is_version_test(test) for test in tests):
            return self._seeming(node, parts)
        guard = self._choose(node, parts)
        if guard is None and any(_VERSION_OF_CHANGE.search(self.tree.source(t)) for t in tests):
            old = [p for p in parts if self.parts.has_old(p)]
            if old and not any(self.parts.has_new(p) for p in old):
                alone = not self.parts.has_new([self.tree.module]) and self._are_missed(
                    [n for n in self.parts.old_nodes if is_within(self.program, n, node)]
                )
                return Guard(node, [one for part in old for one in part], None, alone=alone)
        return guard

    def _behind(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """Returns the statements behind a statement, in its block."""
        block = list(getattr(self.tree.parent(node), "body", ()))
        return block[block.index(node) + 1 :] if node in block else []

    def _choose(self, node: cst.CSTNode, parts: list[list[cst.CSTNode]]) -> Guard | None:
        old = [p for p in parts if self.parts.has_old(p)]
        new = [p for p in parts if not self.parts.has_old(p) and self.parts.has_new(p)]
        if not old or not new:
            return None
        one_each = len(new) == 1 and len(parts) == 2 and len(new[0]) == 1
        sides = not isinstance(node, cst.If) or node.orelse is not None
        return Guard(
            node, [one for part in old for one in part], new[0][0] if one_each and sides else None
        )

    def _seeming(self, node: cst.If, parts: list[list[cst.CSTNode]]) -> Guard | None:
        """A choice between old names and what just these have become, on whatever condition."""
        if any(self.reachability.mistaken_guard_of(one) for part in parts for one in part):
            return None
        if self.reachability.is_the_same(node.test):
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

    def _try(self, node: cst.Try) -> Guard | None:
        if not all(catches_error(self.program, h, _MISSING) for h in node.handlers):
            return None
        parts: list[list[cst.CSTNode]] = [[node.body]]
        parts += [[handler.body] for handler in node.handlers]
        if node.orelse is not None:
            parts.append([node.orelse.body])
        return self._choose(node, parts)

    def _is_version_test(self, test: cst.BaseExpression, depth: int = 0) -> bool:
        """Whether a condition reads like one on the version, whose value cannot be seen here."""
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            return self._is_version_test(test.expression, depth)
        if isinstance(test, cst.BooleanOperation):
            return self._is_version_test(test.left, depth) or self._is_version_test(
                test.right, depth
            )
        if depth == 0 and self.reachability.is_known(test):
            return False
        source = self.tree.source(test)
        if _VERSION_TEST.search(source) or _VERSION_OF_CHANGE.search(source):
            return True
        if depth > 3:  # A flag made of flags made of flags is no guard anyone would recognise.
            return False
        for node in self.tree.walk(test):
            if isinstance(node, cst.Call) and self._asks_a_module(node):
                return True
            if isinstance(node, cst.Name):
                for binding in self.program.resolver.bindings(node):
                    if (
                        binding.kind is BindingKind.ASSIGN
                        and binding.value is not None
                        and self._is_version_test(binding.value, depth + 1)
                    ):
                        return True
        return False

    def _asks_a_module(self, call: cst.Call) -> bool:
        """Whether a call asks what is there in TensorFlow: `hasattr(tf.keras, "x")`."""
        if dotted(call.func) not in {"hasattr", "getattr"} or not call.args:
            return False
        paths = self.program.resolver.paths(call.args[0].value)
        return any(path is not None and frameworks.is_framework(path) for path in paths)

    def _early_returns(self) -> Iterator[Guard]:
        """`if version >= 2.4: ...; return`, with the old code behind it."""
        seen: set[cst.CSTNode] = set()
        for node in self.parts.old_nodes:
            around = {node, *self.tree.ancestors(node)}
            for block in around:
                if not isinstance(block, cst.IndentedBlock | cst.Module):
                    continue
                for index, statement in enumerate(block.body):
                    if statement in around:
                        break
                    if (
                        isinstance(statement, cst.If)
                        and statement not in seen
                        and self._leaves_with_new(statement)
                    ):
                        seen.add(statement)
                        yield from self._left_behind(statement, list(block.body[index + 1 :]))

    def _left_behind(self, node: cst.If, behind: list[cst.CSTNode]) -> Iterator[Guard]:
        if self._is_version_test(node.test):
            yield Guard(node, behind, None)
        else:
            guard = self._seeming(node, [[node.body], behind])
            if guard is not None:
                yield guard

    def _leaves_with_new(self, node: cst.If) -> bool:
        return (
            node.orelse is None
            and leaves_block(node.body)
            and not self.reachability.splits(node.test)
            and self.parts.has_new([node.body])
            and not self.parts.has_old([node.body])
        )
