# SPDX-License-Identifier: Apache-2.0
"""The other files of a project, parsed when something is asked of them, and their classes."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import libcst as cst

from lossscale_codemods.python.name_resolution import Resolver
from lossscale_codemods.python.project_files import ProjectFiles
from lossscale_codemods.python.scopes import Binding, BindingKind, Scope, member_path, scopes_in
from lossscale_codemods.source.reading import parsed
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import frameworks


@functools.lru_cache(maxsize=512)
def words_in(source: bytes) -> frozenset[str] | None:
    """Returns the names in a program's code, and its strings; nothing if it does not parse.

    To see that a file only mentions something takes a tenth of what its scopes take.
    """
    tree = parsed(source)
    if tree is None:
        return None
    words: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            words.add(node.id)
        elif isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, ast.alias):
            words.update(node.name.split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.add(node.value.rpartition(".")[2])
    return frozenset(words)


_MOST_MODULES = 48
"""How many files are parsed to tell what is in one."""


class Definition(NamedTuple):
    """A binding, and who knows the file that it is in."""

    resolver: Resolver
    binding: Binding


class ProjectClass(NamedTuple):
    """A class that is defined in the project."""

    resolver: Resolver
    scope: Scope

    @property
    def node(self) -> cst.ClassDef:
        """The class statement."""
        assert isinstance(self.scope.node, cst.ClassDef)
        return self.scope.node


class Modules:
    """What is known of a file and of the files that it uses, or that use it."""

    def __init__(self, resolver: Resolver) -> None:
        self.own = resolver
        self.files: ProjectFiles | None = None
        if resolver.project is not None and not _is_of_another_framework(resolver):
            self.files = resolver.project
        self._resolvers: dict[Path, Resolver | None] = {}
        if self.files is not None:
            self._resolvers[self.files.path] = resolver

    def at(self, path: Path) -> Resolver | None:
        """Returns who knows a file of the project; nothing if it cannot be parsed."""
        if path not in self._resolvers:
            self._resolvers[path] = self._parsed(path)
        return self._resolvers[path]

    def _parsed(self, path: Path) -> Resolver | None:
        if self.files is None or len(self._resolvers) >= _MOST_MODULES or path.suffix != ".py":
            return None
        source = self.files.read(path)
        scopes = scopes_in(path, source) if source is not None else None
        return Resolver(scopes, project=self.files.seen_from(path)) if scopes else None

    def mentioning(self, word: str) -> Iterable[Path]:
        """Returns the other files that have a word in them; none if the file is the program."""
        return () if self.files is None else self.files.mentioning(word)

    def source(self, path: Path) -> bytes:
        """Returns what is in a file; nothing if it cannot be read."""
        content = self.files.read(path) if self.files is not None else None
        return content or b""

    def definitions(
        self, resolver: Resolver, path: str, seen: frozenset[tuple[Path, str]] = frozenset()
    ) -> list[Definition]:
        """Returns all that a path in a file can lead to within the project, if all is known."""
        files = resolver.project
        if self.files is None or files is None or frameworks.is_framework(path):
            return []
        located = files.locate(path)
        if located is None or not located[1]:
            return []
        file, names = located
        key = (file, ".".join(names))
        other = self.at(file)
        if other is None or key in seen:
            return []
        return self._members(other, list(names), seen | {key})

    def _members(
        self, resolver: Resolver, names: list[str], seen: frozenset[tuple[Path, str]]
    ) -> list[Definition]:
        name, *more = names
        module = resolver.scopes.module
        definitions: list[Definition] = []
        for binding in module.bindings.get(name, ()):
            inner = self._behind(resolver, binding, more, seen)
            if not inner:
                return []
            definitions += inner
        return [*definitions, *self._from_stars(resolver, module.stars, ".".join(names), seen)]

    def _behind(
        self,
        resolver: Resolver,
        binding: Binding,
        more: list[str],
        seen: frozenset[tuple[Path, str]],
    ) -> list[Definition]:
        if binding.kind is BindingKind.IMPORT and binding.path is not None:
            path = ".".join([binding.path, *more])
            inner = self.definitions(resolver, path, seen)
            return inner or ([] if more else [Definition(resolver, binding)])
        if not more:
            return [Definition(resolver, binding)]
        if isinstance(binding.node, cst.ClassDef) and len(more) == 1:
            scope = resolver.scopes.of_node[binding.node]
            return [Definition(resolver, b) for b in scope.bindings.get(more[0], ())]
        return []

    def classes(self, resolver: Resolver, node: cst.BaseExpression) -> list[ProjectClass]:
        """Returns the project's classes that an expression can name."""
        return [
            ProjectClass(d.resolver, d.resolver.scopes.of_node[d.binding.node])
            for d in self.named(resolver, node)
            if isinstance(d.binding.node, cst.ClassDef)
        ]

    def named(self, resolver: Resolver, node: cst.BaseExpression) -> list[Definition]:
        """Returns all definitions that an expression can name in the project, if all are known."""
        definitions: list[Definition] = []
        bindings = resolver.bindings(node)
        for binding in bindings:
            inner = [Definition(resolver, binding)]
            if binding.kind is BindingKind.IMPORT and binding.path is not None:
                inner = self.definitions(resolver, binding.path)
            if not inner:
                return []
            definitions += inner
        if bindings:
            return definitions
        if isinstance(node, cst.Name):
            return self._from_stars(resolver, resolver.scopes.module.stars, node.value, frozenset())
        for path in resolver.paths(node):
            inner = self.definitions(resolver, path) if path is not None else []
            if not inner:
                return []
            definitions += inner
        return definitions

    def _from_stars(
        self,
        resolver: Resolver,
        stars: Iterable[Binding],
        name: str,
        seen: frozenset[tuple[Path, str]],
    ) -> list[Definition]:
        definitions: list[Definition] = []
        for star in stars:
            definitions += self.definitions(resolver, member_path(star.path or "", name), seen)
        return definitions


