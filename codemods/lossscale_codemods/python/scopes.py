# SPDX-License-Identifier: Apache-2.0
"""The scopes of a file, what binds the names in each, and what is read in which.

Which bindings can have given a name its value where it is read: too many rather than too few. A
binding that comes earlier in a block around the read hides those before it; what comes later counts
in a loop alone. A function can run after any binding of the variables around it. `isinstance`
tests narrow what is known of a name.
"""

from __future__ import annotations

import bisect
import dataclasses
import enum
import functools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import libcst as cst

from lossscale_codemods.source.reading import problem_of
from lossscale_codemods.source.syntax_tree import Tree, children, dotted, tree_of


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


COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


def import_path(node: cst.ImportFrom) -> str:
    """Returns the dotted module path of a from-import, with its leading dots."""
    return "." * len(node.relative) + (dotted(node.module) or "")


def member_path(module: str, name: str) -> str:
    """Returns the dotted path of a member of a possibly relative module."""
    return module + name if module.endswith(".") or not module else f"{module}.{name}"


def imported(node: cst.Import | cst.ImportFrom) -> Iterator[tuple[cst.CSTNode, str]]:
    """Yields each thing that a statement imports, or a star import itself, with its dotted path."""
    module = import_path(node) if isinstance(node, cst.ImportFrom) else ""
    if isinstance(node.names, cst.ImportStar):
        yield node, module
        return
    for alias in node.names:
        yield alias, member_path(module, alias.evaluated_name)


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


