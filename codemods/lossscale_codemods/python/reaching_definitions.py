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


class ExpressionReads:
    """Fills in what reaches the reads of expressions.

    Args:
        scopes: The file's scopes.

    Attributes:
        pending: Functions and lambdas that were defined, with their scopes. Their bodies run later.
    """

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.tree = scopes.tree
        self.pending: list[tuple[cst.CSTNode, Scope]] = []

    def expression(self, node: cst.CSTNode, env: Environment, scope: Scope) -> None:  # noqa: PLR0912  # one branch for each kind of node
        """Notes what reaches each read in an expression, and binds what it binds."""
        # isinstance() takes ten times as long: the kinds of nodes are abstract classes.
        if type(node) is cst.Name:
            self._read(node, env, scope)
        elif type(node) is cst.Attribute:
            name = dotted(node)
            if name is not None and name in env:
                self.scopes.reaching[node] = env[name]
            self.scopes.scope_of_read[node] = scope
            self.expression(node.value, env, scope)
        elif type(node) is cst.Arg:
            self.expression(node.value, env, scope)
        elif type(node) is cst.NamedExpr:
            self.expression(node.value, env, scope)
            self.assign(node.target, env, scope)
        elif type(node) is cst.Call:
            for child in children(node):
                self.expression(child, env, scope)
            env.update(reassigned_by(node, env, scope))
        elif type(node) is cst.Lambda:
            self.parameters(node.params, env, scope)
            self.pending.append((node, self.scopes.of_node[node]))
        elif type(node) in COMPREHENSIONS:
            self._comprehension(node, env)
        elif type(node) is cst.BooleanOperation:
            self.expression(node.left, env, scope)
            inner = dict(env)
            truth = isinstance(node.operator, cst.And)
            inner.update(narrowings(node.left, truth, scope))
            self.expression(node.right, inner, scope)
            self._add_inline(node.right, inner, env)
        elif type(node) is cst.IfExp:
            self.expression(node.test, env, scope)
            for branch, truth in ((node.body, True), (node.orelse, False)):
                inner = dict(env)
                inner.update(narrowings(node.test, truth, scope))
                self.expression(branch, inner, scope)
                self._add_inline(branch, inner, env)
        else:
            for child in children(node):
                self.expression(child, env, scope)

    def _comprehension(self, node: cst.CSTNode, env: Environment) -> None:
        inner_scope = self.scopes.of_node[node]
        inner = dict(env)
        loop: cst.CompFor | None = node.for_in  # type: ignore[attr-defined]  # the caller has asked for its kind
        while loop is not None:
            self.expression(loop.iter, inner, inner_scope)
            for binding in self.bindings_in(loop.target):
                self._forget(binding.name, inner)
                inner[binding.name] = frozenset([binding])
            for condition in loop.ifs:
                self.expression(condition.test, inner, inner_scope)
            loop = loop.inner_for_in
        for part in ("elt", "key", "value"):
            child = getattr(node, part, None)
            if child is not None:
                self.expression(child, inner, inner_scope)
                self._add_inline(child, inner, env)

    def _add_inline(self, node: cst.CSTNode, inner: Environment, env: Environment) -> None:
        """Adds what inline assignments bind in an expression that may not be evaluated."""
        for binding in self.bindings_in(node):
            if isinstance(self.tree.parent(binding.node), cst.NamedExpr):
                known = env.get(binding.name, frozenset())
                env[binding.name] = known | inner.get(binding.name, frozenset([binding]))

    def _read(self, node: cst.Name, env: Environment, scope: Scope) -> None:
        self.scopes.scope_of_read[node] = scope
        owner = scope.owner(node.value)
        if node.value in env and (owner, node.value) not in self.scopes.rebound_elsewhere:
            self.scopes.reaching[node] = env[node.value]
            return
        if owner is scope and owner.is_class and scope.parent is not None:
            owner = scope.parent.owner(node.value)
        shared = (owner, node.value) in self.scopes.rebound_elsewhere
        if owner is None or (owner is scope and not shared):
            self.scopes.reaching[node] = frozenset()
            return
        # An outer variable: this code can run after any of its bindings.
        self.scopes.reaching[node] = frozenset(owner.bindings[node.value])

    def parameters(self, node: cst.Parameters, env: Environment, scope: Scope) -> None:
        """Reads the annotations and defaults of parameters."""
        every = [*node.posonly_params, *node.params, *node.kwonly_params]
        every += [p for p in (node.star_arg, node.star_kwarg) if isinstance(p, cst.Param)]
        for parameter in every:
            if parameter.annotation is not None:
                self.expression(parameter.annotation.annotation, env, scope)
            if parameter.default is not None:
                self.expression(parameter.default, env, scope)

    def assign(self, target: cst.CSTNode, env: Environment, scope: Scope) -> None:
        """Gives a target its binding."""
        if isinstance(target, cst.Name):
            self.bind_at(target, env, scope)
        elif isinstance(target, cst.Attribute):
            self.expression(target.value, env, scope)
            self.bind_at(target, env, scope)
        elif isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self.assign(element.value, env, scope)
        elif isinstance(target, cst.StarredElement):
            self.assign(target.value, env, scope)
        else:
            self.expression(target, env, scope)

    def bind_at(self, node: cst.CSTNode, env: Environment, scope: Scope) -> None:
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

    def bindings_in(self, node: cst.CSTNode) -> list[Binding]:
        """Returns what a node binds, outside of the scopes in it."""
        bindings: list[Binding] = []
        stack = [node]
        while stack:
            current = stack.pop()
            bindings.extend(self.scopes.binding_at.get(current, ()))
            if not isinstance(current, SCOPED):
                stack.extend(children(current))
        return bindings


