# SPDX-License-Identifier: Apache-2.0
"""Which parts of a file versions of TensorFlow come to, by the conditions that ask for the version.

version.parse(tf.__version__) >= version.parse("2.4")
hasattr(tf.keras.mixed_precision, "experimental")

A file can ask whether old names are there by a `try` around their import. If what it does without
them is done with the new ones, it asks for the version. If not, it asks for the feature, which the
migrated program has: then the names are migrated.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import libcst as cst

from lossscale_codemods.python import (
    Binding,
    BindingKind,
    Definition,
    Lookup,
    Modules,
    Resolver,
    imported,
    leaves_block,
    lookup_of,
)
from lossscale_codemods.source.syntax_tree import Tree, dotted
from lossscale_codemods.tables import frameworks, names
from lossscale_codemods.tables.names import canonical

_NUMERIC = re.compile(r"\d+(?:\.\d+)*")


class UnknownValueError(Exception):
    """The value depends on more than the version."""


class ParsedVersion:
    """What `packaging`, `distutils` and `pkg_resources` make of a version."""

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


def is_new(node: cst.CSTNode, resolver: Resolver) -> bool:
    """Whether a node is a name of today, as it is read or imported."""
    if isinstance(node, cst.ImportFrom | cst.Import):
        return any(frameworks.is_new_name(path) for _, path in imported(node))
    if not isinstance(node, cst.Attribute | cst.Name):
        return False
    if not resolver.can_be(node, frameworks.is_new_name):
        return False
    above = resolver.scopes.tree.parent(node)
    return not isinstance(above, cst.Attribute) or not resolver.can_be(above, names.lookup)


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


class VersionValues:
    """Evaluates expressions of one file as they are under one version of TensorFlow."""

    def __init__(self, where: VersionReachability, version: str) -> None:
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
        found = lookup_of(node, self.resolver.scopes)
        if found is not None:
            return self._is_there(found) is isinstance(node.comparisons[0].operator, cst.In)
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
        found = lookup_of(node, self.resolver.scopes)
        if found is not None and found.way == "hasattr":
            return self._is_there(found)
        if found is not None and found.way == "getattr":
            return _SOMETHING if self._is_there(found) else self.of(node.args[2].value)
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
            "int": int, "float": float, "str": str, "bool": bool, "tuple": tuple, "list": tuple,
            "len": len,
        }  # fmt: skip
        return simple[name](self.of(arguments[0]))

    def _is_there(self, asked: Lookup) -> bool:
        there = self.exists(f"{self.resolver.path(asked.owner)}.{asked.name}")
        if there is None:
            raise UnknownValueError
        return there

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


OLD_VERSIONS = ("1.15.5", "2.0.4", "2.1.4", "2.2.3", "2.3.4")
NEW_VERSIONS = ("2.4.0", "2.4.4", "2.5.3", "2.9.1")
"""Of one digit each: programs compare versions as strings and as floats, too. The last has no old
name any more."""
_OTHER_VERSIONS = ("0.12.1", "1.3.0", "1.13.2", "2.10.1", "2.13.1")
_MISSING = ("ImportError", "ModuleNotFoundError", "AttributeError", "Exception")


class VersionReachability:
    """Answers for the nodes of one file.

    Args:
        resolver: Knows what the file's names stand for.
        modules: The project's files, in which flags can stand that the file imports.
        files: The answers for these files so far.
        features: Old names that are there whatever the version; without it, those that the file
            asks for as a feature.
    """

    def __init__(
        self,
        resolver: Resolver,
        modules: Modules,
        files: dict[Resolver, VersionReachability] | None = None,
        features: frozenset[str] | None = None,
    ) -> None:
        self.resolver = resolver
        self.modules = modules
        self._files = {} if files is None else files
        self._features = features
        if features is None:
            self._files[resolver] = self
        self.tree = resolver.scopes.tree
        self._values: dict[str, VersionValues] = {}
        self._asked: set[tuple[cst.CSTNode, str]] = set()
        self._answers: dict[tuple[cst.CSTNode, str], cst.CSTNode | None] = {}

    @property
    def features(self) -> frozenset[str]:
        """Old names that the file asks for, and in whose place it does nothing with new ones."""
        if self._features is None:
            self._features = frozenset()  # While they are looked for.
            self._features = self._asked_for_as_features()
            self._values.clear()
            self._asked.clear()
            self._answers.clear()
        return self._features

    def _asked_for_as_features(self) -> frozenset[str]:
        asked = {
            canonical(path)
            for node in self.tree.nodes(cst.Try)
            for path in self._needed(node)
            if (old := names.lookup(path)) is not None
            and (old.new or old.meaning is names.Meaning.LAYER_POLICY)
        }
        others = [n for n in self.tree.parents if self._is_other_way(n)] if asked else []
        if not others:
            return frozenset(asked)
        last, with_all = NEW_VERSIONS[-1:], self._supposing(asked)
        others = [node for node in others if not with_all._is_reached(node, last)]
        features = set()
        for path in asked:
            without = self._supposing(asked - {path})
            if not any(without._is_reached(node, last) for node in others):
                features.add(path)
        return frozenset(features)

    def _is_other_way(self, node: cst.CSTNode) -> bool:
        """Whether a node is a new name, or imports old ones, as another package may have them."""
        if is_new(node, self.resolver):
            return True
        return isinstance(node, cst.ImportFrom | cst.Import) and any(
            names.lookup(path) for _, path in imported(node)
        )

    def _supposing(self, features: set[str]) -> VersionReachability:
        return VersionReachability(self.resolver, self.modules, self._files, frozenset(features))

    def take_over(self, features: frozenset[str]) -> None:
        """Goes by what the file asked for as features while it had branches for old versions."""
        self._features = features

    def _is_reached(self, node: cst.CSTNode, versions: Sequence[str]) -> bool:
        """Whether one of some versions comes to a node."""
        return any(self.keeping_from(node, version) is None for version in versions)

    @functools.cached_property
    def has_newer_side(self) -> bool:
        """Whether new names are in the file that no old version comes to."""
        return any(self.is_only_new(n) for n in self.tree.parents if is_new(n, self.resolver))

    def guard_of(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Returns what keeps versions without the old names from a node that an older one runs."""
        guards = [self.keeping_from(node, version) for version in NEW_VERSIONS]
        if guards[-1] is None or self.is_reached_today(node):
            return None
        if not self._is_reached(node, OLD_VERSIONS):
            return None
        return next(guard for guard in guards if guard is not None)

    def is_kept_from_new(self, node: cst.CSTNode) -> bool:
        """Whether no version comes to a node that has the new names."""
        return not self._is_reached(node, NEW_VERSIONS)

    def mistaken_guard_of(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Returns what is to keep 2.4 and later from a node, and lets a version of today pass.

        `if tf.__version__ < "2.4"` compares strings, and "2.21.0" is below "2.4".
        """
        if not self.is_reached_today(node):
            return None
        is_for_old = self._is_reached(node, OLD_VERSIONS)
        return self.keeping_from(node, NEW_VERSIONS[-1]) if is_for_old else None

    def is_only_new(self, node: cst.CSTNode) -> bool:
        """Whether 2.4 and later come to a node, and no older version does."""
        is_for_old = self._is_reached(node, OLD_VERSIONS)
        return not is_for_old and self._is_reached(node, NEW_VERSIONS)

    def is_reached_today(self, node: cst.CSTNode) -> bool:
        """Whether a version of today comes to a node, as far as the version alone says."""
        return self._is_reached(node, VERSIONS_OF_TODAY)

    def is_only_for_the_past(self, node: cst.CSTNode) -> bool:
        """Whether some versions come to a node, and none of today.

        No version comes to code that the program switches off itself, as with `USE_AMP = False`.
        """
        past = (*OLD_VERSIONS, *NEW_VERSIONS, *_OTHER_VERSIONS)
        return not self.is_reached_today(node) and self._is_reached(node, past)

    def is_known(self, test: cst.BaseExpression) -> bool:
        """Whether the version alone tells how a condition comes out."""
        return all(
            self._of(version).truth(test) is not None for version in (*OLD_VERSIONS, *NEW_VERSIONS)
        )

    def _of(self, version: str) -> VersionValues:
        if version not in self._values:
            self._values[version] = VersionValues(self, version)
        return self._values[version]

    def values_in(self, resolver: Resolver, version: str) -> VersionValues:
        """Returns what evaluates the expressions of a file of the project under a version."""
        known = self._files.get(resolver)
        return (known or VersionReachability(resolver, self.modules, self._files))._of(version)

    def keeping_from(self, node: cst.CSTNode, version: str) -> cst.CSTNode | None:
        """Returns the outermost statement or expression that keeps a version from a node."""
        key = (node, version)
        if key in self._answers:
            return self._answers[key]
        if key in self._asked:
            return None  # A condition that depends on itself.
        self._asked.add(key)
        keeping = None
        below = node
        for above in self.tree.ancestors(node):
            keeping = self._excludes(above, below, self._of(version)) or keeping
            below = above
        self._asked.discard(key)
        self._answers[key] = keeping
        return keeping

    def _excludes(
        self, above: cst.CSTNode, below: cst.CSTNode, values: VersionValues
    ) -> cst.CSTNode | None:
        """Returns what in a node keeps a version from one of its parts."""
        if isinstance(above, cst.If | cst.IfExp):
            wanted = False if below is above.orelse else True if below is above.body else None
            if wanted is not None and values.truth(above.test) is (not wanted):
                return above
        elif isinstance(above, cst.BooleanOperation) and below is above.right:
            if values.truth(above.left) is isinstance(above.operator, cst.Or):
                return above
        elif isinstance(above, cst.Try):
            if self._try_excludes(above, below, values):
                return above
        elif isinstance(above, cst.IndentedBlock | cst.Module):
            tried = self._tried(above, values)
            for statement in above.body:
                if tried is not None and self._fails(statement, values):
                    return tried
                if statement is below:
                    break
                if isinstance(statement, cst.If) and self._always_leaves(statement, values):
                    return statement
        return None

    def _always_leaves(self, node: cst.If, values: VersionValues) -> bool:
        """Whether an `if` statement without `elif` always returns, or the like, in a version."""
        truth = values.truth(node.test)
        if truth is True:
            return leaves_block(node.body)
        return (
            truth is False and isinstance(node.orelse, cst.Else) and leaves_block(node.orelse.body)
        )

    def _fails(self, statement: cst.CSTNode, values: VersionValues) -> bool:
        """Whether a statement needs what is not there in a version."""
        return any(values.exists(path) is False for path in self._needed_by(statement))

    def _tried(self, block: cst.CSTNode, values: VersionValues) -> cst.Try | None:
        """Returns the `try` statement that a block is the body of, if it handles missing names.

        If each handler needs what is not there either, no side is for such a version.
        """
        above = self.tree.parent(block)
        if not isinstance(above, cst.Try) or above.body is not block:
            return None
        fail = (any(self._fails(one, values) for one in h.body.body) for h in above.handlers)
        return above if self._handles_missing(above) and not all(fail) else None

    def _handles_missing(self, node: cst.Try) -> bool:
        return any(catches_error(self.tree, handler, _MISSING) for handler in node.handlers)

    def _needed(self, node: cst.Try) -> list[str]:
        """Returns the paths of what the body of a `try` statement needs."""
        if not self._handles_missing(node):
            return []
        return [path for statement in node.body.body for path in self._needed_by(statement)]

    def _needed_by(self, statement: cst.CSTNode) -> list[str]:
        """Returns the paths in TensorFlow of what a statement imports, or reads when it runs."""
        if not isinstance(statement, cst.SimpleStatementLine):
            return []
        paths = [
            path
            for node in statement.body
            if isinstance(node, cst.ImportFrom | cst.Import)
            for _, path in imported(node)
        ]
        for node in self.tree.walk(statement):
            if isinstance(node, cst.Attribute) and not isinstance(
                self.tree.parent(node), cst.Attribute
            ):
                path = self.resolver.path(node)
                paths += [path] if path is not None and frameworks.is_framework(path) else []
        return paths

    def _try_excludes(self, node: cst.Try, below: cst.CSTNode, values: VersionValues) -> bool:
        """Whether a handler has nothing to handle, or `else` is not come to, in a version."""
        known = (values.exists(path) for path in self._needed(node))
        needed = [is_there for is_there in known if is_there is not None]
        if isinstance(below, cst.ExceptHandler):
            is_for_names = catches_error(self.tree, below, _MISSING)
            return is_for_names and bool(needed) and all(needed)
        return below is node.orelse and False in needed


def catches_error(tree: Tree, handler: cst.ExceptHandler, errors: Sequence[str]) -> bool:
    """Whether an exception handler catches one of some errors, by their names."""
    if handler.type is None:
        return True
    caught = tree.source(handler.type)
    return any(name in caught for name in errors)