class Scopes:
    """What `scope_analysis` finds, for one file."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.module = Scope(tree.module, None)
        self.of_node: dict[cst.CSTNode, Scope] = {tree.module: self.module}
        self.reaching: dict[cst.CSTNode, frozenset[Binding]] = {}
        self.scope_of_read: dict[cst.CSTNode, Scope] = {}
        self.binding_at: dict[cst.CSTNode, list[Binding]] = {}
        self.rebound_elsewhere: set[tuple[Scope, str]] = set()
        """Variables that another scope assigns through `global` or `nonlocal`."""

    def lookup(self, name: str, scope: Scope) -> frozenset[Binding]:
        """Returns all bindings that `name` can have in `scope`, whatever the order."""
        owner = scope.owner(name)
        return frozenset(owner.bindings.get(name, ())) if owner else frozenset()

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """Returns the scope that a node is in."""
        for above in self.tree.ancestors(node):
            if above in self.of_node:
                return self.of_node[above]
        return self.module

    def unpacked(self, binding: Binding) -> tuple[cst.BaseExpression, int, int] | None:
        """Returns what `major, minor = x` unpacks for a name, its place there, and of how many."""
        element = self.tree.parent(binding.node)
        names = self.tree.parent(element) if element is not None else None
        target = self.tree.parent(names) if names is not None else None
        statement = self.tree.parent(target) if isinstance(target, cst.AssignTarget) else None
        if not isinstance(names, cst.Tuple | cst.List) or not isinstance(statement, cst.Assign):
            return None
        place = next(place for place, one in enumerate(names.elements) if one is element)
        if any(isinstance(one, cst.StarredElement) for one in names.elements[: place + 1]):
            return None
        return statement.value, place, len(names.elements)

    def returned(self, function: cst.FunctionDef) -> list[cst.BaseExpression | None] | None:
        """Returns what a function returns; nothing if it is no plain function."""
        if function.asynchronous is not None:
            return None
        returned: list[cst.BaseExpression | None] = []
        inner = self.of_node[function]
        for node in self.tree.walk(function.body):
            if isinstance(node, cst.Yield):
                return None
            if isinstance(node, cst.Return) and self.scope_of(node) is inner:
                returned.append(node.value)
        return returned


_TARGETS: dict[type[cst.CSTNode], str] = {
    **dict.fromkeys((cst.AugAssign, cst.CompFor, cst.Del, cst.For), "target"),
    # `with open() as f`, `except E as e`; those of imports are looked at with these.
    **dict.fromkeys((cst.AsName, cst.MatchAs, cst.MatchStar, cst.TypeAlias), "name"),
    cst.MatchMapping: "rest",
}
"""What gives names a value that is not written beside them, and the field that has the names."""
_BINDING = frozenset(
    {
        *(cst.Import, cst.ImportFrom, cst.Global, cst.Nonlocal),
        *(cst.Assign, cst.AnnAssign, cst.NamedExpr, cst.Param),
        *_TARGETS,
    }
)
"""What binds a name; to ask each node for each kind took a tenth of a full parse."""
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


def _parts(node: cst.CSTNode, fields: Sequence[str]) -> Iterator[cst.CSTNode]:
    for field in fields:
        value = getattr(node, field)
        if isinstance(value, cst.CSTNode):
            yield value
        else:
            yield from value or ()


class BindingCollector:
    """The first pass: walks through a file, and fills in its scopes."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.tree = scopes.tree
        self.places: dict[cst.CSTNode, int] = {}
        """Where nodes are in the order of the text; statements that bind, where they end."""
        self.names: list[tuple[cst.Name | cst.Attribute, Scope]] = []
        """The names and attributes, read or bound, with the scopes that they are in."""
        self._declared: list[tuple[Scope, str, bool]] = []
        self._attribute_targets: list[tuple[Scope, cst.Attribute, cst.BaseExpression | None]] = []

    def collect(self) -> None:
        """Fills in the scopes and their bindings."""
        self._visit(self.tree.module, self.scopes.module)
        for scope, name, is_global in self._declared:
            owner = self.scopes.module if is_global else self._enclosing(scope, name)
            for binding in scope.bindings.pop(name, []):
                binding.scope = owner
                self.scopes.rebound_elsewhere.add((owner, name))
                owner.bindings.setdefault(name, []).append(binding)
            owner.bindings.setdefault(name, [])
            scope.outward[name] = owner
        for scope, target, value in self._attribute_targets:
            self._bind_attribute(scope, target, value)

    def _enclosing(self, scope: Scope, name: str) -> Scope:
        above = scope.parent
        while above is not None and above.parent is not None:
            if not above.is_class and name in above.bindings:
                return above
            above = above.parent
        return self.scopes.module

    def _bind_attribute(
        self, scope: Scope, target: cst.Attribute, value: cst.BaseExpression | None
    ) -> None:
        bound = self.scopes.binding_at.setdefault(target, [])
        name = dotted(target)
        if name is None:
            return
        kind = BindingKind.ASSIGN if value is not None else BindingKind.OTHER
        binding = Binding(name, kind, target, scope, value=value)
        bound.append(binding)
        owner = class_of_self(target.value, scope)
        if owner is not None:
            owner.attributes.setdefault(target.attr.value, []).append(binding)

    def _bind(
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

    def _visit(self, node: cst.CSTNode, scope: Scope) -> None:
        kind = type(node)
        self.places[node] = len(self.places)
        parts = _parts(node, _READ_IN[kind]) if kind in _READ_IN else children(node)
        if isinstance(node, cst.Name | cst.Attribute):
            self.names.append((node, scope))
        elif isinstance(node, COMPREHENSIONS):
            scope = self._scope_in(node, scope)
        elif isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            inner = self._scope_in(node, scope)
            for part in _parts(node, _OUTSIDE[kind]):
                self._visit(part, scope)
            self.places[node] = len(self.places)
            scope, parts = inner, iter([node.body])
        elif isinstance(node, cst.AnnAssign) and node.value is None:
            parts = iter([node.annotation])
        elif kind in _BINDING:
            self._bind_names(node, scope)
        for part in parts:
            self._visit(part, scope)
        if isinstance(node, cst.BaseSmallStatement | cst.NamedExpr):
            self.places[node] = len(self.places)

    def _scope_in(self, node: cst.CSTNode, scope: Scope) -> Scope:
        """Returns the scope of a node that has one of its own, and binds the node's name."""
        if isinstance(node, cst.FunctionDef):
            self._bind(scope, node.name.value, BindingKind.FUNCTION, node)
            if scope.is_class:
                methods = scope.attributes.setdefault(node.name.value, [])
                methods += self.scopes.binding_at[node]
        elif isinstance(node, cst.ClassDef):
            self._bind(scope, node.name.value, BindingKind.CLASS, node)
        inner = self.scopes.of_node[node] = Scope(node, scope)
        return inner

    def _bind_names(self, node: cst.CSTNode, scope: Scope) -> None:
        match node:
            case cst.Import(names=aliases):
                for alias in aliases:
                    self._bind_import(alias, scope)
            case cst.ImportFrom():
                self._bind_from_import(node, scope)
            case cst.Global(names=items) | cst.Nonlocal(names=items):
                is_global = isinstance(node, cst.Global)
                self._declared += [(scope, item.name.value, is_global) for item in items]
            case cst.Assign(targets=targets, value=value):
                for one in targets:
                    self._bind_target(one.target, scope, value)
            case (
                cst.AnnAssign(target=target, value=value)
                | cst.NamedExpr(target=target, value=value)
            ):
                while isinstance(scope.node, COMPREHENSIONS) and scope.parent is not None:
                    scope = scope.parent
                self._bind_target(target, scope, value)
            case cst.Param(name=name, annotation=annotation):
                of_function = self.scopes.of_node[self.tree.parents[self.tree.parents[node]]]
                kind = annotation.annotation if annotation is not None else None
                self._bind(of_function, name.value, BindingKind.PARAMETER, node, kind)
            case _:
                target = getattr(node, _TARGETS[type(node)])
                if target is not None:
                    self._bind_target(target, scope, None)

    def _bind_import(self, alias: cst.ImportAlias, scope: Scope) -> None:
        path = dotted(alias.name) or ""
        if alias.asname is not None:
            name = dotted(alias.asname.name) or ""
            self._bind(scope, name, BindingKind.IMPORT, alias, path=path)
        else:
            root = path.split(".")[0]
            self._bind(scope, root, BindingKind.IMPORT, alias, path=root)

    def _bind_from_import(self, node: cst.ImportFrom, scope: Scope) -> None:
        module = import_path(node)
        if isinstance(node.names, cst.ImportStar):
            star = Binding("*", BindingKind.STAR, node, scope, path=module)
            scope.stars.append(star)
            self.scopes.binding_at.setdefault(node, []).append(star)
            return
        for alias in node.names:
            name = alias.evaluated_alias or alias.evaluated_name
            path = member_path(module, alias.evaluated_name)
            self._bind(scope, name, BindingKind.IMPORT, alias, path=path)

    def _bind_target(
        self, target: cst.CSTNode, scope: Scope, value: cst.BaseExpression | None
    ) -> None:
        if isinstance(target, cst.Name):
            kind = BindingKind.ASSIGN if value is not None else BindingKind.OTHER
            self._bind(scope, target.value, kind, target, value)
        elif isinstance(target, cst.Attribute):
            self._attribute_targets.append((scope, target, value))
        elif isinstance(target, cst.Tuple | cst.List):
            values = value.elements if isinstance(value, cst.Tuple | cst.List) else ()
            if len(values) != len(target.elements) or any(
                isinstance(e, cst.StarredElement) for e in (*values, *target.elements)
            ):
                values = ()
            for index, element in enumerate(target.elements):
                self._bind_target(element.value, scope, values[index].value if values else None)
        elif isinstance(target, cst.StarredElement):
            self._bind_target(target.value, scope, None)


_LARGEST = 1 << 18
"""The bytes of another file that is parsed, at most."""


def narrowing(test: cst.CSTNode, name: str, *, truth: bool) -> cst.Call | None:
    """Returns the `isinstance` test that says what a name is, in a condition that came out so."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return narrowing(test.expression, name, truth=not truth)
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And) == truth:
        left = narrowing(test.left, name, truth=truth)
        return narrowing(test.right, name, truth=truth) or left
    if not truth or not isinstance(test, cst.Call) or len(test.args) != 2:
        return None
    is_test = dotted(test.func) == "isinstance" and dotted(test.args[0].value) == name
    return test if is_test else None


class ReachingDefinitions:
    """The second pass: fills in what reaches each read."""

    def __init__(self, collected: BindingCollector) -> None:
        self.scopes = collected.scopes
        self.tree = collected.tree
        self._names = collected.names
        self._place = collected.places
        self._of_attributes: dict[str, list[Binding]] = {}
        self._found: dict[Binding, _Where] = {}
        self._ordered: dict[Binding | None, Sequence[Binding]] = {}
        calls = [one for one in self.tree.nodes(cst.Call) if dotted(one.func) == "isinstance"]
        self._tested = {dotted(one.args[0].value) for one in calls if one.args}
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
        test = self._narrowed(node, name, [*reaching, *others]) if name in self._tested else None
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
    """Where a binding is made, and what of it is asked for each read."""

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
    """Returns the scopes of a file of a project; nothing if it is large, or does not parse."""
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
