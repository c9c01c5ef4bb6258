# SPDX-License-Identifier: Apache-2.0
"""First pass over a file's names: which scopes there are, and which names each binds."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import (
    Binding,
    BindingKind,
    Scope,
    class_of_self,
    comprehensions,
    import_path,
    member_path,
    scoped,
)
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import children, dotted

if TYPE_CHECKING:
    from lossscale_codemods.analysis.scopes import Scopes


@functools.cache
def _binding() -> frozenset[type[cst.CSTNode]]:
    """Returns what binds a name; to ask each node for each kind took a tenth of a full parse."""
    return frozenset(
        {
            *scoped(),
            *(cst.Import, cst.ImportFrom, cst.Global, cst.Nonlocal),
            *(cst.Assign, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.Del, cst.TypeAlias),
            *(cst.For, cst.CompFor, cst.AsName, cst.Param),
            *(cst.MatchAs, cst.MatchStar, cst.MatchMapping),
        }
    )


class BindingCollector:
    """The first pass."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.tree = scopes.tree
        self.declared: list[tuple[Scope, str, bool]] = []
        self.attribute_targets: list[tuple[Scope, cst.Attribute, cst.BaseExpression | None]] = []

    def collect(self) -> None:
        """Fills in the scopes and their bindings."""
        self._visit_body(self.tree.module, self.scopes.module)
        for scope, name, is_global in self.declared:
            owner = self.scopes.module if is_global else self._enclosing(scope, name)
            for binding in scope.bindings.pop(name, []):
                binding.scope = owner
                self.scopes.rebound_elsewhere.add((owner, name))
                owner.bindings.setdefault(name, []).append(binding)
            owner.bindings.setdefault(name, [])
            scope.outward[name] = owner
        for scope, target, value in self.attribute_targets:
            self._bind_attribute(scope, target, value)

    def _enclosing(self, scope: Scope, name: str) -> Scope:
        above = scope.parent
        while above is not None and above.parent is not None:
            if not above.is_class and name in above.bindings:
                return above
            above = above.parent
        return self.scopes.module

    def _bind_attribute(
        self, scope: Scope, target: cst.Attribute, value: cst.BaseExpression | None
    ) -> None:
        name = dotted(target)
        if name is None:
            return
        kind = BindingKind.ASSIGN if value is not None else BindingKind.OTHER
        binding = Binding(name, kind, target, scope, value=value)
        self.scopes.binding_at.setdefault(target, []).append(binding)
        owner = self._class_of(target.value, scope)
        if owner is not None:
            owner.attributes.setdefault(target.attr.value, []).append(binding)

    def _class_of(self, node: cst.BaseExpression, scope: Scope) -> Scope | None:
        """Returns the class whose instance `node` is, if it is a method's `self`."""
        return class_of_self(node, scope)

    def _bind(
        self,
        scope: Scope,
        name: str,
        kind: BindingKind,
        node: cst.CSTNode,
        value: cst.BaseExpression | None = None,
        path: str | None = None,
    ) -> None:
        binding = Binding(name, kind, node, scope, path=path, value=value)
        scope.bindings.setdefault(name, []).append(binding)
        self.scopes.binding_at.setdefault(node, []).append(binding)

    def _visit_body(self, node: cst.CSTNode, scope: Scope) -> None:
        for child in children(node):
            self._visit(child, scope)

    def _visit(self, node: cst.CSTNode, scope: Scope) -> None:  # noqa: PLR0912  # one branch for each kind of node
        if type(node) not in _binding():
            self._visit_body(node, scope)
            return
        if isinstance(node, scoped()):
            self._visit_scoped(node, scope)
            return
        if isinstance(node, cst.Import):
            for alias in node.names:
                self._bind_import(alias, scope)
            return
        if isinstance(node, cst.ImportFrom):
            self._bind_from_import(node, scope)
            return
        if isinstance(node, cst.Global | cst.Nonlocal):
            for item in node.names:
                self.declared.append((scope, item.name.value, isinstance(node, cst.Global)))
            return
        if isinstance(node, cst.Assign):
            for target in node.targets:
                self._bind_target(target.target, scope, node.value)
        elif isinstance(node, cst.AnnAssign):
            if node.value is not None:
                self._bind_target(node.target, scope, node.value)
        elif isinstance(node, cst.AugAssign | cst.For | cst.CompFor):
            self._bind_target(node.target, scope, None)
        elif isinstance(node, cst.NamedExpr):
            outer = scope
            while isinstance(outer.node, comprehensions()) and outer.parent is not None:
                outer = outer.parent
            self._bind_target(node.target, outer, node.value)
        elif isinstance(node, cst.AsName):
            # `with open() as f`, `except E as e`; those of imports are handled above.
            self._bind_target(node.name, scope, None)
        elif isinstance(node, cst.MatchAs | cst.MatchStar) and node.name is not None:
            self._bind_target(node.name, scope, None)
        elif isinstance(node, cst.MatchMapping) and node.rest is not None:
            self._bind_target(node.rest, scope, None)
        elif isinstance(node, cst.Del):
            self._bind_target(node.target, scope, None)
        elif isinstance(node, cst.TypeAlias):
            self._bind_target(node.name, scope, None)
        elif isinstance(node, cst.Param):
            annotation = node.annotation.annotation if node.annotation else None
            self._bind(scope, node.name.value, BindingKind.PARAMETER, node, annotation)
        self._visit_body(node, scope)

    def _visit_scoped(self, node: cst.CSTNode, scope: Scope) -> None:
        inner = Scope(node, scope)
        self.scopes.of_node[node] = inner
        if isinstance(node, cst.FunctionDef):
            self._bind(scope, node.name.value, BindingKind.FUNCTION, node)
            if scope.is_class:
                scope.attributes.setdefault(node.name.value, []).extend(
                    self.scopes.binding_at[node]
                )
        elif isinstance(node, cst.ClassDef):
            self._bind(scope, node.name.value, BindingKind.CLASS, node)
        self._visit_body(node, inner)

    def _bind_import(self, alias: cst.ImportAlias, scope: Scope) -> None:
        path = dotted(alias.name) or ""
        if alias.asname is not None:
            name = dotted(alias.asname.name) or ""
            self._bind(scope, name, BindingKind.IMPORT, alias, path=path)
        else:
            root = path.split(".")[0]
            self._bind(scope, root, BindingKind.IMPORT, alias, path=root)

    def _bind_from_import(self, node: cst.ImportFrom, scope: Scope) -> None:
        module = import_path(node)
        if isinstance(node.names, cst.ImportStar):
            star = Binding("*", BindingKind.STAR, node, scope, path=module)
            scope.stars.append(star)
            self.scopes.binding_at.setdefault(node, []).append(star)
            return
        for alias in node.names:
            name = alias.evaluated_alias or alias.evaluated_name
            path = member_path(module, alias.evaluated_name)
            self._bind(scope, name, BindingKind.IMPORT, alias, path=path)

    def _bind_target(
        self, target: cst.CSTNode, scope: Scope, value: cst.BaseExpression | None
    ) -> None:
        if isinstance(target, cst.Name):
            kind = BindingKind.ASSIGN if value is not None else BindingKind.OTHER
            self._bind(scope, target.value, kind, target, value)
        elif isinstance(target, cst.Attribute):
            self.attribute_targets.append((scope, target, value))
        elif isinstance(target, cst.Tuple | cst.List):
            values = value.elements if isinstance(value, cst.Tuple | cst.List) else ()
            if len(values) != len(target.elements) or any(
                isinstance(e, cst.StarredElement) for e in (*values, *target.elements)
            ):
                values = ()
            for index, element in enumerate(target.elements):
                self._bind_target(element.value, scope, values[index].value if values else None)
        elif isinstance(target, cst.StarredElement):
            self._bind_target(target.value, scope, None)
