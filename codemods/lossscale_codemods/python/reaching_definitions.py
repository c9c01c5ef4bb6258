# SPDX-License-Identifier: Apache-2.0
"""Which bindings can have given a name its value where it is read: too many rather than too few.

A binding that comes earlier in a block around the read hides those before it; what comes later
counts in a loop alone. A function can run after any binding of the variables around it.
`isinstance` tests narrow what is known of a name.
"""

from __future__ import annotations

import bisect
import functools
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.python.scopes import (
    COMPREHENSIONS,
    Binding,
    BindingCollector,
    BindingKind,
    Scope,
    Scopes,
    class_of_self,
)
from lossscale_codemods.source.reading import problem_of
from lossscale_codemods.source.syntax_tree import dotted, tree_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from lossscale_codemods.source.syntax_tree import Tree


_LARGEST = 1 << 18
"""The bytes of another file that is parsed, at most."""


def narrowing(test: cst.CSTNode, name: str, *, truth: bool) -> cst.Call | None:
    """Returns the `isinstance` test in a condition that says what a name is.

    Args:
        test: The condition.
        name: The name, or the path of an attribute.
        truth: How the condition came out.
    """
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return narrowing(test.expression, name, truth=not truth)
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And) == truth:
        left = narrowing(test.left, name, truth=truth)
        return narrowing(test.right, name, truth=truth) or left
    if not truth or not isinstance(test, cst.Call) or len(test.args) != 2:
        return None
    is_test = dotted(test.func) == "isinstance" and dotted(test.args[0].value) == name
    return test if is_test else None


def is_type_assertion(call: cst.Call) -> bool:
    """Whether a call is `self.assertIsInstance(x, C)`, or the same with `Not`."""
    return (
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value in {"assertIsInstance", "assertNotIsInstance"}
        and len(call.args) >= 2
        and all(argument.keyword is None and not argument.star for argument in call.args[:2])
    )


