# SPDX-License-Identifier: Apache-2.0
"""What the calls of a function give to its parameters, where all of its uses are direct calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import (
    Definition,
    Modules,
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
_MOST_FILES = 24


class Given(NamedTuple):
    """An expression that a call gives to a parameter, and who knows its file."""

    resolver: Resolver
    node: cst.BaseExpression


class _Site(NamedTuple):
    """A call, and how many positional parameters it does not fill: `self`."""

    resolver: Resolver
    call: cst.Call
    skipped: int


class _UnclearUseError(Exception):
    """A function is used in a way that does not show what its parameters get."""


class CallSites:
    """Finds the calls of a project's functions.

    Args:
        modules: The project's files.
    """

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

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
        if not decorators(function) <= _HARMLESS:
            return None
        try:
            sites = list(self._sites(resolver, function))
            found = [
                given for site in sites for given in self._argument(site, resolver, function, node)
            ]
        except _UnclearUseError:
            return None
        return found or None

    def _argument(
        self, site: _Site, home: Resolver, function: cst.FunctionDef, parameter: cst.Param
    ) -> Iterator[Given]:
        """Yields what one call gives to a parameter: an argument or the default."""
        positional = [*function.params.posonly_params, *function.params.params]
        place = positional.index(parameter) - site.skipped if parameter in positional else None
        for index, argument in enumerate(site.call.args):
            if argument.star:
                raise _UnclearUseError
            by_name = argument.keyword is not None and (
                argument.keyword.value == parameter.name.value
            )
            if by_name or (argument.keyword is None and index == place):
                yield Given(site.resolver, argument.value)
                return
        if parameter.default is not None:
            yield Given(home, parameter.default)

    def _sites(self, resolver: Resolver, function: cst.FunctionDef) -> Iterator[_Site]:
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
            raise _UnclearUseError  # Python, or its base class, may call it.

    def _is_ours(self, owner: ProjectClass, base: cst.Arg) -> bool:
        name = dotted(base.value)
        if name == "object":
            return True
        inner = self.modules.classes(owner.resolver, base.value)
        return bool(inner) and all(
            self._is_ours(one, above) for one in inner if one != owner for above in one.node.bases
        )

    def _files(self, home: Resolver, word: str, *, local: bool = False) -> Iterator[Resolver]:
        """Yields who knows each file that has a word by itself."""
        yield home
        if local:
            return
        files = self.modules.mentioning(word)
        if files is None:
            raise _UnclearUseError
        says_so = re.compile(rb"(?<!\w)%s(?!\w)" % re.escape(word.encode()))
        using = []
        for path in files:
            if says_so.search(self.modules.source(path)):
                names = self.modules.names_in(path)
                if names is None or word in names:
                    using.append(path)
            if len(using) > _MOST_FILES:
                raise _UnclearUseError
        for path in using:
            resolver = self.modules.at(path)
            if resolver is None:
                raise _UnclearUseError
            if resolver is not home:
                yield resolver

    def _calls(self, definition: Definition, word: str, *, local: bool) -> Iterator[_Site]:
        """Yields the calls of a function; any other use of it is unclear."""
        for resolver in self._files(definition.resolver, word, local=local):
            for node in self._reads(resolver, word):
                if self._may_be(resolver, node, definition):
                    yield _Site(resolver, _called(resolver, node), 0)
            self._refuse_strings(resolver, word)
            for alias in self._other_names(resolver, word):
                if self._may_be_path(resolver, alias.path, definition):
                    yield from self._aliased(resolver, alias)

    def _aliased(self, resolver: Resolver, alias: Binding) -> Iterator[_Site]:
        """Yields the calls under the name that an import gives: `import build as make`."""
        if alias.scope is resolver.scopes.module:
            for other in self._files(resolver, alias.name):
                if other is not resolver and any(
                    b.kind is BindingKind.IMPORT
                    and (b.path or "").endswith(f".{alias.name}")
                    and alias in (d.binding for d in self.modules.definitions(other, b.path or ""))
                    for b in all_bindings(other)
                ):
                    raise _UnclearUseError
        for node in alias.uses:
            yield _Site(resolver, _called(resolver, node), 0)

    @staticmethod
    def _reads(resolver: Resolver, word: str) -> list[cst.Name | cst.Attribute]:
        targets = resolver.scopes.binding_at
        found: list[cst.Name | cst.Attribute] = []
        for node in [*resolver.scopes.scope_of_read, *targets]:
            if (isinstance(node, cst.Name) and node.value == word and node not in targets) or (
                isinstance(node, cst.Attribute) and node.attr.value == word
            ):
                found.append(node)
        return found

    @staticmethod
    def _other_names(resolver: Resolver, word: str) -> Iterator[Binding]:
        for binding in all_bindings(resolver):
            if (
                binding.kind is BindingKind.IMPORT
                and binding.name != word
                and (binding.path or "").endswith(f".{word}")
            ):
                yield binding

    def _may_be(
        self, resolver: Resolver, node: cst.Name | cst.Attribute, definition: Definition
    ) -> bool:
        """Whether an expression can be a function or class, as far as its file says."""
        bindings = resolver.bindings(node)
        if isinstance(node, cst.Attribute):
            if bindings and node not in resolver.scopes.binding_at:
                return definition.binding in bindings
            return any(
                path is None or self._may_be_path(resolver, path, definition)
                for path in resolver.paths(node) or {None}
            )
        if not bindings:
            return any(
                not frameworks.is_framework(str(star.path)) for star in resolver.scopes.module.stars
            )
        return any(
            binding is definition.binding
            or (
                binding.kind is BindingKind.IMPORT
                and self._may_be_path(resolver, binding.path, definition)
            )
            for binding in bindings
        )

    def _may_be_path(self, resolver: Resolver, path: str | None, definition: Definition) -> bool:
        if path is None or frameworks.is_framework(path):
            return path is None
        found = self.modules.definitions(resolver, path)
        return not found or any(d.binding is definition.binding for d in found)

    @staticmethod
    def _refuse_strings(resolver: Resolver, word: str) -> None:
        """Refuses names in strings, which `getattr` and the like are given."""
        tree = resolver.scopes.tree
        for node in tree.parents:
            if isinstance(node, cst.SimpleString):
                text = node.evaluated_value
                if isinstance(text, str) and (text == word or text.endswith(f".{word}")):
                    statement = tree.statement(node)
                    if not any(
                        b.name == "__all__"
                        for part in tree.walk(statement)
                        for b in resolver.scopes.binding_at.get(part, ())
                    ):
                        raise _UnclearUseError

    def _method_calls(self, owner: ProjectClass, function: cst.FunctionDef) -> Iterator[_Site]:
        name = function.name.value
        skipped = 0 if "staticmethod" in decorators(function) else 1
        bound = "classmethod" in decorators(function)
        for resolver in self._files(owner.resolver, name):
            for node in self._reads(resolver, name):
                if not isinstance(node, cst.Attribute):
                    continue
                paths = resolver.paths(node)
                if paths and all(p is not None and frameworks.is_framework(p) for p in paths):
                    continue
                unbound = not bound and self.modules.classes(resolver, node.value)
                yield _Site(resolver, _called(resolver, node), 0 if unbound else skipped)
            self._refuse_strings(resolver, name)

    def _constructions(
        self, owner: ProjectClass, seen: frozenset[ProjectClass] = frozenset()
    ) -> Iterator[_Site]:
        """Yields the calls that make an instance of a class, or initialize one of a subclass."""
        if owner in seen or len(seen) > _MOST_CLASSES or owner.node.decorators:
            raise _UnclearUseError
        name = owner.node.name.value
        binding = owner.resolver.scopes.binding_at[owner.node][0]
        definition = Definition(owner.resolver, binding)
        local = binding.scope is not owner.resolver.scopes.module
        for resolver in self._files(owner.resolver, name, local=local):
            for alias in self._other_names(resolver, name):
                if self._may_be_path(resolver, alias.path, definition):
                    raise _UnclearUseError
            for node in self._reads(resolver, name):
                if self._may_be(resolver, node, definition):
                    yield from self._construction(owner, resolver, node, seen | {owner})
            self._refuse_strings(resolver, name)
        for inner in owner.resolver.scopes.tree.walk(owner.node):
            if isinstance(inner, cst.Call) and _is_own_class(inner.func):
                raise _UnclearUseError

    def _construction(
        self,
        owner: ProjectClass,
        resolver: Resolver,
        node: cst.Name | cst.Attribute,
        seen: frozenset[ProjectClass],
    ) -> Iterator[_Site]:
        tree = resolver.scopes.tree
        above = tree.parent(node)
        if isinstance(above, cst.Call) and above.func is node:
            yield _Site(resolver, above, 1)
        elif isinstance(above, cst.Attribute):
            outer = tree.parent(above)
            if above.attr.value == "__init__":
                if not (isinstance(outer, cst.Call) and outer.func is above):
                    raise _UnclearUseError
                yield _Site(resolver, outer, 0)
        elif isinstance(above, cst.Arg) and isinstance(tree.parent(above), cst.ClassDef):
            statement = tree.parent(above)
            assert statement is not None
            below = ProjectClass(resolver, resolver.scopes.of_node[statement])
            if "__init__" not in below.scope.bindings:
                yield from self._constructions(below, seen)
                return
            for inner in tree.walk(below.node):
                if isinstance(inner, cst.Call) and _is_super_init(inner):
                    yield _Site(resolver, inner, 1)
        elif not _is_type_only(resolver, node):
            raise _UnclearUseError


def _called(resolver: Resolver, node: cst.CSTNode) -> cst.Call:
    """Returns the call whose function an expression is."""
    above = resolver.scopes.tree.parent(node)
    if isinstance(above, cst.Call) and above.func is node:
        return above
    raise _UnclearUseError


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
