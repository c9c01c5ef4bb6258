# SPDX-License-Identifier: Apache-2.0
"""Which bindings a name can have where it is read: scopes, and the flow of assignments in them.

libcst's own scope analysis does not follow assignments and costs more than the parser
(https://github.com/Instagram/LibCST/issues/1139), so this is a small forward analysis of our own:
one pass through each scope's statements that carries, for each name, the bindings that can have
reached this point. It errs on the side of too many bindings, never of too few.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import TypeAlias

import libcst as cst

from lossscale_codemods.tree import Tree, children, dotted


class BindingKind(enum.Enum):
    """How a name got its value."""

    IMPORT = "import"
    STAR = "star import"
    ASSIGN = "assignment"
    PARAMETER = "parameter"
    FUNCTION = "function"
    CLASS = "class"
    NARROWED = "isinstance test"
    OTHER = "other"


@dataclasses.dataclass(eq=False)
class Binding:
    """One place at which a name, or a dotted name such as `self.opt`, gets a value."""

    name: str
    kind: BindingKind
    node: cst.CSTNode
    scope: Scope
    path: str | None = None
    """For imports: the dotted path of what is imported; it starts with dots if relative."""
    value: cst.BaseExpression | None = None
    """For assignments of one value to one name: the value. For parameters: the annotation."""
    uses: list[cst.CSTNode] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(eq=False)
class Scope:
    """A module, function, lambda, comprehension or class body."""

    node: cst.CSTNode
    parent: Scope | None
    bindings: dict[str, list[Binding]] = dataclasses.field(default_factory=dict)
    outward: dict[str, Scope] = dataclasses.field(default_factory=dict)
    """Names declared `global` or `nonlocal`, with the scope that owns them."""
    attributes: dict[str, list[Binding]] = dataclasses.field(default_factory=dict)
    """For classes: what the methods assign to `self.<attribute>`, and the methods."""
    stars: list[Binding] = dataclasses.field(default_factory=list)

    @property
    def is_class(self) -> bool:
        """Whether this is a class body, which functions inside it do not see."""
        return isinstance(self.node, cst.ClassDef)

    def owner(self, name: str) -> Scope | None:
        """Returns the scope whose variable `name` is when read here."""
        scope: Scope | None = self
        while scope is not None:
            if scope is self or not scope.is_class:
                if name in scope.outward:
                    return scope.outward[name]
                if name in scope.bindings:
                    return scope
            scope = scope.parent
        return None

    def method_class(self) -> tuple[str, Scope] | None:
        """Returns the name of `self` and the class, if this scope is a method of a class."""
        if (
            self.parent is None
            or not self.parent.is_class
            or not isinstance(self.node, cst.FunctionDef)
        ):
            return None
        if any(dotted(d.decorator) == "staticmethod" for d in self.node.decorators):
            return None
        parameters = [*self.node.params.posonly_params, *self.node.params.params]
        return (parameters[0].name.value, self.parent) if parameters else None


Environment: TypeAlias = dict[str, frozenset[Binding]]
_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
_SCOPED = (cst.FunctionDef, cst.Lambda, cst.ClassDef, *_COMPREHENSIONS)
_LEAVING = (cst.Return, cst.Raise, cst.Continue, cst.Break)


def import_path(node: cst.ImportFrom) -> str:
    """Returns the dotted module path of a from-import, with its leading dots."""
    return "." * len(node.relative) + (dotted(node.module) or "")


def member_path(module: str, name: str) -> str:
    """Returns the dotted path of a member of a possibly relative module."""
    return module + name if module.endswith(".") or not module else f"{module}.{name}"


class Scopes:
    """The scopes of a file, and for each read of a name the bindings that can reach it."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.module = Scope(tree.module, None)
        self.of_node: dict[cst.CSTNode, Scope] = {tree.module: self.module}
        self.reaching: dict[cst.CSTNode, frozenset[Binding]] = {}
        self.scope_of_read: dict[cst.CSTNode, Scope] = {}
        self.binding_at: dict[cst.CSTNode, list[Binding]] = {}
        self.rebound_elsewhere: set[tuple[Scope, str]] = set()
        """Variables that another scope assigns through `global` or `nonlocal`."""
        _Collector(self).collect()
        _Flow(self).run()
        for node, bindings in self.reaching.items():
            for binding in self._with_narrowed(bindings):
                binding.uses.append(node)

    def _with_narrowed(self, bindings: frozenset[Binding]) -> frozenset[Binding]:
        """Adds, for each isinstance test, the bindings of the name that it tests."""
        found = bindings
        for binding in bindings:
            if binding.kind is BindingKind.NARROWED:
                found |= self.lookup(binding.name, binding.scope)
        return found

    def lookup(self, name: str, scope: Scope) -> frozenset[Binding]:
        """Returns all bindings that `name` can have in `scope`, whatever the order."""
        owner = scope.owner(name)
        return frozenset(owner.bindings.get(name, ())) if owner else frozenset()

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """Returns the scope that a node stands in."""
        for above in self.tree.ancestors(node):
            if above in self.of_node:
                return self.of_node[above]
        return self.module


