# SPDX-License-Identifier: Apache-2.0
"""Which dotted paths an expression can name: `tensorflow.keras.mixed_precision` behind `mp`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from lossscale_codemods.analysis.bindings import Binding, BindingKind, Scope, class_of_self
from lossscale_codemods.analysis.cyclic_definitions import Answers
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.scopes import Scopes
from lossscale_codemods.analysis.star_imports import Project, hiding_star
from lossscale_codemods.analysis.syntax_tree import dotted, is_none
from lossscale_codemods.vocabulary import frameworks, names, optimizer_families
from lossscale_codemods.vocabulary.names import Meaning

RelativeImports = Callable[[str], str | None]
"""Turns the dotted path of an import from the project into one outside of it, if it is known."""
_STAR_STEPS = ("keras", "train", "compat", "mixed_precision", "experimental", "optimizers")


class Resolver:
    """Answers for the expressions of one file.

    Args:
        scopes: The file's scopes.
        moved: Bindings that will import or hold something else, with its path.
        relative: Knows what relative imports give.
        counts: Whether a binding is one that can be run, where there are several. Without it,
            all of them are.
    """

    def __init__(
        self,
        scopes: Scopes,
        moved: Mapping[Binding, str] | None = None,
        relative: RelativeImports | None = None,
        counts: Callable[[Binding], bool] | None = None,
    ) -> None:
        self.scopes = scopes
        self.moved = moved or {}
        self.relative = relative
        self.counts = counts
        self._answers: Answers[cst.CSTNode, str | None] = Answers(self._find_paths)

    def with_moved(self, moved: Mapping[Binding, str]) -> Resolver:
        """Returns a resolver for the file as it will be."""
        return Resolver(self.scopes, moved, self.relative, self.counts)

    def where(self, counts: Callable[[Binding], bool]) -> Resolver:
        """Returns a resolver that goes by some of the bindings alone."""
        return Resolver(self.scopes, self.moved, self.relative, counts)

    def bindings(self, node: cst.CSTNode) -> frozenset[Binding]:
        """Returns the bindings that a name, or a name's attribute, can have here."""
        reaching = self.scopes.reaching.get(node)
        if reaching is None and isinstance(node, cst.Attribute):
            owner = self.class_of(node.value)
            if owner is not None:
                reaching = frozenset(owner.attributes.get(node.attr.value, ()))
        return self._that_count(reaching or frozenset())

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
        return self._answers.of(node)

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
        if not isinstance(node, cst.Name) or not self.scopes.module.stars:
            return None
        project = self.relative if isinstance(self.relative, Project) else None
        return hiding_star(node, self.bindings(node), self.scopes, project)

    def _of_call(self, node: cst.Call) -> frozenset[str | None]:
        """Returns the paths of what a call looks up by a name that is written out."""
        texts = [
            str(a.value.evaluated_value) if isinstance(a.value, cst.SimpleString) else None
            for a in node.args
        ]
        if len(texts) == 1 and texts[0] and self.path(node.func) == "importlib.import_module":
            return frozenset([texts[0]])
        is_getattr = dotted(node.func) == "getattr" and not self.bindings(node.func)
        in_place = [] if len(node.args) < 3 else [a.value for a in node.args[2:]]
        if is_getattr and len(texts) > 1 and texts[1] and all(map(is_none, in_place)):
            above = self.paths(node.args[0].value)
            return frozenset(p if p is None else f"{p}.{texts[1]}" for p in above)
        return frozenset([None])

    def _outside(self, path: str) -> str:
        """Returns the path outside of the project, if a path is one within it."""
        if self.relative is None or frameworks.is_framework(path):
            return path
        return self.relative(path) or path

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
                if old and known is not None and star in self.moved:
                    home = self.moved[star]
                    compat = home.startswith("compat_lossscale") or not known.new
                    path = f"{home}.{node.value}" if compat else known.new[0]
                step = str(star.path).startswith("tensorflow") and node.value in _STAR_STEPS
                if old or step or optimizer_families.is_class(path):
                    paths.add(path)
            scope = scope.parent
        return frozenset(paths or {None})

    def path(self, node: cst.CSTNode) -> str | None:
        """Returns the one path an expression names, if there is just one."""
        paths = self.paths(node)
        return next(iter(paths)) if len(paths) == 1 else None

    def string_paths(self, text: str, node: cst.CSTNode) -> frozenset[str | None]:
        """Returns the paths of a dotted name that is in a string annotation."""
        root, *rest = text.split(".")
        bindings = self.scopes.lookup(root, self.scopes.scope_of(node))
        root_paths = self._union(self.binding_paths(b) for b in bindings) or frozenset([None])
        return frozenset(p if p is None else ".".join([p, *rest]) for p in root_paths)
