# SPDX-License-Identifier: Apache-2.0
"""Where the files of a project use a function or class, under whatever name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import Definition, Modules, all_bindings
from lossscale_codemods.vocabulary import frameworks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.name_resolution import Resolver

_MOST_FILES = 24


class UnclearUseError(Exception):
    """A function is used in a way that does not show what its parameters get."""


class DefinitionUses:
    """Finds the uses of a project's functions and classes.

    Args:
        modules: The project's files.
    """

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def files(self, home: Resolver, word: str, *, local: bool = False) -> Iterator[Resolver]:
        """Yields who knows each file that has a word by itself."""
        yield home
        if local:
            return
        files = self.modules.mentioning(word)
        if files is None:
            raise UnclearUseError
        says_so = re.compile(rb"(?<!\w)%s(?!\w)" % re.escape(word.encode()))
        using = []
        for path in files:
            if says_so.search(self.modules.source(path)):
                names = self.modules.names_in(path)
                if names is None or word in names:
                    using.append(path)
            if len(using) > _MOST_FILES:
                raise UnclearUseError
        for path in using:
            resolver = self.modules.at(path)
            if resolver is None:
                raise UnclearUseError
            if resolver is not home:
                yield resolver

    @staticmethod
    def reads(resolver: Resolver, word: str) -> list[cst.Name | cst.Attribute]:
        """Returns the reads of a name, and of attributes of that name, in a file."""
        targets = resolver.scopes.binding_at
        nodes: list[cst.Name | cst.Attribute] = []
        for node in [*resolver.scopes.scope_of_read, *targets]:
            if (isinstance(node, cst.Name) and node.value == word and node not in targets) or (
                isinstance(node, cst.Attribute) and node.attr.value == word
            ):
                nodes.append(node)
        return nodes

    @staticmethod
    def other_names(resolver: Resolver, word: str) -> Iterator[Binding]:
        """Yields the imports that give what is called so another name."""
        for binding in all_bindings(resolver):
            if (
                binding.kind is BindingKind.IMPORT
                and binding.name != word
                and (binding.path or "").endswith(f".{word}")
            ):
                yield binding

    def may_be(
        self, resolver: Resolver, node: cst.Name | cst.Attribute, definition: Definition
    ) -> bool:
        """Whether an expression can be a function or class, as far as its file says."""
        bindings = resolver.bindings(node)
        if isinstance(node, cst.Attribute):
            if bindings and node not in resolver.scopes.binding_at:
                return definition.binding in bindings
            return any(
                path is None or self.may_be_path(resolver, path, definition)
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
                and self.may_be_path(resolver, binding.path, definition)
            )
            for binding in bindings
        )

    def may_be_path(self, resolver: Resolver, path: str | None, definition: Definition) -> bool:
        """Whether what is at a path of a file can be a function or class."""
        if path is None or frameworks.is_framework(path):
            return path is None
        definitions = self.modules.definitions(resolver, path)
        return not definitions or any(d.binding is definition.binding for d in definitions)

    @staticmethod
    def refuse_strings(resolver: Resolver, word: str) -> None:
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
                        raise UnclearUseError
