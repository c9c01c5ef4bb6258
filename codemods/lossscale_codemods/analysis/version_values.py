# SPDX-License-Identifier: Apache-2.0
"""Values of the expressions that programs ask TensorFlow's version with, for one version."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.expression_values import ExpressionValues
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.parsed_versions import ParsedVersion, UnknownValueError
from lossscale_codemods.analysis.probes import Probe, probe_at
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.vocabulary import frameworks, names
from lossscale_codemods.vocabulary.paths import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.modules import Definition, Modules
    from lossscale_codemods.analysis.name_resolution import Resolver

_VERSION = re.compile(
    r"^tensorflow(?:\.compat\.v1)?\.(?:__version__|VERSION|version\.(?:VERSION|__version__))$"
)
_PARSERS = frozenset(
    {"parse", "Version", "LooseVersion", "StrictVersion", "parse_version", "LegacyVersion"}
)
_STRING_METHODS = frozenset(
    {"split", "rsplit", "startswith", "endswith", "strip", "replace", "partition", "rpartition"}
    | {"join", "lower", "lstrip", "rstrip"}
)
_SOMETHING = object()
"""Stands for an object of which nothing is known but that it is there."""


@dataclasses.dataclass(frozen=True)
class _Distribution:
    """What `pkg_resources` knows of a package."""

    version: str


class VersionValues(ExpressionValues):
    """Evaluates expressions of one file as they are under one version of TensorFlow.

    Args:
        resolver: Knows what names stand for.
        version: The version.
        is_reached: Whether a node of the file is reached under this version.
        modules: The project's files, in which flags can stand that the file imports.
        elsewhere: Evaluates the expressions of another file.
        is_migrated: Whether an old name that the file asks for will be there, because what asks
            for it is migrated.
    """

    def __init__(
        self,
        resolver: Resolver,
        version: str,
        is_reached: Callable[[cst.CSTNode], bool],
        modules: Modules | None = None,
        elsewhere: Callable[[Resolver], VersionValues] | None = None,
        is_migrated: Callable[[str], bool] = lambda _: False,
    ) -> None:
        super().__init__()
        self.resolver = resolver
        self.version = version
        self.is_reached = is_reached
        self.modules = modules
        self.elsewhere = elsewhere
        self.is_migrated = is_migrated

    def of_name(self, node: cst.Name) -> Any:
        """Returns what a name stands for under this version."""
        for values in reversed(self.within):
            if node.value in values:
                return values[node.value]
        bindings = self.resolver.bindings(node)
        if not bindings and node.value in {"True", "False", "None"}:
            return {"True": True, "False": False, "None": None}[node.value]
        return self._bound(bindings, node) if bindings else self._in_project(node)

    def of_attribute(self, node: cst.Attribute) -> Any:
        """Returns what an attribute is under this version."""
        bindings = self.resolver.bindings(node)
        if bindings:
            return self._bound(bindings, node)
        path = self.resolver.path(node)
        if path is not None:
            return self._at(path) if frameworks.is_framework(path) else self._in_project(node)
        value = self.of(node.value)
        if isinstance(value, _Distribution) and node.attr.value == "version":
            return value.version
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

    def _of_bindings(self, bindings: frozenset[Binding]) -> Any:
        reached = [b for b in bindings if len(bindings) == 1 or self.is_reached(b.node)]
        values = [self._of_binding(b) for b in reached]
        if not values or any(value != values[0] for value in values):
            raise UnknownValueError
        return values[0]

    def _of_binding(self, binding: Binding) -> Any:
        if binding.kind is BindingKind.ASSIGN and binding.value is not None:
            if self._may_change(binding):
                raise UnknownValueError
            return self.of(binding.value)
        if binding.kind is BindingKind.IMPORT and binding.path is not None:
            if frameworks.is_framework(binding.path):
                return self._at(binding.path)
            modules = self.modules
            return self._defined(
                modules.definitions(self.resolver, binding.path) if modules else []
            )
        return self._unpacked(binding)

    def _may_change(self, binding: Binding) -> bool:
        """Whether a name is given a list that the program can fill or empty afterwards."""
        if not isinstance(binding.value, cst.List):
            return False
        parent = self.resolver.scopes.tree.parent
        called = any(isinstance(parent(use), cst.Attribute) for use in binding.uses)
        return called or not binding.value.elements

    def _in_project(self, node: cst.BaseExpression) -> Any:
        """Returns the value of a flag that is in another file of the project."""
        return self._defined(self.modules.named(self.resolver, node) if self.modules else [])

    def _defined(self, definitions: Sequence[Definition]) -> Any:
        files = {definition.resolver for definition in definitions}
        if len(files) != 1 or self.elsewhere is None:
            raise UnknownValueError
        values = self.elsewhere(files.pop())
        return values._of_bindings(frozenset(d.binding for d in definitions))

    def _unpacked(self, binding: Binding) -> Any:
        """Returns what `major, minor = ...` gives one of its names."""
        tree = self.resolver.scopes.tree
        element = tree.parent(binding.node)
        targets = tree.parent(element) if element is not None else None
        target = tree.parent(targets) if targets is not None else None
        statement = tree.parent(target) if target is not None else None
        if (
            not isinstance(targets, cst.Tuple | cst.List)
            or not isinstance(target, cst.AssignTarget)
            or not isinstance(statement, cst.Assign)
        ):
            raise UnknownValueError
        elements = list(targets.elements)
        index = next(i for i, one in enumerate(elements) if one is element)
        if any(isinstance(one, cst.StarredElement) for one in elements[: index + 1]):
            raise UnknownValueError
        return self.of(statement.value)[index]

    def of_call(self, node: cst.Call) -> Any:
        """Returns what a call gives under this version."""
        if any(a.star or a.keyword is not None for a in node.args):
            raise UnknownValueError
        probe = probe_at(node, self.resolver)
        if probe is not None:
            return self._asked(probe)
        arguments = [a.value for a in node.args]
        if isinstance(node.func, cst.Name) and not self.resolver.bindings(node.func):
            return self._builtin(node.func.value, arguments)
        path = self.resolver.path(node.func) or dotted(node.func) or ""
        if path in {"importlib.metadata.version", "importlib_metadata.version"}:
            return self._of_package(arguments)
        if path.endswith("get_distribution"):
            return _Distribution(self._of_package(arguments))
        if path.rpartition(".")[2] in _PARSERS and len(arguments) == 1:
            return ParsedVersion(str(self.of(arguments[0])))
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in _STRING_METHODS:
            text = self.of(node.func.value)
            if isinstance(text, str):
                result = getattr(text, node.func.attr.value)(*map(self.of, arguments))
                return tuple(result) if isinstance(result, list) else result
        return self._own_function(node, arguments)

    def _of_package(self, arguments: Sequence[cst.BaseExpression]) -> str:
        if len(arguments) != 1 or not str(self.of(arguments[0])).startswith("tensorflow"):
            raise UnknownValueError
        return self.version

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
        if probe.kind == "find_spec":
            return _SOMETHING if there else None
        return there is not probe.negated

    def _comparison(self, node: cst.Comparison) -> bool:
        probe = probe_at(node, self.resolver)
        return super()._comparison(node) if probe is None else bool(self._asked(probe))

    def _own_function(self, node: cst.Call, arguments: Sequence[cst.BaseExpression]) -> Any:
        """Returns what a function of the project without arguments returns."""
        bindings = self.resolver.bindings(node.func)
        functions = [b.node for b in bindings if isinstance(b.node, cst.FunctionDef)]
        if arguments:
            raise UnknownValueError
        if not functions and self.modules is not None and self.elsewhere is not None:
            defined = self.modules.named(self.resolver, node.func)
            if len(defined) == 1 and isinstance(defined[0].binding.node, cst.FunctionDef):
                return self.elsewhere(defined[0].resolver)._returned(defined[0].binding.node)
        if len(functions) != 1 or len(bindings) != 1:
            raise UnknownValueError
        return self._returned(functions[0])

    def _returned(self, function: cst.FunctionDef) -> Any:
        """Returns what a function of this file returns."""
        scopes = self.resolver.scopes
        inner = scopes.of_node[function]
        values = [
            self.of(statement.value) if statement.value is not None else None
            for statement in scopes.tree.walk(function.body)
            if isinstance(statement, cst.Return)
            and scopes.scope_of(statement) is inner
            and self.is_reached(statement)
        ]
        if not values or any(value != values[0] for value in values):
            raise UnknownValueError
        return values[0]

    def exists(self, path: str) -> bool | None:
        """Whether a name is there in this version; `None` if that is not known."""
        path = canonical(path)
        if self.is_migrated(path):
            return True
        release = ParsedVersion(self.version).release
        if frameworks.is_only_in_tf1(path):
            return release < (2,)
        if names.lookup(path) is not None:
            return release < (2, 4)
        if frameworks.is_new_name(path) and path.count(".") > 2:
            return release >= (2, 4)
        return None