class _Collector:
    """First pass: which scopes there are and which names each binds."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.tree = scopes.tree
        self.declared: list[tuple[Scope, str, bool]] = []
        self.attribute_targets: list[tuple[Scope, cst.Attribute, cst.BaseExpression | None]] = []

    def collect(self) -> None:
        self.visit_body(self.tree.module, self.scopes.module)
        for scope, name, is_global in self.declared:
            owner = self.scopes.module if is_global else self.enclosing(scope, name)
            for binding in scope.bindings.pop(name, []):
                binding.scope = owner
                self.scopes.rebound_elsewhere.add((owner, name))
                owner.bindings.setdefault(name, []).append(binding)
            owner.bindings.setdefault(name, [])
            scope.outward[name] = owner
        for scope, target, value in self.attribute_targets:
            self.bind_attribute(scope, target, value)

    def enclosing(self, scope: Scope, name: str) -> Scope:
        above = scope.parent
        while above is not None and above.parent is not None:
            if not above.is_class and name in above.bindings:
                return above
            above = above.parent
        return self.scopes.module

    def bind_attribute(
        self, scope: Scope, target: cst.Attribute, value: cst.BaseExpression | None
    ) -> None:
        name = dotted(target)
        if name is None:
            return
        kind = BindingKind.ASSIGN if value is not None else BindingKind.OTHER
        binding = Binding(name, kind, target, scope, value=value)
        self.scopes.binding_at.setdefault(target, []).append(binding)
        owner = self.class_of(target.value, scope)
        if owner is not None:
            owner.attributes.setdefault(target.attr.value, []).append(binding)

    def class_of(self, node: cst.BaseExpression, scope: Scope) -> Scope | None:
        """Returns the class whose instance `node` is, if it is a method's `self`."""
        return class_of_self(node, scope)

    def bind(
        self,
        scope: Scope,
        name: str,
        kind: BindingKind,
        node: cst.CSTNode,
        value: cst.BaseExpression | None = None,
        path: str | None = None,
    ) -> None:
        binding = Binding(name, kind, node, scope, path=path, value=value)
        scope.bindings.setdefault(name, []).append(binding)
        self.scopes.binding_at.setdefault(node, []).append(binding)

    def visit_body(self, node: cst.CSTNode, scope: Scope) -> None:
        for child in children(node):
            self.visit(child, scope)

    def visit(self, node: cst.CSTNode, scope: Scope) -> None:  # noqa: PLR0912
        if isinstance(node, _SCOPED):
            self.visit_scoped(node, scope)
            return
        if isinstance(node, cst.Import):
            for alias in node.names:
                self.bind_import(alias, scope)
            return
        if isinstance(node, cst.ImportFrom):
            self.bind_from_import(node, scope)
            return
        if isinstance(node, cst.Global | cst.Nonlocal):
            for item in node.names:
                self.declared.append((scope, item.name.value, isinstance(node, cst.Global)))
            return
        if isinstance(node, cst.Assign):
            for target in node.targets:
                self.bind_target(target.target, scope, node.value)
        elif isinstance(node, cst.AnnAssign):
            if node.value is not None:
                self.bind_target(node.target, scope, node.value)
        elif isinstance(node, cst.AugAssign | cst.For | cst.CompFor):
            self.bind_target(node.target, scope, None)
        elif isinstance(node, cst.NamedExpr):
            outer = scope
            while isinstance(outer.node, _COMPREHENSIONS) and outer.parent is not None:
                outer = outer.parent
            self.bind_target(node.target, outer, node.value)
        elif isinstance(node, cst.AsName):
            # `with open() as f`, `except E as e`; those of imports are handled above.
            self.bind_target(node.name, scope, None)
        elif isinstance(node, cst.MatchAs | cst.MatchStar) and node.name is not None:
            self.bind_target(node.name, scope, None)
        elif isinstance(node, cst.MatchMapping) and node.rest is not None:
            self.bind_target(node.rest, scope, None)
        elif isinstance(node, cst.Del):
            self.bind_target(node.target, scope, None)
        elif isinstance(node, cst.TypeAlias):
            self.bind_target(node.name, scope, None)
        elif isinstance(node, cst.Param):
            annotation = node.annotation.annotation if node.annotation else None
            self.bind(scope, node.name.value, BindingKind.PARAMETER, node, annotation)
        self.visit_body(node, scope)

    def visit_scoped(self, node: cst.CSTNode, scope: Scope) -> None:
        inner = Scope(node, scope)
        self.scopes.of_node[node] = inner
        if isinstance(node, cst.FunctionDef):
            self.bind(scope, node.name.value, BindingKind.FUNCTION, node)
            if scope.is_class:
                scope.attributes.setdefault(node.name.value, []).extend(
                    self.scopes.binding_at[node]
                )
        elif isinstance(node, cst.ClassDef):
            self.bind(scope, node.name.value, BindingKind.CLASS, node)
        self.visit_body(node, inner)

    def bind_import(self, alias: cst.ImportAlias, scope: Scope) -> None:
        path = dotted(alias.name) or ""
        if alias.asname is not None:
            name = dotted(alias.asname.name) or ""
            self.bind(scope, name, BindingKind.IMPORT, alias, path=path)
        else:
            root = path.split(".")[0]
            self.bind(scope, root, BindingKind.IMPORT, alias, path=root)

    def bind_from_import(self, node: cst.ImportFrom, scope: Scope) -> None:
        module = import_path(node)
        if isinstance(node.names, cst.ImportStar):
            star = Binding("*", BindingKind.STAR, node, scope, path=module)
            scope.stars.append(star)
            self.scopes.binding_at.setdefault(node, []).append(star)
            return
        for alias in node.names:
            name = alias.evaluated_alias or alias.evaluated_name
            path = member_path(module, alias.evaluated_name)
            self.bind(scope, name, BindingKind.IMPORT, alias, path=path)

    def bind_target(
        self, target: cst.CSTNode, scope: Scope, value: cst.BaseExpression | None
    ) -> None:
        if isinstance(target, cst.Name):
            kind = BindingKind.ASSIGN if value is not None else BindingKind.OTHER
            self.bind(scope, target.value, kind, target, value)
        elif isinstance(target, cst.Attribute):
            self.attribute_targets.append((scope, target, value))
        elif isinstance(target, cst.Tuple | cst.List):
            values = value.elements if isinstance(value, cst.Tuple | cst.List) else ()
            if len(values) != len(target.elements) or any(
                isinstance(e, cst.StarredElement) for e in (*values, *target.elements)
            ):
                values = ()
            for index, element in enumerate(target.elements):
                self.bind_target(element.value, scope, values[index].value if values else None)
        elif isinstance(target, cst.StarredElement):
            self.bind_target(target.value, scope, None)


