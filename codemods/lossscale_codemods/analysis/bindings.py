# SPDX-License-Identifier: Apache-2.0
"""What a binding of a name is, and what a scope is."""

from __future__ import annotations

import dataclasses
import enum
import functools
from typing import TypeAlias

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted


class BindingKind(enum.Enum):
    """How a name got its value."""

    IMPORT = "import"
    STAR = "star import"
    ASSIGN = "assignment"
    PARAMETER = "parameter"
    FUNCTION = "function"
    CLASS = "class"
    NARROWED = "isinstance test"
    OTHER = "other"


@dataclasses.dataclass(eq=False)
class Binding:
    """One place at which a name, or a dotted name such as `self.opt`, gets a value."""

    name: str
    kind: BindingKind
    node: cst.CSTNode
    scope: Scope
    path: str | None = None
    """For imports: the dotted path of what is imported; it starts with dots if relative."""
    value: cst.BaseExpression | None = None
    """For assignments of one value to one name: the value. For parameters: the annotation."""
    uses: list[cst.CSTNode] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(eq=False)
class Scope:
    """A module, function, lambda, comprehension or class body."""

    node: cst.CSTNode
    parent: Scope | None
    bindings: dict[str, list[Binding]] = dataclasses.field(default_factory=dict)
    outward: dict[str, Scope] = dataclasses.field(default_factory=dict)
    """Names declared `global` or `nonlocal`, with the scope that owns them."""
    attributes: dict[str, list[Binding]] = dataclasses.field(default_factory=dict)
    """For classes: what the methods assign to `self.<attribute>`, and the methods."""
    stars: list[Binding] = dataclasses.field(default_factory=list)

    @property
    def is_class(self) -> bool:
        """Whether this is a class body, which functions inside it do not see."""
        return isinstance(self.node, cst.ClassDef)

    def owner(self, name: str) -> Scope | None:
        """Returns the scope whose variable `name` is when read here."""
        scope: Scope | None = self
        while scope is not None:
            if scope is self or not scope.is_class:
                if name in scope.outward:
                    return scope.outward[name]
                if name in scope.bindings:
                    return scope
            scope = scope.parent
        return None

    def method_class(self) -> tuple[str, Scope] | None:
        """Returns the name of `self` and the class, if this scope is a method of a class."""
        if (
            self.parent is None
            or not self.parent.is_class
            or not isinstance(self.node, cst.FunctionDef)
        ):
            return None
        if any(dotted(d.decorator) == "staticmethod" for d in self.node.decorators):
            return None
        parameters = [*self.node.params.posonly_params, *self.node.params.params]
        return (parameters[0].name.value, self.parent) if parameters else None


Environment: TypeAlias = dict[str, frozenset[Binding]]


@functools.cache
def comprehensions() -> tuple[type[cst.CSTNode], ...]:
    """Returns the kinds of comprehensions."""
    return (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


@functools.cache
def scoped() -> tuple[type[cst.CSTNode], ...]:
    """Returns the kinds of nodes that have a scope of their own."""
    return (cst.FunctionDef, cst.Lambda, cst.ClassDef, *comprehensions())


def import_path(node: cst.ImportFrom) -> str:
    """Returns the dotted module path of a from-import, with its leading dots."""
    return "." * len(node.relative) + (dotted(node.module) or "")


def member_path(module: str, name: str) -> str:
    """Returns the dotted path of a member of a possibly relative module."""
    return module + name if module.endswith(".") or not module else f"{module}.{name}"


def class_of_self(node: cst.BaseExpression, scope: Scope) -> Scope | None:
    """Returns the class whose instance `node` is, if it is the `self` of an enclosing method."""
    if not isinstance(node, cst.Name):
        return None
    owner = scope.owner(node.value)
    method = owner.method_class() if owner is not None else None
    if owner is None or method is None or method[0] != node.value:
        return None
    bindings = owner.bindings[node.value]
    only_parameter = len(bindings) == 1 and bindings[0].kind is BindingKind.PARAMETER
    return method[1] if only_parameter else None