class ReachingDefinitions(ExpressionReads):
    """The second pass."""

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
                self.expression(node.body, environment, scope)
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
            self._small(small, environment, scope)
            left = left or isinstance(small, cst.Return | cst.Raise | cst.Continue | cst.Break)
        return None if left else environment

    def _small(self, node: cst.BaseSmallStatement, env: Environment, scope: Scope) -> None:  # noqa: PLR0912  # one branch for each kind of node
        if isinstance(node, cst.Assign):
            self.expression(node.value, env, scope)
            for target in node.targets:
                self.assign(target.target, env, scope)
        elif isinstance(node, cst.AnnAssign):
            self.expression(node.annotation.annotation, env, scope)
            if node.value is not None:
                self.expression(node.value, env, scope)
                self.assign(node.target, env, scope)
        elif isinstance(node, cst.AugAssign):
            self.expression(node.value, env, scope)
            self.expression(node.target, env, scope)
            self.assign(node.target, env, scope)
        elif isinstance(node, cst.Import | cst.ImportFrom):
            if isinstance(node.names, cst.ImportStar):
                return
            for alias in node.names:
                self.bind_at(alias, env, scope)
        elif isinstance(node, cst.Del):
            self.expression(node.target, env, scope)
            self.assign(node.target, env, scope)
        elif isinstance(node, cst.Global | cst.Nonlocal):
            return
        elif isinstance(node, cst.Assert):
            self.expression(node.test, env, scope)
            if node.msg is not None:
                self.expression(node.msg, env, scope)
            env.update(narrowings(node.test, True, scope))
        elif isinstance(node, cst.TypeAlias):
            self.expression(node.value, env, scope)
            self.assign(node.name, env, scope)
        else:
            for child in children(node):
                self.expression(child, env, scope)

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
                self.expression(item.item, env, scope)
                if item.asname is not None:
                    self.assign(item.asname.name, env, scope)
            after = self._suite(node.body, dict(env), scope)
            # Where an exception ends the block and nothing else, what follows sees a part of it.
            return merge(after, self._with_all_of(node.body, env)) if catches(node) else after
        if isinstance(node, cst.FunctionDef):
            self._signature(node, env, scope)
            self.bind_at(node, env, scope)
            return env
        if isinstance(node, cst.ClassDef):
            for part in (*node.decorators, *node.bases, *node.keywords):
                self.expression(part, env, scope)
            inner = self.scopes.of_node[node]
            self._suite(node.body, {}, inner)
            self.bind_at(node, env, scope)
            return env
        if isinstance(node, cst.Match):
            return self._match(node, env, scope)
        return env

    def _signature(self, node: cst.FunctionDef, env: Environment, scope: Scope) -> None:
        for decorator in node.decorators:
            self.expression(decorator, env, scope)
        self.parameters(node.params, env, scope)
        if node.returns is not None:
            self.expression(node.returns.annotation, env, scope)
        self.pending.append((node, self.scopes.of_node[node]))

    def _if_(self, node: cst.If, env: Environment, scope: Scope) -> Environment | None:
        self.expression(node.test, env, scope)
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
            self.expression(node.iter, env, scope)
        head = self._with_all_of(node, env)
        if isinstance(node, cst.For):
            self.assign(node.target, head, scope)
        else:
            self.expression(node.test, head, scope)
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
            if handler.type is not None:
                self.expression(handler.type, inside, scope)
            if handler.name is not None:
                self.assign(handler.name.name, inside, scope)
            after = merge(after, self._suite(handler.body, inside, scope))
        if node.finalbody is not None:
            # The body of `finally` also runs on the way out of a failed handler.
            self._suite(node.finalbody.body, self._with_all_of(node, env), scope)
            if after is not None:
                for binding in self.bindings_in(node.finalbody):
                    after[binding.name] = frozenset([binding])
        return after

    def _match(self, node: cst.Match, env: Environment, scope: Scope) -> Environment | None:
        self.expression(node.subject, env, scope)
        after: Environment | None = dict(env)
        for case in node.cases:
            inside = dict(env)
            for child in self.tree.walk(case.pattern):
                self.bind_at(child, inside, scope)
                if isinstance(child, cst.MatchValue | cst.MatchClass):
                    self.expression(
                        getattr(child, "value", getattr(child, "cls", child)), env, scope
                    )
            for binding in self.bindings_in(case.pattern):
                inside[binding.name] = frozenset([binding])
            if case.guard is not None:
                self.expression(case.guard, inside, scope)
            after = merge(after, self._suite(case.body, inside, scope))
        return after

    def _with_all_of(self, node: cst.CSTNode, env: Environment) -> Environment:
        """Returns `env` with everything that `node` binds anywhere added."""
        result = dict(env)
        for binding in self.bindings_in(node):
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
