# SPDX-License-Identifier: Apache-2.0
"""What the calls of a function give to its parameters: all in a project, or those of a file."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.definition_uses import DefinitionUses, UnclearUseError
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import (
    Definition,
    Given,
    ProjectClass,
    all_bindings,
    decorators,
    function_around,
)
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.vocabulary import frameworks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.name_resolution import Resolver

_HARMLESS = {None, "staticmethod", "classmethod"}
_MOST_CLASSES = 64


class Site(NamedTuple):
    """A call of a function.

    Attributes:
        resolver: Knows the file that it is in.
        call: The call.
        skipped: How many positional parameters it does not fill: `self`.
    """

    resolver: Resolver
    call: cst.Call
    skipped: int


def given_to(
    parameter: cst.CSTNode, parameters: cst.Parameters, site: Site
) -> cst.BaseExpression | None:
    """Returns the argument that a call gives to a parameter; nothing if it gives none.

    Args:
        parameter: The parameter.
        parameters: Those of its function.
        site: The call.

    Raises:
        UnclearUseError: It may be among arguments that are unpacked.
    """
    positional = [*parameters.posonly_params, *parameters.params]
    places = (place for place, one in enumerate(positional) if one is parameter)
    place = next(places, -1) - site.skipped
    name = parameter.name.value if isinstance(parameter, cst.Param) else None
    for index, argument in enumerate(site.call.args):
        if argument.star:
            raise UnclearUseError
        by_name = argument.keyword is not None and argument.keyword.value == name
        if by_name or (argument.keyword is None and index == place):
            return argument.value
    return None


def filled_by(argument: cst.Arg, function: cst.CSTNode, site: Site) -> cst.Param | None:
    """Returns the parameter of a function or lambda that an argument fills, if it is known.

    Args:
        argument: The argument.
        function: The function or lambda.
        site: The call that it is in.
    """
    if not isinstance(function, cst.FunctionDef | cst.Lambda):
        return None
    params = function.params
    for parameter in [*params.posonly_params, *params.params, *params.kwonly_params]:
        with contextlib.suppress(UnclearUseError):
            if given_to(parameter, params, site) is argument.value:
                return parameter
    return None


def calls_in_file(resolver: Resolver, function: cst.CSTNode) -> list[Site]:
    """Returns the calls of a function or lambda in its own file, whatever else is done with it.

    Args:
        resolver: Knows the file.
        function: The function or lambda.
    """
    scopes = resolver.scopes
    reads: list[cst.CSTNode] = []
    skipped = 0
    if isinstance(function, cst.FunctionDef):
        method = scopes.of_node[function].method_class()
        named: cst.CSTNode = function
        if method is not None:
            skipped = 1
            named = method[1].node
        if method is None or function.name.value == "__init__":
            reads = [use for binding in scopes.binding_at.get(named, []) for use in binding.uses]
        else:
            reads = [
                node
                for node in scopes.scope_of_read
                if isinstance(node, cst.Attribute) and node.attr.value == function.name.value
            ]
    else:
        above = scopes.tree.parent(function)
        targets = above.targets if isinstance(above, cst.Assign) else ()
        for target in targets:
            for binding in scopes.binding_at.get(target.target, []):
                reads += binding.uses
    calls = ((node, scopes.tree.parent(node)) for node in reads)
    return [
        Site(resolver, call, skipped)
        for node, call in calls
        if isinstance(call, cst.Call) and call.func is node
    ]


class CallSites(DefinitionUses):
    """Finds the calls of a project's functions.

    Args:
        modules: The project's files.
    """

    def arguments(self, resolver: Resolver, parameter: Binding) -> list[Given] | None:
        """Returns everything that a parameter can get; nothing if that is not known.

        Args:
            resolver: Knows the file of the function.
            parameter: The parameter.
        """
        node = parameter.node
        function = function_around(resolver, node)
        if not isinstance(function, cst.FunctionDef) or not isinstance(node, cst.Param):
            return None
        if node in (function.params.star_arg, function.params.star_kwarg):
            return None
        method = resolver.scopes.of_node[function].method_class()
        if method is not None and method[0] == node.name.value:
            return None  # Few calls write `self` out, so they do not tell what it is.
        if not decorators(function) <= _HARMLESS:
            return None
        try:
            sites = list(self._sites(resolver, function))
            arguments_given = [
                given for site in sites for given in self._argument(site, resolver, function, node)
            ]
        except UnclearUseError:
            return None
        return arguments_given or None

    def _argument(
        self, site: Site, home: Resolver, function: cst.FunctionDef, parameter: cst.Param
    ) -> Iterator[Given]:
        """Yields what one call gives to a parameter: an argument or the default."""
        given = given_to(parameter, function.params, site)
        if given is not None:
            yield Given(site.resolver, given)
            return
        if parameter.default is not None:
            yield Given(home, parameter.default)

    def _sites(self, resolver: Resolver, function: cst.FunctionDef) -> Iterator[Site]:
        [binding] = resolver.scopes.binding_at[function][:1]
        definition = Definition(resolver, binding)
        scope = binding.scope
        if not scope.is_class:
            local = scope is not resolver.scopes.module
            yield from self._calls(definition, function.name.value, local=local)
            return
        owner = ProjectClass(resolver, scope)
        if function.name.value == "__init__":
            yield from self._constructions(owner)
        elif not function.name.value.startswith("__") and all(
            self._is_ours(owner, base) for base in owner.node.bases
        ):
            yield from self._method_calls(owner, function)
        else:
            raise UnclearUseError  # Python, or its base class, may call it.

    def _is_ours(self, owner: ProjectClass, base: cst.Arg) -> bool:
        name = dotted(base.value)
        if name == "object":
            return True
        inner = self.modules.classes(owner.resolver, base.value)
        return bool(inner) and all(
            self._is_ours(one, above) for one in inner if one != owner for above in one.node.bases
        )

    def _calls(self, definition: Definition, word: str, *, local: bool) -> Iterator[Site]:
        """Yields the calls of a function; any other use of it is unclear."""
        for resolver in self.files(definition.resolver, word, local=local):
            for node in self.reads(resolver, word):
                if self.may_be(resolver, node, definition):
                    yield Site(resolver, _called(resolver, node), 0)
            self.refuse_strings(resolver, word)
            for alias in self.other_names(resolver, word):
                if self.may_be_path(resolver, alias.path, definition):
                    yield from self._aliased(resolver, alias)

    def _aliased(self, resolver: Resolver, alias: Binding) -> Iterator[Site]:
        """Yields the calls under the name that an import gives: `import build as make`."""
        if alias.scope is resolver.scopes.module:
            for other in self.files(resolver, alias.name):
                if other is not resolver and any(
                    b.kind is BindingKind.IMPORT
                    and (b.path or "").endswith(f".{alias.name}")
                    and alias in (d.binding for d in self.modules.definitions(other, b.path or ""))
                    for b in all_bindings(other)
                ):
                    raise UnclearUseError
        for node in alias.uses:
            yield Site(resolver, _called(resolver, node), 0)

    def _method_calls(self, owner: ProjectClass, function: cst.FunctionDef) -> Iterator[Site]:
        name = function.name.value
        skipped = 0 if "staticmethod" in decorators(function) else 1
        bound = "classmethod" in decorators(function)
        for resolver in self.files(owner.resolver, name):
            for node in self.reads(resolver, name):
                if not isinstance(node, cst.Attribute):
                    continue
                paths = resolver.paths(node)
                if paths and all(p is not None and frameworks.is_framework(p) for p in paths):
                    continue
                unbound = not bound and self.modules.classes(resolver, node.value)
                yield Site(resolver, _called(resolver, node), 0 if unbound else skipped)
            self.refuse_strings(resolver, name)

    def _constructions(
        self, owner: ProjectClass, seen: frozenset[ProjectClass] = frozenset()
    ) -> Iterator[Site]:
        """Yields the calls that make an instance of a class, or initialize one of a subclass."""
        if owner in seen or len(seen) > _MOST_CLASSES or owner.node.decorators:
            raise UnclearUseError
        name = owner.node.name.value
        binding = owner.resolver.scopes.binding_at[owner.node][0]
        definition = Definition(owner.resolver, binding)
        local = binding.scope is not owner.resolver.scopes.module
        for resolver in self.files(owner.resolver, name, local=local):
            for alias in self.other_names(resolver, name):
                if self.may_be_path(resolver, alias.path, definition):
                    raise UnclearUseError
            for node in self.reads(resolver, name):
                if self.may_be(resolver, node, definition):
                    yield from self._construction(owner, resolver, node, seen | {owner})
            self.refuse_strings(resolver, name)
        for inner in owner.resolver.scopes.tree.walk(owner.node):
            if isinstance(inner, cst.Call) and _is_own_class(inner.func):
                raise UnclearUseError

    def _construction(
        self,
        owner: ProjectClass,
        resolver: Resolver,
        node: cst.Name | cst.Attribute,
        seen: frozenset[ProjectClass],
    ) -> Iterator[Site]:
        tree = resolver.scopes.tree
        above = tree.parent(node)
        if isinstance(above, cst.Call) and above.func is node:
            yield Site(resolver, above, 1)
        elif isinstance(above, cst.Attribute):
            outer = tree.parent(above)
            if above.attr.value == "__init__":
                if not (isinstance(outer, cst.Call) and outer.func is above):
                    raise UnclearUseError
                yield Site(resolver, outer, 0)
        elif isinstance(above, cst.Arg) and isinstance(tree.parent(above), cst.ClassDef):
            statement = tree.parent(above)
            assert statement is not None
            below = ProjectClass(resolver, resolver.scopes.of_node[statement])
            if "__init__" not in below.scope.bindings:
                yield from self._constructions(below, seen)
                return
            for inner in tree.walk(below.node):
                if isinstance(inner, cst.Call) and _is_super_init(inner):
                    yield Site(resolver, inner, 1)
        elif not _is_type_only(resolver, node):
            raise UnclearUseError


def _called(resolver: Resolver, node: cst.CSTNode) -> cst.Call:
    """Returns the call whose function an expression is."""
    above = resolver.scopes.tree.parent(node)
    if isinstance(above, cst.Call) and above.func is node:
        return above
    raise UnclearUseError


def _is_own_class(func: cst.BaseExpression) -> bool:
    """Whether an expression in a class can be the class itself, or a subclass."""
    if isinstance(func, cst.Call):
        return dotted(func.func) == "type"
    return dotted(func) in {"cls", "self.__class__"}


def _is_super_init(call: cst.Call) -> bool:
    return (
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value == "__init__"
        and isinstance(call.func.value, cst.Call)
        and dotted(call.func.value.func) == "super"
    )


def _is_type_only(resolver: Resolver, node: cst.CSTNode) -> bool:
    """Whether a class is only tested for, or is in an annotation or in `super(...)`."""
    for above in resolver.scopes.tree.ancestors(node):
        if isinstance(above, cst.Annotation):
            return True
        if isinstance(above, cst.Call):
            return dotted(above.func) in {"isinstance", "issubclass", "super"}
        if isinstance(above, cst.BaseSmallStatement | cst.BaseStatement):
            return False
    return False