def class_of_self(node: cst.BaseExpression, scope: Scope) -> Scope | None:
    """Returns the class whose instance `node` is, if it is the `self` of an enclosing method."""
    if not isinstance(node, cst.Name):
        return None
    owner = scope.owner(node.value)
    method = owner.method_class() if owner is not None else None
    if owner is None or method is None or method[0] != node.value:
        return None
    bindings = owner.bindings[node.value]
    only_parameter = len(bindings) == 1 and bindings[0].kind is BindingKind.PARAMETER
    return method[1] if only_parameter else None


class _Flow:
    """Second pass: carries the bindings that can have reached each statement."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.tree = scopes.tree
        self.pending: list[tuple[cst.CSTNode, Scope]] = []

    def run(self) -> None:
        self.block(self.tree.module.body, {}, self.scopes.module)
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
                self.suite(node.body, environment, scope)

    def suite(
        self, body: cst.BaseSuite, environment: Environment, scope: Scope
    ) -> Environment | None:
        if isinstance(body, cst.SimpleStatementSuite):
            return self.simple(body, environment, scope)
        return self.block(body.body, environment, scope)

    def block(self, body: object, environment: Environment, scope: Scope) -> Environment | None:
        current = dict(environment)
        left = False
        for statement in body:  # type: ignore[attr-defined]
            # Unreachable code is still read, with what was known before it.
            after = self.statement(statement, current, scope)
            left = left or after is None
            current = after if after is not None else current
        return None if left else current

    def simple(
        self,
        line: cst.SimpleStatementLine | cst.SimpleStatementSuite,
        environment: Environment,
        scope: Scope,
    ) -> Environment | None:
        left = False
        for small in line.body:
            self.small(small, environment, scope)
            left = left or isinstance(small, _LEAVING)
        return None if left else environment

    def small(self, node: cst.BaseSmallStatement, env: Environment, scope: Scope) -> None:  # noqa: PLR0912
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
            env.update(self.narrowings(node.test, True, scope))
        elif isinstance(node, cst.TypeAlias):
            self.expression(node.value, env, scope)
            self.assign(node.name, env, scope)
        else:
            for child in children(node):
                self.expression(child, env, scope)

    def statement(self, node: cst.CSTNode, env: Environment, scope: Scope) -> Environment | None:
        if isinstance(node, cst.SimpleStatementLine):
            return self.simple(node, env, scope)
        if isinstance(node, cst.If):
            return self.if_(node, env, scope)
        if isinstance(node, cst.For | cst.While):
            return self.loop(node, env, scope)
        if isinstance(node, cst.Try | cst.TryStar):
            return self.try_(node, env, scope)
        if isinstance(node, cst.With):
            for item in node.items:
                self.expression(item.item, env, scope)
                if item.asname is not None:
                    self.assign(item.asname.name, env, scope)
            return self.suite(node.body, env, scope)
        if isinstance(node, cst.FunctionDef):
            self.signature(node, env, scope)
            self.bind_at(node, env, scope)
            return env
        if isinstance(node, cst.ClassDef):
            for part in (*node.decorators, *node.bases, *node.keywords):
                self.expression(part, env, scope)
            inner = self.scopes.of_node[node]
            self.suite(node.body, {}, inner)
            self.bind_at(node, env, scope)
            return env
        if isinstance(node, cst.Match):
            return self.match(node, env, scope)
        return env

    def signature(self, node: cst.FunctionDef, env: Environment, scope: Scope) -> None:
        for decorator in node.decorators:
            self.expression(decorator, env, scope)
        self.parameters(node.params, env, scope)
        if node.returns is not None:
            self.expression(node.returns.annotation, env, scope)
        self.pending.append((node, self.scopes.of_node[node]))

    def parameters(self, node: cst.Parameters, env: Environment, scope: Scope) -> None:
        every = [*node.posonly_params, *node.params, *node.kwonly_params]
        every += [p for p in (node.star_arg, node.star_kwarg) if isinstance(p, cst.Param)]
        for parameter in every:
            if parameter.annotation is not None:
                self.expression(parameter.annotation.annotation, env, scope)
            if parameter.default is not None:
                self.expression(parameter.default, env, scope)

    def if_(self, node: cst.If, env: Environment, scope: Scope) -> Environment | None:
        self.expression(node.test, env, scope)
        yes, no = dict(env), dict(env)
        yes.update(self.narrowings(node.test, True, scope))
        no.update(self.narrowings(node.test, False, scope))
        after_yes = self.suite(node.body, yes, scope)
        if isinstance(node.orelse, cst.If):
            after_no = self.if_(node.orelse, no, scope)
        elif node.orelse is not None:
            after_no = self.suite(node.orelse.body, no, scope)
        else:
            after_no = no
        return merge(after_yes, after_no)

    def loop(self, node: cst.For | cst.While, env: Environment, scope: Scope) -> Environment | None:
        if isinstance(node, cst.For):
            self.expression(node.iter, env, scope)
        head = self.with_all_of(node, env)
        if isinstance(node, cst.For):
            self.assign(node.target, head, scope)
        else:
            self.expression(node.test, head, scope)
        inside = dict(head)
        if isinstance(node, cst.While):
            inside.update(self.narrowings(node.test, True, scope))
        self.suite(node.body, inside, scope)
        after: Environment | None = dict(head)
        if node.orelse is not None:
            after = merge(after, self.suite(node.orelse.body, dict(head), scope))
        return after

    def try_(
        self, node: cst.Try | cst.TryStar, env: Environment, scope: Scope
    ) -> Environment | None:
        after = self.suite(node.body, dict(env), scope)
        anywhere = self.with_all_of(node.body, env)
        if node.orelse is not None and after is not None:
            after = self.suite(node.orelse.body, after, scope)
        for handler in node.handlers:
            inside = dict(anywhere)
            if handler.type is not None:
                self.expression(handler.type, inside, scope)
            if handler.name is not None:
                self.assign(handler.name.name, inside, scope)
            after = merge(after, self.suite(handler.body, inside, scope))
        if node.finalbody is not None:
            # The body of `finally` also runs on the way out of a failed handler.
            self.suite(node.finalbody.body, self.with_all_of(node, env), scope)
            if after is not None:
                for binding in self.bindings_in(node.finalbody):
                    after[binding.name] = frozenset([binding])
        return after

    def match(self, node: cst.Match, env: Environment, scope: Scope) -> Environment | None:
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
            after = merge(after, self.suite(case.body, inside, scope))
        return after

    def bindings_in(self, node: cst.CSTNode) -> list[Binding]:
        found: list[Binding] = []
        stack = [node]
        while stack:
            current = stack.pop()
            found.extend(self.scopes.binding_at.get(current, ()))
            if not isinstance(current, _SCOPED):
                stack.extend(children(current))
        return found

    def with_all_of(self, node: cst.CSTNode, env: Environment) -> Environment:
        """Returns `env` with everything that `node` binds anywhere added."""
        result = dict(env)
        for binding in self.bindings_in(node):
            if "." in binding.name:
                result.pop(binding.name, None)
            else:
                result[binding.name] = result.get(binding.name, frozenset()) | {binding}
        return result

    def bind_at(self, node: cst.CSTNode, env: Environment, scope: Scope) -> None:
        for binding in self.scopes.binding_at.get(node, ()):
            if binding.scope is scope or "." in binding.name:
                self.forget(binding.name, env)
                env[binding.name] = frozenset([binding])

    @staticmethod
    def forget(name: str, env: Environment) -> None:
        """Drops what was known of the attributes of a name that gets a new value."""
        prefix = name + "."
        for key in [key for key in env if key.startswith(prefix)]:
            del env[key]

    def assign(self, target: cst.CSTNode, env: Environment, scope: Scope) -> None:
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

    def narrowings(self, test: cst.BaseExpression, truth: bool, scope: Scope) -> Environment:
        """Returns what `isinstance` tests in a condition say about names, if it came out so."""
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            return self.narrowings(test.expression, not truth, scope)
        if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And) == truth:
            left = self.narrowings(test.left, truth, scope)
            return {**left, **self.narrowings(test.right, truth, scope)}
        if (
            truth
            and isinstance(test, cst.Call)
            and dotted(test.func) == "isinstance"
            and len(test.args) == 2
        ):
            name = dotted(test.args[0].value)
            if name is not None:
                value = test.args[1].value
                binding = Binding(name, BindingKind.NARROWED, test, scope, value=value)
                return {name: frozenset([binding])}
        return {}

    def expression(self, node: cst.CSTNode, env: Environment, scope: Scope) -> None:
        if isinstance(node, cst.Name):
            self.read(node, env, scope)
        elif isinstance(node, cst.Attribute):
            name = dotted(node)
            if name is not None and name in env:
                self.scopes.reaching[node] = env[name]
            self.scopes.scope_of_read[node] = scope
            self.expression(node.value, env, scope)
        elif isinstance(node, cst.Arg):
            self.expression(node.value, env, scope)
        elif isinstance(node, cst.NamedExpr):
            self.expression(node.value, env, scope)
            self.assign(node.target, env, scope)
        elif isinstance(node, cst.Lambda):
            self.parameters(node.params, env, scope)
            self.pending.append((node, self.scopes.of_node[node]))
        elif isinstance(node, _COMPREHENSIONS):
            self.comprehension(node, env)
        elif isinstance(node, cst.BooleanOperation):
            self.expression(node.left, env, scope)
            inner = dict(env)
            truth = isinstance(node.operator, cst.And)
            inner.update(self.narrowings(node.left, truth, scope))
            self.expression(node.right, inner, scope)
        elif isinstance(node, cst.IfExp):
            self.expression(node.test, env, scope)
            for branch, truth in ((node.body, True), (node.orelse, False)):
                inner = dict(env)
                inner.update(self.narrowings(node.test, truth, scope))
                self.expression(branch, inner, scope)
        else:
            for child in children(node):
                self.expression(child, env, scope)

    def comprehension(self, node: cst.CSTNode, env: Environment) -> None:
        inner_scope = self.scopes.of_node[node]
        inner = dict(env)
        loop: cst.CompFor | None = node.for_in  # type: ignore[attr-defined]
        while loop is not None:
            self.expression(loop.iter, inner, inner_scope)
            for binding in self.bindings_in(loop.target):
                self.forget(binding.name, inner)
                inner[binding.name] = frozenset([binding])
            for condition in loop.ifs:
                self.expression(condition.test, inner, inner_scope)
            loop = loop.inner_for_in
        for part in ("elt", "key", "value"):
            child = getattr(node, part, None)
            if child is not None:
                self.expression(child, inner, inner_scope)

    def read(self, node: cst.Name, env: Environment, scope: Scope) -> None:
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
