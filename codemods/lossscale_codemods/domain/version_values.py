# SPDX-License-Identifier: Apache-2.0
"""Values of the expressions that programs ask TensorFlow's version with, for one version.

version.parse(tf.__version__) >= version.parse("2.4")
hasattr(tf.keras.mixed_precision, "experimental")
"experimental" in dir(tf.keras.mixed_precision)
"""

from __future__ import annotations

import dataclasses
import operator
import re
from typing import TYPE_CHECKING, Any, Protocol

import libcst as cst

from lossscale_codemods.python import BindingKind, imported
from lossscale_codemods.source.syntax_tree import dotted, is_none
from lossscale_codemods.tables import frameworks, names
from lossscale_codemods.tables.names import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lossscale_codemods.python import Binding, Definition, Modules, Resolver


_NUMERIC = re.compile(r"\d+(?:\.\d+)*")


class UnknownValueError(Exception):
    """The value depends on more than the version."""


class ParsedVersion:
    """What `packaging`, `distutils` and `pkg_resources` make of a version.

    Args:
        text: The version.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.release = tuple(int(part) for part in _NUMERIC.findall(text)[0].split("."))

    def attribute(self, name: str) -> Any:
        """Returns one of its public attributes."""
        parts = {"major": 0, "minor": 1, "micro": 2}
        if name in parts:
            return (*self.release, 0, 0)[parts[name]]
        if name in {"base_version", "public"}:
            return self.text
        if name in {"release", "version"}:
            return self.release
        raise UnknownValueError


def comparable(value: Any, other: Any) -> Any:
    """Returns parsed versions as tuples, also where the other side is not parsed.

    Two strings are compared as strings, as the program does: `"2.21.0" < "2.4"` is true.
    """
    if isinstance(value, ParsedVersion):
        return value.release
    if isinstance(value, str) and isinstance(other, ParsedVersion):
        numbers = _NUMERIC.fullmatch(value) or _NUMERIC.match(value)
        if numbers is not None:
            return tuple(int(part) for part in numbers.group().split("."))
    return value


_DEEPEST = 30
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "Subtract": operator.sub,
    "Multiply": operator.mul,
    "Divide": operator.truediv,
}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "Equal": operator.eq,
    "NotEqual": operator.ne,
    "LessThan": operator.lt,
    "LessThanEqual": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanEqual": operator.ge,
    "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
    "Is": lambda a, b: a is b,
    "IsNot": lambda a, b: a is not b,
}


@dataclasses.dataclass(frozen=True)
class Probe:
    """An expression that asks for a name.

    Attributes:
        node: The expression.
        kind: The function that asks.
        name: The string that names what is asked for.
        home: The path of the module that is asked; empty if the string is a whole path.
        negated: Whether it asks with `not in`.
    """

    node: cst.BaseExpression
    kind: str
    name: cst.SimpleString
    home: str = ""
    negated: bool = False

    @property
    def is_answered(self) -> bool:
        """Whether nothing is taken in the place of what is not there."""
        arguments = self.node.args if isinstance(self.node, cst.Call) else ()
        return self.kind != "getattr" or (len(arguments) == 3 and is_none(arguments[2].value))

    @property
    def path(self) -> str:
        """The path of what is asked for."""
        text = str(self.name.evaluated_value)
        return f"{self.home}.{text}" if self.home else text


def probe_of(text: cst.CSTNode, resolver: Resolver) -> Probe | None:
    """Returns the probe that a string is the name in, if it is in one.

    Args:
        text: The string.
        resolver: Knows what the names of its file stand for.
    """
    if not isinstance(text, cst.SimpleString):
        return None
    parent = resolver.scopes.tree.parent
    above = parent(text)
    probe = probe_at(parent(above) if isinstance(above, cst.Arg) else above, resolver)
    return probe if probe is not None and probe.name is text else None


def probe_at(node: cst.CSTNode | None, resolver: Resolver) -> Probe | None:
    """Returns what an expression asks for; nothing if it is none that asks.

    Args:
        node: The expression.
        resolver: Knows what the names of its file stand for.
    """
    match node:
        case cst.Call(
            func=cst.Name(value="hasattr" | "getattr" as kind) as function,
            args=[cst.Arg(value=module, star=""), cst.Arg(value=cst.SimpleString() as name), *_],
        ) if not resolver.bindings(function):
            home = resolver.path(module)
            return None if home is None else Probe(node, kind, name, home)
        case cst.Comparison(
            left=cst.SimpleString() as name,
            comparisons=[
                cst.ComparisonTarget(
                    operator=cst.In() | cst.NotIn() as sign,
                    comparator=cst.Call(
                        func=cst.Name(value="dir" | "vars" as kind) as function,
                        args=[cst.Arg(value=module, star="")],
                    ),
                )
            ],
        ) if not resolver.bindings(function):
            home = resolver.path(module)
            negated = isinstance(sign, cst.NotIn)
            return None if home is None else Probe(node, kind, name, home, negated)
    return None


def is_new(node: cst.CSTNode, resolver: Resolver) -> bool:
    """Whether a node is a name of today, as it is read or imported.

    Args:
        node: The node.
        resolver: Knows what the names of its file stand for.
    """
    if isinstance(node, cst.ImportFrom | cst.Import):
        return any(frameworks.is_new_name(path) for _, path in imported(node))
    if not isinstance(node, cst.Attribute | cst.Name):
        return False
    if not any(p is not None and frameworks.is_new_name(p) for p in resolver.paths(node)):
        return False
    above = resolver.scopes.tree.parent(node)
    if not isinstance(above, cst.Attribute):
        return True
    return not any(p is not None and names.lookup(p) for p in resolver.paths(above))


_VERSION = re.compile(
    r"^tensorflow(?:\.compat\.v1)?\.(?:__version__|VERSION|version\.(?:VERSION|__version__))$"
)
_PARSERS = frozenset(
    {"parse", "Version", "LooseVersion", "StrictVersion", "parse_version", "LegacyVersion"}
)
_NAMED_VERSION = re.compile(r"_*(?:TF|TENSORFLOW)_?VERSION", re.IGNORECASE)
"""What programs call the version that they read from a configuration."""
VERSIONS_OF_TODAY = ("2.16.2", "2.17.1", "2.18.1", "2.19.1", "2.20.0", "2.21.0", "2.22.0")
"""Those that what is migrated runs on."""
_STRING_METHODS = frozenset(
    {"split", "rsplit", "startswith", "endswith", "strip", "replace", "partition", "rpartition"}
    | {"join", "lower", "lstrip", "rstrip"}
)
_SOMETHING = object()
"""Stands for an object of which nothing is known but that it is there."""


class Reached(Protocol):
    """What of one file, and of those that it imports, each version comes to."""

    resolver: Resolver
    modules: Modules

    @property
    def features(self) -> frozenset[str]:
        """Old names that are there in every version."""

    def keeping_from(self, node: cst.CSTNode, version: str) -> cst.CSTNode | None:
        """Returns what keeps a version from a node."""

    def values_in(self, resolver: Resolver, version: str) -> VersionValues:
        """Returns what evaluates the expressions of another file."""


class VersionValues:
    """Evaluates expressions of one file as they are under one version of TensorFlow.

    Args:
        where: Knows the file, and what of it and of others is reached.
        version: The version.
    """

    def __init__(self, where: Reached, version: str) -> None:
        self._depth = 0
        self._within: list[Mapping[str, Any]] = []
        """The variables of the comprehensions and the parameters of the functions around."""
        self.where = where
        self.resolver = where.resolver
        self.version = version

    def truth(self, node: cst.BaseExpression) -> bool | None:
        """Returns whether a condition holds; `None` if it depends on more than the version."""
        try:
            return bool(self.of(node))
        except UnknownValueError:
            return None

    def of(self, node: cst.BaseExpression) -> Any:
        """Returns the value of an expression.

        Raises:
            UnknownValueError: It depends on more than the version.
        """
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise UnknownValueError
            return self._of(node)
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            raise UnknownValueError from error
        finally:
            self._depth -= 1

    def _of(self, node: cst.BaseExpression) -> Any:  # noqa: PLR0912  # one branch for each kind of node
        if isinstance(node, cst.Name):
            return self._of_name(node)
        if isinstance(node, cst.SimpleString | cst.Integer | cst.Float):
            return node.evaluated_value
        if isinstance(node, cst.Attribute):
            return self._of_attribute(node)
        if isinstance(node, cst.Call):
            return self._of_call(node)
        if isinstance(node, cst.Tuple | cst.List):
            return tuple(self.of(element.value) for element in node.elements)
        if isinstance(node, cst.Comparison):
            return self._comparison(node)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            return not self.of(node.expression)
        if isinstance(node, cst.BooleanOperation):
            return self._boolean(node)
        if isinstance(node, cst.IfExp):
            return self.of(node.body if self.of(node.test) else node.orelse)
        if isinstance(node, cst.BinaryOperation):
            operation = _BINARY[type(node.operator).__name__]
            return operation(self.of(node.left), self.of(node.right))
        if isinstance(node, cst.Subscript):
            return self._item(node)
        if isinstance(node, cst.GeneratorExp | cst.ListComp):
            return self._comprehension(node)
        if isinstance(node, cst.NamedExpr):
            return self.of(node.value)
        raise UnknownValueError

    def _comparison(self, node: cst.Comparison) -> bool:
        probe = probe_at(node, self.resolver)
        if probe is not None:
            return bool(self._asked(probe))
        left = self.of(node.left)
        for target in node.comparisons:
            right = self.of(target.comparator)
            name = type(target.operator).__name__
            first, second = left, right
            if name not in {"In", "NotIn", "Is", "IsNot"}:
                first, second = comparable(left, right), comparable(right, left)
            if not _COMPARE[name](first, second):
                return False
            left = right
        return True

    def _boolean(self, node: cst.BooleanOperation) -> Any:
        stops = isinstance(node.operator, cst.Or)
        sides = []
        for side in (node.left, node.right):
            try:
                sides.append(self.of(side))
            except UnknownValueError:
                sides.append(UnknownValueError)
        for value in sides:
            if value is not UnknownValueError and bool(value) is stops:
                return value  # Whatever the other side is.
        if UnknownValueError in sides:
            raise UnknownValueError
        return sides[1]

    def _item(self, node: cst.Subscript) -> Any:
        value = self.of(node.value)
        if not isinstance(value, str | tuple) or len(node.slice) != 1:
            raise UnknownValueError
        index = node.slice[0].slice
        if isinstance(index, cst.Index):
            return value[self.of(index.value)]
        if not isinstance(index, cst.Slice):
            raise UnknownValueError
        parts = (index.lower, index.upper, index.step)
        return value[slice(*(None if part is None else self.of(part) for part in parts))]

    def _comprehension(self, node: cst.GeneratorExp | cst.ListComp) -> Any:
        loop = node.for_in
        if loop.inner_for_in is not None or loop.ifs or not isinstance(loop.target, cst.Name):
            raise UnknownValueError
        values = []
        for value in self.of(loop.iter):
            self._within.append({loop.target.value: value})
            try:
                values.append(self.of(node.elt))
            finally:
                self._within.pop()
        return tuple(values)

    def _of_name(self, node: cst.Name) -> Any:
        bindings = self.resolver.bindings(node)
        if not any(binding.scope is self.resolver.scopes.module for binding in bindings):
            for values in reversed(self._within):
                if node.value in values:
                    return values[node.value]
        if not bindings and node.value in {"True", "False", "None"}:
            return {"True": True, "False": False, "None": None}[node.value]
        return self._bound(bindings, node) if bindings else self._in_project(node)

    def _of_attribute(self, node: cst.Attribute) -> Any:
        bindings = self.resolver.bindings(node)
        if bindings:
            return self._bound(bindings, node)
        path = self.resolver.path(node)
        if path is not None:
            return self._at(path) if frameworks.is_framework(path) else self._in_project(node)
        value = self.of(node.value)
        if isinstance(value, ParsedVersion):
            return value.attribute(node.attr.value)
        raise UnknownValueError

    def _at(self, path: str) -> Any:
        if _VERSION.match(canonical(path)):
            return self.version
        if self.exists(path):
            return _SOMETHING
        raise UnknownValueError

    def _bound(self, bindings: frozenset[Binding], node: cst.CSTNode) -> Any:
        path = self.resolver.path(node)
        if path is not None and _VERSION.match(canonical(path)):
            return self.version
        return self._of_bindings(bindings)

    def _is_reached(self, node: cst.CSTNode) -> bool:
        return self.where.keeping_from(node, self.version) is None

    def _of_bindings(self, bindings: frozenset[Binding]) -> Any:
        reached = [b for b in bindings if len(bindings) == 1 or self._is_reached(b.node)]
        values = [self._of_binding(b) for b in reached]
        if not values or any(value != values[0] for value in values):
            raise UnknownValueError
        return values[0]

    def _of_binding(self, binding: Binding) -> Any:
        if binding.kind is BindingKind.ASSIGN and binding.value is not None:
            parent = self.resolver.scopes.tree.parent
            called = any(isinstance(parent(use), cst.Attribute) for use in binding.uses)
            if isinstance(binding.value, cst.List) and (called or not binding.value.elements):
                raise UnknownValueError  # The program can fill or empty it afterwards.
            return self.of(binding.value)
        if binding.kind is BindingKind.IMPORT and binding.path is not None:
            if frameworks.is_framework(binding.path):
                return self._at(binding.path)
            return self._defined(self.where.modules.definitions(self.resolver, binding.path))
        return self._unpacked(binding)

    def _in_project(self, node: cst.BaseExpression) -> Any:
        """Returns the value of a flag that is in another file of the project."""
        return self._defined(self.where.modules.named(self.resolver, node))

    def _defined(self, definitions: Sequence[Definition]) -> Any:
        files = {definition.resolver for definition in definitions}
        if len(files) != 1:
            raise UnknownValueError
        values = self.where.values_in(files.pop(), self.version)
        return values._of_bindings(frozenset(d.binding for d in definitions))

    def _unpacked(self, binding: Binding) -> Any:
        """Returns what `major, minor = ...` gives one of its names."""
        unpacked = self.resolver.scopes.unpacked(binding)
        if unpacked is None:
            raise UnknownValueError
        value, place, _ = unpacked
        return self.of(value)[place]

    def _of_call(self, node: cst.Call) -> Any:
        if any(a.star or a.keyword is not None for a in node.args):
            raise UnknownValueError
        probe = probe_at(node, self.resolver)
        if probe is not None:
            return self._asked(probe)
        arguments = [a.value for a in node.args]
        if isinstance(node.func, cst.Name) and not self.resolver.bindings(node.func):
            return self._builtin(node.func.value, arguments)
        path = self.resolver.path(node.func) or dotted(node.func) or ""
        if path.rpartition(".")[2] in _PARSERS and len(arguments) == 1:
            return ParsedVersion(self._version_text(arguments[0]))
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in _STRING_METHODS:
            text = self.of(node.func.value)
            if isinstance(text, str):
                result = getattr(text, node.func.attr.value)(*map(self.of, arguments))
                return tuple(result) if isinstance(result, list) else result
        return self._own_function(node, arguments)

    def _version_text(self, node: cst.BaseExpression) -> str:
        try:
            return str(self.of(node))
        except UnknownValueError:
            name = (dotted(node) or "").rpartition(".")[2]
            if _NAMED_VERSION.fullmatch(name):
                return self.version
            raise

    def _builtin(self, name: str, arguments: Sequence[cst.BaseExpression]) -> Any:
        if name == "map" and len(arguments) == 2 and dotted(arguments[0]) in {"int", "float"}:
            function = int if dotted(arguments[0]) == "int" else float
            return tuple(map(function, self.of(arguments[1])))
        simple: dict[str, Callable[[Any], Any]] = {
            "int": int,
            "float": float,
            "str": str,
            "bool": bool,
            "tuple": tuple,
            "list": tuple,
            "len": len,
        }
        return simple[name](self.of(arguments[0]))

    def _asked(self, probe: Probe) -> Any:
        """Returns what an expression that asks for a name gives."""
        there = self.exists(probe.path)
        if there is None:
            raise UnknownValueError
        if probe.kind == "getattr" and isinstance(probe.node, cst.Call):
            return self._at(probe.path) if there else self.of(probe.node.args[2].value)
        return there is not probe.negated

    def _own_function(self, node: cst.Call, arguments: Sequence[cst.BaseExpression]) -> Any:
        """Returns what a function of the project returns."""
        defined = self.where.modules.named(self.resolver, node.func)
        function = defined[0].binding.node if len(defined) == 1 else None
        if not isinstance(function, cst.FunctionDef):
            raise UnknownValueError
        values = self.where.values_in(defined[0].resolver, self.version)
        return values._returned(function, [self.of(argument) for argument in arguments])

    def _returned(self, function: cst.FunctionDef, arguments: Sequence[Any]) -> Any:
        """Returns what a function of this file returns."""
        scopes = self.resolver.scopes
        inner = scopes.of_node[function]
        returns = [
            statement
            for statement in scopes.tree.walk(function.body)
            if isinstance(statement, cst.Return) and scopes.scope_of(statement) is inner
        ]
        if arguments and len(returns) != 1:
            raise UnknownValueError  # Which one is reached can depend on the arguments.
        names = [parameter.name.value for parameter in function.params.params]
        self._within.append(dict(zip(names, arguments, strict=True)))
        try:
            values = [
                None if one.value is None else self.of(one.value)
                for one in returns
                if self._is_reached(one)
            ]
        finally:
            self._within.pop()
        if not values or any(value != values[0] for value in values):
            raise UnknownValueError
        return values[0]

    def exists(self, path: str) -> bool | None:
        """Whether a name is there in this version; `None` if that is not known."""
        path = canonical(path)
        if path in self.where.features:
            return True  # What asks for it is migrated.
        release = ParsedVersion(self.version).release
        if frameworks.is_only_in_tf1(path):
            return release < (2,)
        if names.lookup(path) is not None:
            return release < (2, 4)
        if frameworks.is_new_name(path) and path.count(".") > 2:
            return release >= (2, 4)
        return None
