# SPDX-License-Identifier: Apache-2.0
"""Which bindings can have given a name its value where it is read: too many rather than too few.

A binding that comes earlier in a block around the read hides those before it; what comes later
counts in a loop alone. A function can run after any binding of the variables around it.
`isinstance` tests narrow what is known of a name.
"""

from __future__ import annotations

import functools
import itertools
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
from lossscale_codemods.source.syntax_tree import children, dotted, tree_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
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


_READ_IN: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.Arg: ("value",),
    cst.Attribute: ("value",),
    cst.MatchKeywordElement: ("pattern",),
    cst.Param: ("annotation", "default"),
    cst.TypeAlias: ("value",),
    **dict.fromkeys((cst.Global, cst.Import, cst.ImportFrom, cst.Nonlocal), ()),
}
"""The fields of nodes in which names are read, where these are not all of them."""
_OUTSIDE: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.FunctionDef: ("decorators", "params", "returns"),
    cst.ClassDef: ("decorators", "bases", "keywords"),
    cst.Lambda: ("params",),
}
"""The fields of what has a scope of its own that are evaluated outside of it."""


class ReachingDefinitions:
    """The second pass: fills in what reaches each read.

    Args:
        scopes: The file's scopes.
    """

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.tree = scopes.tree
        self._reads: list[tuple[cst.Name | cst.Attribute, Scope]] = []
        self._place: dict[cst.CSTNode, int] = {}
        """Where nodes are in the order of the text; statements that bind, where they end."""
        self._of_attributes: dict[str, list[Binding]] = {}

    def run(self) -> None:
        """Fills in what reaches each read."""
        for node, bindings in self.scopes.binding_at.items():
            if isinstance(node, cst.Attribute):
                for binding in bindings:
                    self._of_attributes.setdefault(binding.name, []).append(binding)
        self._visit(self.tree.module, self.scopes.module)
        for node, scope in self._reads:
            self.scopes.scope_of_read[node] = scope
            self._fill_in(node, scope)

    def _visit(self, node: cst.CSTNode, scope: Scope) -> None:
        kind = type(node)
        self._place[node] = len(self._place)
        if isinstance(node, cst.Name | cst.Attribute):
            if node not in self.scopes.binding_at or self._is_changed(node):
                self._reads.append((node, scope))
        elif isinstance(node, cst.AnnAssign) and node.value is None:
            self._visit(node.annotation, scope)
            return
        elif isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            for part in _parts(node, _OUTSIDE[kind]):
                self._visit(part, scope)
            self._place[node] = len(self._place)
            self._visit(node.body, self.scopes.of_node[node])
            return
        elif isinstance(node, COMPREHENSIONS):
            scope = self.scopes.of_node[node]
        for part in _parts(node, _READ_IN[kind]) if kind in _READ_IN else children(node):
            self._visit(part, scope)
        if isinstance(node, cst.BaseSmallStatement | cst.NamedExpr):
            self._place[node] = len(self._place)

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
        assigned = [one for one in reaching if self._is_in_a_block_of(one.node, around)]
        since = min(map(self._place_of, assigned), default=self._place[node])
        renewed = scope.bindings.get(root, ())
        is_new = any(since < self._place_of(one) <= self._place[node] for one in renewed)
        return reaching if assigned and not is_new else frozenset()

    def _before(self, node: cst.CSTNode, bindings: Sequence[Binding]) -> frozenset[Binding]:
        """Returns those of the bindings in a scope that reach a read in it."""
        place, around = self._place[node], set(self.tree.ancestors(node))
        reaching: list[Binding] = []
        for binding in bindings:
            repeats = any(a in around for a in self._loops_around(binding.node))
            is_before = self._place_of(binding) <= place
            if is_before and self._is_in_a_block_of(binding.node, around):
                reaching = []
            if repeats or (is_before and not self._is_elsewhere(binding.node, around)):
                reaching.append(binding)
        return frozenset(reaching)

    def _place_of(self, binding: Binding) -> int:
        """Returns where a name has got its value: behind what is evaluated for that."""
        for above in (binding.node, *self.tree.ancestors(binding.node)):
            if isinstance(above, cst.BaseSmallStatement | cst.NamedExpr):
                return self._place[above]
            if isinstance(above, cst.BaseCompoundStatement):
                break
        return self._place.get(binding.node, 0)

    def _loops_around(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        return (a for a in self.tree.ancestors(node) if isinstance(a, cst.For | cst.While))

    def _is_in_a_block_of(self, node: cst.CSTNode, around: Collection[cst.CSTNode]) -> bool:
        """Whether a binding is always run before what is behind it in a block."""
        statement = self.tree.statement(node)
        is_plain = isinstance(statement, cst.SimpleStatementLine) and not isinstance(
            self.tree.parent(node), cst.NamedExpr
        )
        if isinstance(statement, cst.For | cst.With) and statement.body in around:
            return True  # What it binds is new whenever its body runs.
        return (is_plain or statement is node) and self.tree.parent(statement) in around

    def _is_elsewhere(self, node: cst.CSTNode, around: Collection[cst.CSTNode]) -> bool:
        """Whether a binding is in a branch that returns, or in another one than what is read."""
        below = node
        for above in self.tree.ancestors(node):
            if above in around:
                return isinstance(above, cst.If) and below is above.body and above.orelse in around
            match above:
                case cst.IndentedBlock(body=[*_, cst.SimpleStatementLine(body=[*_, cst.Return()])]):
                    return isinstance(self.tree.parent(above), cst.If | cst.Else)
            below = above
        return False

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
                    for condition, truth in _conditions(above, below)
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


def _parts(node: cst.CSTNode, fields: Sequence[str]) -> Iterator[cst.CSTNode]:
    for field in fields:
        value = getattr(node, field)
        if isinstance(value, cst.CSTNode):
            yield value
        else:
            yield from value or ()


def _conditions(node: cst.CSTNode, part: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """Yields the conditions in a node that are known where one of its parts runs."""
    if isinstance(node, cst.If | cst.IfExp | cst.While) and part in (node.body, node.orelse):
        yield node.test, part is node.body
    elif isinstance(node, cst.BooleanOperation) and part is node.right:
        yield node.left, isinstance(node.operator, cst.And)
    elif isinstance(node, cst.IndentedBlock | cst.Module):
        for statement in itertools.takewhile(lambda one: one is not part, node.body):
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
    BindingCollector(scopes).collect()
    ReachingDefinitions(scopes).run()
    return scopes
