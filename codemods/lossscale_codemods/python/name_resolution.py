# SPDX-License-Identifier: Apache-2.0
"""What a name stands for, in a file and in the other files of its project.

In a file, these are the dotted paths that imports and assignments can have given it. Others are
parsed when something is asked of them: what a path leads to there, and what their classes have.

A star import of another module can put something else in the place of a name. Of a module of the
project, its file tells what it offers. Of other packages nothing is known.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import libcst as cst

from lossscale_codemods.python.project_files import ProjectFiles
from lossscale_codemods.python.scopes import (
    Binding,
    BindingKind,
    Scope,
    Scopes,
    class_of_self,
    member_path,
    scopes_in,
)
from lossscale_codemods.source.reading import parsed
from lossscale_codemods.source.syntax_tree import (
    Tree,
    dotted,
    is_none,
    key_of,
    last_name,
    literal_text,
)
from lossscale_codemods.tables import frameworks, names, optimizer_families
from lossscale_codemods.tables.names import Meaning

_FUNCTIONS = frozenset({"delattr", "getattr", "hasattr", "setattr"})
_LISTING = frozenset({"dir", "getmembers"})


class Lookup(NamedTuple):
    """A lookup by a name.

    Attributes:
        owner: What is looked into.
        name: The name; nothing if it is no literal, or all members are listed.
        way: The function that looks it up; `"vars"` for all members, and `"in"` for a comparison.
    """

    owner: cst.BaseExpression
    name: str | None
    way: str


def lookup_of(node: cst.CSTNode, scopes: Scopes) -> Lookup | None:
    """Returns what an expression looks up by a name: a call as of `getattr`, or a comparison."""
    match node:
        case cst.Call(
            func=cst.Name(way),
            args=[cst.Arg(value=owner, star=""), cst.Arg(value=name, star=""), *_],
        ) if way in _FUNCTIONS:
            is_own = bool(scopes.reaching.get(node.func))
            return None if is_own else Lookup(owner, literal_text(name), way)
        case (
            cst.Call(func=cst.Name("vars"), args=[cst.Arg(value=owner, star="")])
            | cst.Attribute(value=owner, attr=cst.Name("__dict__"))
        ):
            return Lookup(owner, _key(node, scopes.tree), "vars")
        case cst.Call(args=[cst.Arg(value=owner), *_]) if last_name(node.func) in _LISTING:
            return Lookup(owner, None, "vars")
        case cst.Comparison(
            left=cst.SimpleString() as name,
            comparisons=[
                cst.ComparisonTarget(
                    operator=cst.In() | cst.NotIn(),
                    comparator=cst.Call(
                        func=cst.Name("dir" | "vars"), args=[cst.Arg(value=owner, star="")]
                    ),
                )
            ],
        ):
            return Lookup(owner, literal_text(name), "in")
    return None


def _key(table: cst.CSTNode, tree: Tree) -> str | None:
    """Returns the literal key by which a dictionary is asked for one of its values."""
    above = tree.parent(table)
    match above:
        case cst.Subscript(value=value) if value is table:
            return key_of(above)
        case cst.Attribute(attr=cst.Name("get" | "pop" | "__getitem__")):
            call = tree.call_of(above)
            return literal_text(call.args[0].value) if call is not None and call.args else None
    return None


_HARMLESS = frozenset({*sys.stdlib_module_names, "matplotlib", "numpy", "pylab", "scipy"})


def outside(project: ProjectFiles, dotted: str) -> str | None:
    """Returns the path outside of a project that a path within it stands for, if there is one."""
    known = project.outside
    if dotted not in known:
        known[dotted] = None  # What is imported in a circle stands for nothing.
        known[dotted] = _found_outside(project, dotted)
    return known[dotted]


def _found_outside(project: ProjectFiles, dotted: str) -> str | None:
    member = dotted.rpartition(".")[2]
    module = dotted.removesuffix(member)
    file = project.module(module.rstrip(".") or module)
    if file is None or not member or file == project.path:
        return None
    source, name = project.read(file) or b"", re.escape(member.encode())
    # Most members are functions and classes, for which the file need not be parsed.
    is_defined = re.search(rb"^(?:class|def|async def)\s+%s\b" % name, source, re.MULTILINE)
    scopes = scopes_in(file, source) if re.search(name, source) and not is_defined else None
    if scopes is None:
        return None
    resolver = Resolver(scopes, project=project.seen_from(file))
    bindings = scopes.module.bindings.get(member, ())
    paths = {path for binding in bindings for path in resolver.binding_paths(binding)}
    path = paths.pop() if len(paths) == 1 else None
    return None if path is None or path.startswith(".") else path


def _hides(star: Binding, name: str, known: set[str | None], project: ProjectFiles | None) -> bool:
    path = star.path or ""
    if name.startswith("_"):
        return False
    is_old = not known or any(p is not None and names.lookup(p) is not None for p in known)
    gives = _gives(path, name, project)
    if gives is None:
        return is_old
    same = project is not None and outside(project, member_path(path, name)) in known
    return gives and (is_old or not same)


def _gives(path: str, name: str, project: ProjectFiles | None) -> bool | None:
    """Whether a star import brings in a name; `None` if that is not known."""
    if path.partition(".")[0] in _HARMLESS:
        return False
    file = project.module(path) if project is not None else None
    scopes = scopes_in(file, project.read(file) or b"") if project and file else None
    if scopes is None:
        return None
    if name in scopes.module.bindings:
        return True
    return None if scopes.module.stars else False


_STAR_STEPS = ("keras", "train", "compat", "mixed_precision", "experimental", "optimizers")


class Resolver:
    """Answers for the expressions of one file.

    Args:
        scopes: The file's scopes.
        moved: Bindings that will import or hold something else, with its path.
        project: The project that it is in, if it is in one.
        counts: Whether a binding is one that can be run, where there are several. Without it,
            all of them are.
    """

    def __init__(
        self,
        scopes: Scopes,
        moved: Mapping[Binding, str] | None = None,
        project: ProjectFiles | None = None,
        counts: Callable[[Binding], bool] | None = None,
    ) -> None:
        self.scopes = scopes
        self.moved = moved or {}
        self.project = project
        self.counts = counts
        self._paths: dict[cst.CSTNode, frozenset[str | None]] = {}

    def with_moved(self, moved: Mapping[Binding, str]) -> Resolver:
        """Returns a resolver for the file as it will be."""
        return Resolver(self.scopes, moved, self.project, self.counts)

    def where(self, counts: Callable[[Binding], bool]) -> Resolver:
        """Returns a resolver that goes by some of the bindings alone."""
        return Resolver(self.scopes, self.moved, self.project, counts)

    def bindings(self, node: cst.CSTNode) -> frozenset[Binding]:
        """Returns the bindings that a name, or a name's attribute, can have here."""
        reaching = self.scopes.reaching.get(node)
        if reaching is None and isinstance(node, cst.Attribute):
            owner = self.class_of(node.value)
            if owner is not None:
                reaching = frozenset(owner.attributes.get(node.attr.value, ()))
        return self._that_count(reaching or frozenset())

    def values(self, node: cst.CSTNode) -> list[cst.BaseExpression | None]:
        """Returns what a name is assigned; `None` stands for whatever else it can be."""
        return [
            binding.value if binding.kind is BindingKind.ASSIGN else None
            for binding in self.bindings(node)
        ]

    def _that_count(self, bindings: frozenset[Binding]) -> frozenset[Binding]:
        """Returns those of several bindings that count; all of them if none does."""
        if self.counts is None or len(bindings) < 2:
            return bindings
        return frozenset(filter(self.counts, bindings)) or bindings

    def _in_class_body(self, node: cst.Attribute) -> frozenset[Binding]:
        """Returns what the class body gives to an attribute of `self`."""
        owner = self.class_of(node.value)
        return frozenset(owner.bindings.get(node.attr.value, ())) if owner else frozenset()

    def class_of(self, node: cst.BaseExpression) -> Scope | None:
        """Returns the class whose instance an expression is, if it is a method's `self`."""
        scope = self.scopes.scope_of_read.get(node)
        return class_of_self(node, scope) if scope is not None else None

    def paths(self, node: cst.CSTNode) -> frozenset[str | None]:
        """Returns the dotted paths that an expression can name; `None` stands for anything else."""
        if node not in self._paths:
            self._paths[node] = frozenset([None])  # What depends on itself can be anything.
            self._paths[node] = self._find_paths(node)
        return self._paths[node]

    def can_be(self, node: cst.CSTNode, is_kind: Callable[[str], object]) -> bool:
        """Whether one of the paths that an expression can name is of a kind."""
        return any(path is not None and is_kind(path) for path in self.paths(node))

    def is_only(self, node: cst.CSTNode, is_kind: Callable[[str], object]) -> bool:
        """Whether an expression names paths, and all are of a kind."""
        return bool(paths := self.paths(node)) and all(p is not None and is_kind(p) for p in paths)

    def _find_paths(self, node: cst.CSTNode) -> frozenset[str | None]:
        if isinstance(node, cst.Name):
            if node.value == "None":
                return frozenset()
            bindings = self.bindings(node)
            if bindings:
                paths = self._union(self.binding_paths(b) for b in bindings)
            else:
                paths = self._star_paths(node)
            return paths if self.hidden_by(node) is None else paths | {None}
        if isinstance(node, cst.Attribute):
            bindings = self.bindings(node)
            if node not in self.scopes.reaching:
                bindings |= self._in_class_body(node)
            if bindings:
                return self._union(self.binding_paths(b) for b in bindings)
            above = self.paths(node.value)
            return frozenset(
                None if p is None else self._outside(f"{p}.{node.attr.value}") for p in above
            )
        if isinstance(node, cst.IfExp):
            return self.paths(node.body) | self.paths(node.orelse)
        if isinstance(node, cst.BooleanOperation):
            return self.paths(node.left) | self.paths(node.right)
        if isinstance(node, cst.NamedExpr):
            return self.paths(node.value)
        if isinstance(node, cst.Call):
            return self._of_call(node)
        return frozenset([None])

    def hidden_by(self, node: cst.CSTNode) -> Binding | None:
        """Returns a star import that can put another thing in the place of a name, if one can."""
        stars, tree = self.scopes.module.stars, self.scopes.tree
        if not isinstance(node, cst.Name) or not stars:
            return None
        known = list(self.bindings(node))
        known = known or [star for star in stars if frameworks.is_framework(star.path or "")]
        if not known or any(binding.scope is not self.scopes.module for binding in known):
            return None
        first = min(tree.span(binding.node)[0] for binding in known)
        runs_once = self.scopes.scope_of_read.get(node) is self.scopes.module
        last = tree.span(node)[0] if runs_once else len(tree.text)
        paths = {binding.path for binding in known if binding.kind is BindingKind.IMPORT}
        between = (one for one in stars if first < tree.span(one.node)[0] < last)
        return next(
            (
                star
                for star in between
                if star not in known and _hides(star, node.value, paths, self.project)
            ),
            None,
        )

    def _of_call(self, node: cst.Call) -> frozenset[str | None]:
        """Returns the paths of what a call looks up by a name that is written out."""
        texts = [literal_text(argument.value) for argument in node.args]
        if len(texts) == 1 and texts[0] and self.path(node.func) == "importlib.import_module":
            return frozenset([texts[0]])
        found = lookup_of(node, self.scopes)
        is_read = found is not None and found.way == "getattr" and found.name
        if found is not None and is_read and all(is_none(one.value) for one in node.args[2:]):
            above = self.paths(found.owner)
            return frozenset(p if p is None else f"{p}.{found.name}" for p in above)
        return frozenset([None])

    def _outside(self, path: str) -> str:
        """Returns the path outside of the project, if a path is one within it."""
        if self.project is None or frameworks.is_framework(path):
            return path
        return outside(self.project, path) or path

    @staticmethod
    def _union(sets: Iterable[frozenset[str | None]]) -> frozenset[str | None]:
        return frozenset().union(*sets)

    def binding_paths(self, binding: Binding) -> frozenset[str | None]:
        """Returns the dotted paths that a binding can give its name."""
        if binding in self.moved:
            return frozenset([self.moved[binding]])
        if binding.kind is BindingKind.IMPORT and binding.path is not None:
            return frozenset([self._outside(binding.path)])
        if binding.kind is BindingKind.ASSIGN and binding.value is not None:
            return self.paths(binding.value)
        return frozenset([None])

    def _star_paths(self, node: cst.Name) -> frozenset[str | None]:
        paths: set[str | None] = set()
        scope: Scope | None = self.scopes.scope_of_read.get(node, self.scopes.module)
        while scope is not None:
            for star in scope.stars:
                path = f"{star.path}.{node.value}"
                outside = self._outside(path)
                if outside != path:
                    paths.add(outside)  # A module of the project has it from there.
                    continue
                known = names.lookup(path)
                old = known is not None and known.meaning is not Meaning.PRIVATE
                step = str(star.path).startswith("tensorflow") and node.value in _STAR_STEPS
                if old or step or optimizer_families.is_class(path):
                    paths.add(path)
            scope = scope.parent
        return frozenset(paths or {None})

    def path(self, node: cst.CSTNode) -> str | None:
        """Returns the one path an expression names, if there is just one."""
        paths = self.paths(node)
        return next(iter(paths)) if len(paths) == 1 else None


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
    """Whether another file that can run together with one has words in its code."""
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