class ReachingDefinitions:
    """The second pass: fills in what reaches each read.

    Args:
        collected: What the first pass has found.
    """

    def __init__(self, collected: BindingCollector) -> None:
        self.scopes = collected.scopes
        self.tree = collected.tree
        self._names = collected.names
        self._place = collected.places
        self._of_attributes: dict[str, list[Binding]] = {}
        self._found: dict[Binding, _Where] = {}
        self._ordered: dict[Binding | None, Sequence[Binding]] = {}
        self._tests: dict[cst.CSTNode, list[tuple[int, cst.BaseExpression, bool]]] = {}
        """What is known behind statements of a block, with their places."""

    def run(self) -> None:
        """Fills in what reaches each read."""
        for node, bindings in self.scopes.binding_at.items():
            if isinstance(node, cst.Attribute):
                for binding in bindings:
                    self._of_attributes.setdefault(binding.name, []).append(binding)
        for node, scope in self._names:
            if node not in self.scopes.binding_at or self._is_changed(node):
                self.scopes.scope_of_read[node] = scope
                self._fill_in(node, scope)

    def _is_changed(self, node: cst.CSTNode) -> bool:
        """Whether something gets a new value that depends on its old one, or loses it."""
        above = self.tree.parent(node)
        while isinstance(above, cst.Element | cst.Tuple | cst.List):
            above = self.tree.parent(above)
        return isinstance(above, cst.AugAssign | cst.Del)

    def _fill_in(self, node: cst.Name | cst.Attribute, scope: Scope) -> None:
        name = dotted(node)
        if name is None:
            return
        if isinstance(node, cst.Name):
            reaching = self.scopes.reaching[node] = self._reaching(node, scope)
        else:
            reaching = self._given(node, name, scope)
            if reaching:
                self.scopes.reaching[node] = reaching
        others = self._of_attributes.get(name, ())
        test = self._narrowed(node, name, [*reaching, *others])
        if test is not None:
            narrowed = Binding(name, BindingKind.NARROWED, test, scope, value=test.args[1].value)
            self.scopes.reaching[node] = frozenset([narrowed])
        for binding in reaching:
            binding.uses.append(node)

    def _reaching(self, node: cst.Name, scope: Scope) -> frozenset[Binding]:
        name = node.value
        owner = scope.owner(name)
        if (
            owner is scope
            and (owner, name) not in self.scopes.rebound_elsewhere
            and not isinstance(scope.node, COMPREHENSIONS)
        ):
            bindings = self._before(node, owner.bindings[name])
            if bindings or not owner.is_class or owner.parent is None:
                return bindings
            owner = owner.parent.owner(name)
        # An outer variable: this code can run after any of its bindings.
        return frozenset(owner.bindings[name]) if owner is not None else frozenset()

    def _given(self, node: cst.Attribute, name: str, scope: Scope) -> frozenset[Binding]:
        """Returns what reaches an attribute that was assigned before, and nowhere else."""
        own = [one for one in self._of_attributes.get(name, ()) if one.scope is scope]
        owner = class_of_self(node.value, scope)
        others = owner.attributes.get(node.attr.value, ()) if owner is not None else own
        if not own or len(others) != len(own):
            return frozenset()
        reaching = self._before(node, own)
        if owner is not None:
            return reaching  # No other method assigns it.
        around, root = set(self.tree.ancestors(node)), name.partition(".")[0]
        assigned = [one for one in reaching if self._where(one).is_always_run(around)]
        since = min(map(self._place_of, assigned), default=self._place[node])
        renewed = scope.bindings.get(root, ())
        is_new = any(since < self._place_of(one) <= self._place[node] for one in renewed)
        return reaching if assigned and not is_new else frozenset()

    def _before(self, node: cst.CSTNode, bindings: Sequence[Binding]) -> frozenset[Binding]:
        """Returns those of the bindings in a scope that reach a read in it."""
        around = set(self.tree.ancestors(node))
        ordered = self._in_order(bindings)
        later = bisect.bisect_right(ordered, self._place[node], key=self._place_of)
        reaching: list[Binding] = []
        for index in range(later - 1, -1, -1):
            where = self._where(ordered[index])
            if where.repeats(around) or not where.is_elsewhere(around):
                reaching.append(ordered[index])
            if where.is_always_run(around):
                break
        if any(isinstance(above, cst.For | cst.While) for above in around):
            reaching += (one for one in ordered[later:] if self._where(one).repeats(around))
        return frozenset(reaching)

    def _in_order(self, bindings: Sequence[Binding]) -> Sequence[Binding]:
        """Returns bindings of one name in a scope in the order in which they get their values."""
        first = bindings[0] if bindings else None
        ordered = self._ordered.get(first)
        if ordered is None or len(ordered) != len(bindings):
            ordered = self._ordered[first] = sorted(bindings, key=self._place_of)
        return ordered

    def _place_of(self, binding: Binding) -> int:
        return self._where(binding).place

    def _where(self, binding: Binding) -> _Where:
        found = self._found.get(binding)
        if found is None:
            found = self._found[binding] = _Where(binding.node, self.tree, self._place)
        return found

    def _narrowed(
        self, node: cst.CSTNode, name: str, bindings: Iterable[Binding]
    ) -> cst.Call | None:
        """Returns the `isinstance` test that holds where a name is read, if there is one."""
        place, below = self._place[node], node
        for above in self.tree.ancestors(node):
            if isinstance(above, cst.FunctionDef | cst.ClassDef | cst.Lambda):
                return None
            test = next(
                (
                    found
                    for condition, truth in self._conditions(above, below)
                    if (found := narrowing(condition, name, truth=truth)) is not None
                ),
                None,
            )
            if test is not None:
                since = self._place[test]
                is_new = any(since < self._place_of(one) <= place for one in bindings)
                return None if is_new else test
            below = above
        return None

    def _conditions(
        self, node: cst.CSTNode, part: cst.CSTNode
    ) -> Iterator[tuple[cst.BaseExpression, bool]]:
        """Yields the conditions in a node that are known where one of its parts runs."""
        if isinstance(node, cst.If | cst.IfExp | cst.While) and part in (node.body, node.orelse):
            yield node.test, part is node.body
        elif isinstance(node, cst.BooleanOperation) and part is node.right:
            yield node.left, isinstance(node.operator, cst.And)
        elif isinstance(node, cst.IndentedBlock | cst.Module):
            if node not in self._tests:
                self._tests[node] = [
                    (self._place[one], *known) for one in node.body for known in _known_behind(one)
                ]
            for place, test, truth in self._tests[node]:
                if place < self._place[part]:
                    yield test, truth