def others_name(modules: Modules, words: Collection[str], *, if_unknown: bool = True) -> bool:
    """Whether another file that can run together with one has words in its code.

    Args:
        modules: The files of the project, as the one file imports them.
        words: The words.
        if_unknown: The answer if that cannot be seen of a file.
    """
    files = modules.files
    if files is None:
        return False
    paths = {path for word in words for path in files.mentioning(word)} - {files.path}
    is_code = all(path.suffix in {".py", ".pyi"} for path in paths)
    names = [words_in(modules.source(path)) for path in paths] if is_code else [None]
    if None in names:
        return if_unknown
    return any(one is not None and not one.isdisjoint(words) for one in names)


def _is_of_another_framework(resolver: Resolver) -> bool:
    """Whether a file imports PyTorch or the like, and neither TensorFlow nor Keras."""
    paths = [
        path
        for binding in all_bindings(resolver)
        if binding.kind is BindingKind.IMPORT
        for path in resolver.binding_paths(binding)
        if path is not None
    ]
    paths += [star.path or "" for scope in resolver.scopes.of_node.values() for star in scope.stars]
    return any(map(frameworks.is_other_framework, paths)) and not any(
        map(frameworks.is_framework, paths)
    )


def decorators(function: cst.FunctionDef) -> set[str | None]:
    """Returns the dotted names of a function's decorators; `None` for other expressions."""
    return {dotted(decorator.decorator) for decorator in function.decorators}


def all_bindings(resolver: Resolver) -> Iterator[Binding]:
    """Yields every binding of a name in a file."""
    for scope in resolver.scopes.of_node.values():
        for bindings in scope.bindings.values():
            yield from bindings


_MOST_CLASSES = 24


class ClassMembers:
    """Answers for the classes of a project."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def line(self, owner: ProjectClass) -> list[ProjectClass]:
        """Returns a class and those of its base classes that are the project's, nearest first."""
        classes = [owner]
        for current in classes:
            for base in current.node.bases:
                classes += [
                    one
                    for one in self.modules.classes(current.resolver, base.value)
                    if one not in classes
                ]
            if len(classes) > _MOST_CLASSES:
                break
        return classes

    def has_subclasses(self, owner: ProjectClass) -> bool:
        """Whether a class seems to inherit from a class, by the name of that."""
        name = re.escape(owner.node.name.value.encode())
        says_so = re.compile(rb"\bclass\s+\w+\s*\([^)]*\b%s\b" % name)
        sources = map(self.modules.source, self.modules.mentioning(owner.node.name.value))
        own = owner.resolver.scopes.tree.text
        return any(says_so.search(source) for source in (own, *sources))

    def attributes(self, owner: ProjectClass, name: str) -> list[Definition]:
        """Returns what a class and its bases give to an attribute, in methods and in their body."""
        return [found for one in self.line(owner) for found in _given(one, name)]

    def method(self, owner: ProjectClass, name: str) -> list[Definition]:
        """Returns the definitions of a method, of the nearest class that has it."""
        return next(filter(None, (_given(one, name) for one in self.line(owner))), [])

    def may_be_assigned_elsewhere(self, name: str, owner: ProjectClass) -> bool:
        """Whether a file that names a class, or a base, may assign an attribute but of `self`."""
        names = (re.escape(one.node.name.value.encode()) for one in self.line(owner))
        word = re.compile(rb"\b(?:%s)\b" % b"|".join(names))
        assigned = _assigned(name, rb"(?<!\bself)(?<!\bcls)")
        sources = map(self.modules.source, self.modules.mentioning(name))
        return any(
            word.search(source) and assigned.search(source)
            for source in (owner.resolver.scopes.tree.text, *sources)
        )

    def is_replaced(self, definition: Definition) -> bool:
        """Whether a file may put something else in the place of what a module defines."""
        name = definition.binding.name.rpartition(".")[2]
        sources = map(self.modules.source, self.modules.mentioning(name))
        return any(map(_assigned(name).search, sources))


def _given(owner: ProjectClass, name: str) -> list[Definition]:
    scope = owner.scope
    bindings = [*scope.attributes.get(name, ()), *scope.bindings.get(name, ())]
    return [Definition(owner.resolver, binding) for binding in dict.fromkeys(bindings)]


def _assigned(name: str, behind: bytes = b"") -> re.Pattern[bytes]:
    """Matches where an attribute is assigned, behind what another expression matches."""
    word = re.escape(name.encode())
    return re.compile(rb"%s\.%s\b[^\n(=]*=(?!=)|setattr\([^\n]*[\"']%s[\"']" % (behind, word, word))
