# SPDX-License-Identifier: Apache-2.0
"""The other files of a project, parsed when something is asked of them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from lossscale_codemods.analysis import syntax_check
from lossscale_codemods.analysis.bindings import Binding, BindingKind, Scope, member_path
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.name_resolution import Resolver
from lossscale_codemods.analysis.program_words import words_in
from lossscale_codemods.analysis.scope_analysis import scopes_of
from lossscale_codemods.analysis.syntax_tree import Tree, dotted
from lossscale_codemods.vocabulary import frameworks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from lossscale_codemods.analysis.scopes import Scopes

_MOST_MODULES = 48
"""How many files are parsed to tell what is in one."""
_LARGEST = 1 << 18


@runtime_checkable
class ProjectFiles(Protocol):
    """A project, as one of its files imports it. It does what `RelativeImports` does, and more."""

    @property
    def path(self) -> Path:
        """The file that imports."""

    @property
    def is_asking(self) -> bool:
        """Whether files that have some words in them are still to be found."""

    def __call__(self, path: str) -> str | None:
        """Returns the path outside of the project that a path within it stands for."""

    def locate(self, path: str) -> tuple[Path, Sequence[str]] | None:
        """Returns the file that a dotted path leads into, and the names that follow."""

    def seen_from(self, path: Path) -> ProjectFiles:
        """Returns the project as another file imports it."""

    def read(self, path: Path) -> bytes | None:
        """Returns what is in a file, if it can be read."""

    def mentioning(self, word: str) -> Sequence[Path] | None:
        """Returns the files that have a word in them; nothing if that is not known yet."""


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
    """What is known of a file and of the files that it uses, or that use it.

    Args:
        resolver: Knows the file itself.
    """

    def __init__(self, resolver: Resolver) -> None:
        self.own = resolver
        self.files: ProjectFiles | None = None
        if isinstance(resolver.relative, ProjectFiles) and not _is_of_another_framework(resolver):
            self.files = resolver.relative
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
        if source is None or len(source) > _LARGEST:
            return None
        scopes = _scopes(path, source)
        return Resolver(scopes, relative=self.files.seen_from(path)) if scopes else None

    def path_of(self, resolver: Resolver) -> Path | None:
        """Returns the file that a resolver knows."""
        files = resolver.relative
        return files.path if isinstance(files, ProjectFiles) else None

    def mentioning(self, word: str) -> Iterable[Path] | None:
        """Returns the other files that have a word in them; nothing if that is not known."""
        if self.files is None:
            return ()  # The file is the whole program.
        return self.files.mentioning(word)

    def source(self, path: Path) -> bytes:
        """Returns what is in a file; nothing if it cannot be read."""
        content = self.files.read(path) if self.files is not None else None
        return content or b""

    def names_in(self, path: Path) -> frozenset[str] | None:
        """Returns the names in a file's code, and strings; nothing if it cannot be parsed."""
        return words_in(self.source(path)) if path.suffix in {".py", ".pyi"} else None

    def definitions(
        self, resolver: Resolver, path: str, seen: frozenset[tuple[Path, str]] = frozenset()
    ) -> list[Definition]:
        """Returns what a dotted path in a file can lead to within the project.

        Args:
            resolver: Knows the file.
            path: The path, as the file's imports spell it.
            seen: What is being looked up already.

        Returns:
            All definitions; none if one of them is not known.
        """
        files = resolver.relative
        if self.files is None or not isinstance(files, ProjectFiles):
            return []
        if frameworks.is_framework(path):
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

    def file_behind(self, resolver: Resolver, path: str) -> Path | None:
        """Returns the project's file that a dotted path of a file leads into, if it does."""
        files = resolver.relative
        located = files.locate(path) if isinstance(files, ProjectFiles) else None
        return None if located is None else located[0]

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
        last = max((self._place(resolver, d.binding.node) for d in definitions), default=-1)
        stars = [star for star in module.stars if self._place(resolver, star.node) > last]
        return [*definitions, *self._from_stars(resolver, stars, ".".join(names), seen)]

    @staticmethod
    def _place(resolver: Resolver, node: cst.CSTNode) -> int:
        """Returns which of a module's statements a node is in; of others' nodes, the first."""
        above = {node, *resolver.scopes.tree.ancestors(node)}
        body = resolver.scopes.tree.module.body
        return next((n for n, statement in enumerate(body) if statement in above), -1)

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
        """Returns the definitions of the project that an expression can name.

        Args:
            resolver: Knows the file of the expression.
            node: A name, or an attribute of one.

        Returns:
            All definitions; none if one of them is not known.
        """
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

    def is_module_of(
        self, resolver: Resolver, node: cst.BaseExpression, definition: Definition
    ) -> bool:
        """Whether an expression can name the module that a definition is in."""
        files = resolver.relative
        home = self.path_of(definition.resolver)
        if not isinstance(files, ProjectFiles) or home is None:
            return False
        for path in resolver.paths(node):
            located = files.locate(path) if path is not None else None
            if located is not None and located[0] == home and not located[1]:
                return True
        return False


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


@functools.lru_cache(maxsize=48)
def _scopes(path: Path, source: bytes) -> Scopes | None:
    """Returns the scopes of a file; nothing if it does not parse."""
    del path  # A copy in another folder has bindings of its own.
    if syntax_check.problem_of(source) is not None:
        return None
    try:
        return scopes_of(Tree(cst.parse_module(source)))
    except (cst.ParserSyntaxError, SyntaxError, UnicodeError, LookupError):
        return None


def decorators(function: cst.FunctionDef) -> set[str | None]:
    """Returns the dotted names of a function's decorators; `None` for other expressions."""
    return {dotted(decorator.decorator) for decorator in function.decorators}


def all_bindings(resolver: Resolver) -> Iterator[Binding]:
    """Yields every binding of a name in a file."""
    for scope in resolver.scopes.of_node.values():
        for bindings in scope.bindings.values():
            yield from bindings
