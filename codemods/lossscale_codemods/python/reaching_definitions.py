# SPDX-License-Identifier: Apache-2.0
"""Which bindings can have given a name its value where it is read.

Statements are followed in the order in which they run: through branches, loops and handlers of
exceptions. `isinstance` tests narrow what is known of a name, and calls that may run other methods
widen what is known of attributes of `self`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.python.scopes import (
    COMPREHENSIONS,
    SCOPED,
    Binding,
    BindingCollector,
    BindingKind,
    Environment,
    Scope,
    Scopes,
    class_of_self,
)
from lossscale_codemods.source.reading import problem_of
from lossscale_codemods.source.syntax_tree import children, dotted, tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lossscale_codemods.source.syntax_tree import Tree


_CATCHING = frozenset({"ExitStack", "assertRaises", "assertRaisesRegex", "raises", "suppress"})
"""Context managers that end exceptions."""
_LARGEST = 1 << 18
"""The bytes of another file that is parsed, at most."""


def narrowings(test: cst.BaseExpression, truth: bool, scope: Scope) -> Environment:
    """Returns what `isinstance` tests in a condition say about names.

    Args:
        test: The condition.
        truth: How it came out.
        scope: The scope that it is in.
    """
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return narrowings(test.expression, not truth, scope)
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And) == truth:
        left = narrowings(test.left, truth, scope)
        return {**left, **narrowings(test.right, truth, scope)}
    if (
        truth
        and isinstance(test, cst.Call)
        and dotted(test.func) == "isinstance"
        and len(test.args) == 2
    ):
        return _narrowed(test, scope)
    return {}


def is_type_assertion(call: cst.Call) -> bool:
    """Whether a call is `self.assertIsInstance(x, C)`, or the same with `Not`."""
    return (
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value in {"assertIsInstance", "assertNotIsInstance"}
        and len(call.args) >= 2
        and all(argument.keyword is None and not argument.star for argument in call.args[:2])
    )


def _narrowed(call: cst.Call, scope: Scope) -> Environment:
    name = dotted(call.args[0].value)
    if name is None:
        return {}
    narrowed = Binding(name, BindingKind.NARROWED, call, scope, value=call.args[1].value)
    return {name: frozenset([narrowed])}


def reassigned_by(call: cst.Call, known: Environment, scope: Scope) -> Environment:
    """Returns what attributes of `self` can be after a call that may run other methods.

    Args:
        call: The call.
        known: What is known before it.
        scope: The scope that it is in.
    """
    reached = [call.func.value] if isinstance(call.func, cst.Attribute) else []
    reached += [argument.value for argument in call.args]
    reassigned: Environment = {}
    for node in reached:
        if isinstance(node, cst.Call) and dotted(node.func) == "super":
            owner = _class_around(scope)
        else:
            owner = class_of_self(node, scope)
        for name in known if owner is not None else ():
            root, _, attribute = name.partition(".")
            if owner is not None and attribute and class_of_self(cst.Name(root), scope) is owner:
                others = owner.attributes.get(attribute, ())
                reassigned[name] = known[name] | {b for b in others if b.scope is not scope}
    return reassigned


def _class_around(scope: Scope) -> Scope | None:
    around: Scope | None = scope
    while around is not None and not around.is_class:
        around = around.parent
    return around


def catches(node: cst.With) -> bool:
    """Whether a program goes on behind a `with` statement whose block an exception has left."""
    managers = (item.item for item in node.items)
    return any(
        isinstance(one, cst.Call) and (dotted(one.func) or "").rpartition(".")[2] in _CATCHING
        for one in managers
    )


def merge(first: Environment | None, second: Environment | None) -> Environment | None:
    """Joins what two ways through the program know; `None` is a way that was left."""
    if first is None or second is None:
        return second if first is None else first
    joined: Environment = {}
    for name in first.keys() | second.keys():
        if "." in name or _has_narrowing(first, name) or _has_narrowing(second, name):
            if name in first and name in second:
                joined[name] = first[name] | second[name]
        else:
            joined[name] = first.get(name, frozenset()) | second.get(name, frozenset())
    return joined


def _has_narrowing(environment: Environment, name: str) -> bool:
    return any(b.kind is BindingKind.NARROWED for b in environment.get(name, ()))


_IN_ORDER: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.Arg: ("value",),
    cst.Assign: ("value", "targets"),
    cst.AugAssign: ("value", "target"),
    cst.Import: ("names",),
    cst.ImportFrom: ("names",),
    cst.MatchKeywordElement: ("pattern",),
    cst.NamedExpr: ("value", "target"),
    cst.Param: ("annotation", "default"),
    cst.TypeAlias: ("value", "name"),
    **dict.fromkeys((cst.Global, cst.ImportAlias, cst.Nonlocal), ()),
}
"""The fields of nodes that are run, in their order, where these are not all of them as they are."""


class ReachingDefinitions:
    """The second pass: fills in what reaches each read.

    Args:
        scopes: The file's scopes.
    """

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.tree = scopes.tree
        self.pending: list[tuple[cst.CSTNode, Scope]] = []
        """Functions and lambdas that were defined, with their scopes. Their bodies run later."""

    def visit(self, node: cst.CSTNode, env: Environment, scope: Scope) -> None:  # noqa: PLR0912  # one branch for each kind of node
        """Notes what reaches each read in a node, and binds what it binds."""
        # isinstance() takes ten times as long: the kinds of nodes are abstract classes.
        if type(node) in (cst.Name, cst.Attribute):
            if node not in self.scopes.binding_at:
                self._read(node, env, scope)
                return
            if isinstance(node, cst.Attribute):
                self.visit(node.value, env, scope)
        elif type(node) is cst.BooleanOperation:
            self.visit(node.left, env, scope)
            self._branch(node.right, node.left, isinstance(node.operator, cst.And), env, scope)
        elif type(node) is cst.IfExp:
            self.visit(node.test, env, scope)
            self._branch(node.body, node.test, True, env, scope)
            self._branch(node.orelse, node.test, False, env, scope)
        elif type(node) in COMPREHENSIONS:
            self._comprehension(node, env)
        elif type(node) is cst.Lambda:
            self.visit(node.params, env, scope)
            self.pending.append((node, self.scopes.of_node[node]))
        elif type(node) is cst.AnnAssign:
            self.visit(node.annotation, env, scope)
            if node.value is not None:
                self.visit(node.value, env, scope)
                self.visit(node.target, env, scope)
        else:
            if type(node) is cst.AugAssign or type(node) is cst.Del:
                self._read_targets(node.target, env, scope)
            for child in self._parts(node):
                self.visit(child, env, scope)
            if type(node) is cst.Call:
                env.update(reassigned_by(node, env, scope))
            elif type(node) is cst.Assert:
                env.update(narrowings(node.test, True, scope))
        self._bind_at(node, env, scope)

    @staticmethod
    def _parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        if type(node) not in _IN_ORDER:
            yield from children(node)
        for field in _IN_ORDER.get(type(node), ()):
            value = getattr(node, field)
            if isinstance(value, cst.CSTNode):
                yield value
            else:
                yield from value or ()

    def _branch(
        self,
        node: cst.CSTNode,
        test: cst.BaseExpression,
        truth: bool,
        env: Environment,
        scope: Scope,
    ) -> None:
        """Visits an expression that is evaluated if a condition comes out in one way."""
        inner = {**env, **narrowings(test, truth, scope)}
        self.visit(node, inner, scope)
        self._add_inline(node, inner, env)

    def _comprehension(self, node: cst.CSTNode, env: Environment) -> None:
        inner_scope = self.scopes.of_node[node]
        inner = dict(env)
        loop: cst.CompFor | None = node.for_in  # type: ignore[attr-defined]  # the caller has asked for its kind
        while loop is not None:
            for part in (loop.iter, loop.target, *loop.ifs):
                self.visit(part, inner, inner_scope)
            loop = loop.inner_for_in
        for name in ("elt", "key", "value"):
            child = getattr(node, name, None)
            if child is not None:
                self.visit(child, inner, inner_scope)
                self._add_inline(child, inner, env)

    def _add_inline(self, node: cst.CSTNode, inner: Environment, env: Environment) -> None:
        """Adds what inline assignments bind in an expression that may not be evaluated."""
        for binding in self._bindings_in(node):
            if isinstance(self.tree.parent(binding.node), cst.NamedExpr):
                known = env.get(binding.name, frozenset())
                env[binding.name] = known | inner.get(binding.name, frozenset([binding]))

    def _read_targets(self, node: cst.CSTNode, env: Environment, scope: Scope) -> None:
        """Notes what reaches that which is changed or deleted."""
        for one in node.elements if isinstance(node, cst.Tuple | cst.List) else ():
            self._read_targets(one.value, env, scope)
        if isinstance(node, cst.Name | cst.Attribute):
            self._read(node, env, scope)

    def _read(self, node: cst.CSTNode, env: Environment, scope: Scope) -> None:
        self.scopes.scope_of_read[node] = scope
        if isinstance(node, cst.Attribute):
            name = dotted(node)
            if name is not None and name in env:
                self.scopes.reaching[node] = env[name]
            self.visit(node.value, env, scope)
        elif isinstance(node, cst.Name):
            self.scopes.reaching[node] = self._reaching(node, env, scope)

    def _reaching(self, node: cst.Name, env: Environment, scope: Scope) -> frozenset[Binding]:
        owner = scope.owner(node.value)
        if node.value in env and (owner, node.value) not in self.scopes.rebound_elsewhere:
            return env[node.value]
        if owner is scope and owner.is_class and scope.parent is not None:
            owner = scope.parent.owner(node.value)
        shared = (owner, node.value) in self.scopes.rebound_elsewhere
        if owner is None or (owner is scope and not shared):
            return frozenset()
        # An outer variable: this code can run after any of its bindings.
        return frozenset(owner.bindings[node.value])

    def _bind_at(self, node: cst.CSTNode, env: Environment, scope: Scope) -> None:
        """Gives the names that a node binds this binding and no other."""
        for binding in self.scopes.binding_at.get(node, ()):
            if binding.scope is scope or "." in binding.name:
                self._forget(binding.name, env)
                env[binding.name] = frozenset([binding])

    @staticmethod
    def _forget(name: str, env: Environment) -> None:
        """Drops what was known of the attributes of a name that gets a new value."""
        prefix = name + "."
        for key in [key for key in env if key.startswith(prefix)]:
            del env[key]

    def _bindings_in(self, node: cst.CSTNode) -> list[Binding]:
        """Returns what a node binds, outside of the scopes in it."""
        bindings: list[Binding] = []
        stack = [node]
        while stack:
            current = stack.pop()
            bindings.extend(self.scopes.binding_at.get(current, ()))
            if not isinstance(current, SCOPED):
                stack.extend(children(current))
        return bindings

    def run(self) -> None:
        """Fills in what reaches each read."""
        self._block(self.tree.module.body, {}, self.scopes.module)
        while self.pending:
            node, scope = self.pending.pop()
            environment = {
                name: frozenset(b for b in bindings if b.kind is BindingKind.PARAMETER)
                for name, bindings in scope.bindings.items()
                if any(b.kind is BindingKind.PARAMETER for b in bindings)
            }
            if isinstance(node, cst.Lambda):
                self.visit(node.body, environment, scope)
            elif isinstance(node, cst.FunctionDef):
                self._suite(node.body, environment, scope)

    def _suite(
        self, body: cst.BaseSuite, environment: Environment, scope: Scope
    ) -> Environment | None:
        if isinstance(body, cst.SimpleStatementSuite):
            return self._simple(body, environment, scope)
        return self._block(body.body, environment, scope)

    def _block(self, body: object, environment: Environment, scope: Scope) -> Environment | None:
        current = dict(environment)
        left = False
        for statement in body:  # type: ignore[attr-defined]  # the caller has asked for its kind
            # Unreachable code is still read, with what was known before it.
            after = self._statement(statement, current, scope)
            left = left or after is None
            current = after if after is not None else current
        return None if left else current

    def _simple(
        self,
        line: cst.SimpleStatementLine | cst.SimpleStatementSuite,
        environment: Environment,
        scope: Scope,
    ) -> Environment | None:
        left = False
        for small in line.body:
            self.visit(small, environment, scope)
            left = left or isinstance(small, cst.Return | cst.Raise | cst.Continue | cst.Break)
        return None if left else environment

    def _statement(self, node: cst.CSTNode, env: Environment, scope: Scope) -> Environment | None:
        if isinstance(node, cst.SimpleStatementLine):
            return self._simple(node, env, scope)
        if isinstance(node, cst.If):
            return self._if_(node, env, scope)
        if isinstance(node, cst.For | cst.While):
            return self._loop(node, env, scope)
        if isinstance(node, cst.Try | cst.TryStar):
            return self._try_(node, env, scope)
        if isinstance(node, cst.With):
            for item in node.items:
                self.visit(item, env, scope)
            after = self._suite(node.body, dict(env), scope)
            # Where an exception ends the block and nothing else, what follows sees a part of it.
            return merge(after, self._with_all_of(node.body, env)) if catches(node) else after
        if isinstance(node, cst.FunctionDef):
            for part in (*node.decorators, node.params, *([node.returns] if node.returns else ())):
                self.visit(part, env, scope)
            self.pending.append((node, self.scopes.of_node[node]))
            self._bind_at(node, env, scope)
            return env
        if isinstance(node, cst.ClassDef):
            for part in (*node.decorators, *node.bases, *node.keywords):
                self.visit(part, env, scope)
            self._suite(node.body, {}, self.scopes.of_node[node])
            self._bind_at(node, env, scope)
            return env
        if isinstance(node, cst.Match):
            return self._match(node, env, scope)
        return env

    def _if_(self, node: cst.If, env: Environment, scope: Scope) -> Environment | None:
        self.visit(node.test, env, scope)
        yes, no = dict(env), dict(env)
        yes.update(narrowings(node.test, True, scope))
        no.update(narrowings(node.test, False, scope))
        after_yes = self._suite(node.body, yes, scope)
        if isinstance(node.orelse, cst.If):
            after_no = self._if_(node.orelse, no, scope)
        elif node.orelse is not None:
            after_no = self._suite(node.orelse.body, no, scope)
        else:
            after_no = no
        return merge(after_yes, after_no)

    def _loop(
        self, node: cst.For | cst.While, env: Environment, scope: Scope
    ) -> Environment | None:
        if isinstance(node, cst.For):
            self.visit(node.iter, env, scope)
        head = self._with_all_of(node, env)
        if isinstance(node, cst.For):
            self.visit(node.target, head, scope)
        else:
            self.visit(node.test, head, scope)
        inside = dict(head)
        if isinstance(node, cst.While):
            inside.update(narrowings(node.test, True, scope))
        self._suite(node.body, inside, scope)
        after: Environment | None = dict(head)
        if node.orelse is not None:
            after = merge(after, self._suite(node.orelse.body, dict(head), scope))
        return after

    def _try_(
        self, node: cst.Try | cst.TryStar, env: Environment, scope: Scope
    ) -> Environment | None:
        after = self._suite(node.body, dict(env), scope)
        anywhere = self._with_all_of(node.body, env)
        if node.orelse is not None and after is not None:
            after = self._suite(node.orelse.body, after, scope)
        for handler in node.handlers:
            inside = dict(anywhere)
            for part in (handler.type, handler.name):
                if part is not None:
                    self.visit(part, inside, scope)
            after = merge(after, self._suite(handler.body, inside, scope))
        if node.finalbody is not None:
            # The body of `finally` also runs on the way out of a failed handler.
            self._suite(node.finalbody.body, self._with_all_of(node, env), scope)
            if after is not None:
                for binding in self._bindings_in(node.finalbody):
                    after[binding.name] = frozenset([binding])
        return after

    def _match(self, node: cst.Match, env: Environment, scope: Scope) -> Environment | None:
        self.visit(node.subject, env, scope)
        after: Environment | None = dict(env)
        for case in node.cases:
            inside = dict(env)
            self.visit(case.pattern, inside, scope)
            if case.guard is not None:
                self.visit(case.guard, inside, scope)
            after = merge(after, self._suite(case.body, inside, scope))
        return after

    def _with_all_of(self, node: cst.CSTNode, env: Environment) -> Environment:
        """Returns `env` with everything that `node` binds anywhere added."""
        result = dict(env)
        for binding in self._bindings_in(node):
            if "." in binding.name:
                result.pop(binding.name, None)
            else:
                result[binding.name] = result.get(binding.name, frozenset()) | {binding}
        return result


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
    scopes.note_uses()
    return scopes