class _Where:
    """Where a binding is made, and what of it is asked for each read.

    Args:
        node: What makes it.
        tree: Its file.
        places: Where nodes are in the order of the text.
    """

    def __init__(self, node: cst.CSTNode, tree: Tree, places: Mapping[cst.CSTNode, int]) -> None:
        self.place = places.get(node, 0)
        """Where the name has got its value: behind what is evaluated for that."""
        giving = cst.BaseSmallStatement | cst.NamedExpr
        for above in (node, *tree.ancestors(node)):
            if isinstance(above, giving | cst.BaseCompoundStatement):
                self.place = places[above] if isinstance(above, giving) else self.place
                break
        self._loops = [a for a in tree.ancestors(node) if isinstance(a, cst.For | cst.While)]
        statement = tree.statement(node)
        is_plain = isinstance(statement, cst.SimpleStatementLine) and not isinstance(
            tree.parent(node), cst.NamedExpr
        )
        self._blocks: list[cst.CSTNode | None] = []
        if isinstance(statement, cst.For | cst.With):
            self._blocks.append(statement.body)  # What it binds is new whenever its body runs.
        if is_plain or statement is node:
            self._blocks.append(tree.parent(statement))
        self._ways: list[tuple[cst.CSTNode, cst.CSTNode | None, bool | None]] = []
        """What is around, the other branch of an `if`, and whether this one returns."""
        below = node
        for above in tree.ancestors(node):
            other = above.orelse if isinstance(above, cst.If) and below is above.body else None
            returns = None
            match above:
                case cst.IndentedBlock(body=[*_, cst.SimpleStatementLine(body=[*_, cst.Return()])]):
                    returns = isinstance(tree.parent(above), cst.If | cst.Else)
            self._ways.append((above, other, returns))
            below = above

    def repeats(self, around: Collection[cst.CSTNode]) -> bool:
        """Whether a loop around a read makes the binding again."""
        return any(one in around for one in self._loops)

    def is_always_run(self, around: Collection[cst.CSTNode]) -> bool:
        """Whether it is always made before what is behind it in a block around a read."""
        return any(block in around for block in self._blocks)

    def is_elsewhere(self, around: Collection[cst.CSTNode]) -> bool:
        """Whether it is made in a branch that returns, or in another one than what is read."""
        for above, other, returns in self._ways:
            if above in around:
                return other is not None and other in around
            if returns is not None:
                return returns
        return False


def _known_behind(statement: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """Yields the condition that is known behind a statement, and how it came out."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Assert(test=test)]):
            yield test, True
        case cst.If(test=test, orelse=None, body=body) if leaves_block(body):
            yield test, False


def leaves_block(body: cst.BaseSuite) -> bool:
    """Whether a block ends with a statement that leaves it: `return`, for one."""
    last = body.body[-1] if body.body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, cst.Return | cst.Raise | cst.Continue | cst.Break)


def scopes_in(path: Path, source: bytes) -> Scopes | None:
    """Returns the scopes of a file of a project; nothing if it is large, or does not parse.

    Args:
        path: The file.
        source: What is in it.
    """
    if len(source) > _LARGEST or problem_of(source) is not None:
        return None
    try:
        return scopes_of(tree_of(source, str(path)))
    except (cst.ParserSyntaxError, SyntaxError, UnicodeError, LookupError):
        return None


@functools.lru_cache(maxsize=32)
def scopes_of(tree: Tree) -> Scopes:
    """Returns the scopes of a file, with what can reach each name that is read."""
    scopes = Scopes(tree)
    collector = BindingCollector(scopes)
    collector.collect()
    ReachingDefinitions(collector).run()
    return scopes
