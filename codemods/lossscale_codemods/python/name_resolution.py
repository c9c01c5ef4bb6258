# SPDX-License-Identifier: Apache-2.0
"""What a name stands for: the dotted paths that imports and assignments can have given it.

A star import of another module can put something else in the place of a name. Of a module of the
project, its file tells what it offers. Of other packages nothing is known.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping

import libcst as cst

from lossscale_codemods.python.lookups import lookup_of
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
from lossscale_codemods.source.syntax_tree import is_none, literal_text
from lossscale_codemods.tables import frameworks, names, optimizer_families
from lossscale_codemods.tables.names import Meaning

_HARMLESS = frozenset({*sys.stdlib_module_names, "matplotlib", "numpy", "pylab", "scipy"})


def outside(project: ProjectFiles, dotted: str) -> str | None:
    """Returns the path outside of a project that a path within it stands for, if there is one."""
    known = project.outside
    if dotted not in known:
        known[dotted] = None  # What is imported in a circle stands for nothing.
        known[dotted] = _given(project, dotted)
    return known[dotted]


def _given(project: ProjectFiles, dotted: str) -> str | None:
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
