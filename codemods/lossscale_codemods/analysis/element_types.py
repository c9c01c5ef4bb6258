# SPDX-License-Identifier: Apache-2.0
"""What is in a list, tuple or dict that the file itself fills: `opts[0]`, `for opt in opts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, BindingKind, comprehensions
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.name_resolution import Resolver

_ADDING = {"append": 0, "add": 0, "insert": 1, "setdefault": 1}
"""Methods that put an argument into a container, and which one."""
_READING = frozenset({"items", "values", "keys", "get", "copy", "index", "count"})
_PASSING_ON = frozenset({"list", "tuple", "sorted", "reversed", "iter", "set"})
_LOOKING = frozenset({"len", "print", "bool", "str", "repr", "enumerate", "zip"})


def element_values(
    container: cst.CSTNode, resolver: Resolver, key: str | None = None
) -> list[cst.CSTNode] | None:
    """Returns the expressions whose values can be in a container.

    Args:
        container: The list, tuple or dict, or a name of it.
        resolver: Knows what the names of the file stand for.
        key: The key that is asked for, as source, if it is one that can be told from others.

    Returns:
        The expressions; nothing if the container can hold something else as well.
    """
    return _Elements(resolver, key).of(container, frozenset())


def loop_values(target: cst.CSTNode, resolver: Resolver) -> list[cst.CSTNode] | None:
    """Returns the expressions whose values a loop gives its target, or a part of its target.

    Args:
        target: The name that the loop binds.
        resolver: Knows what the names of the file stand for.

    Returns:
        The expressions; nothing if it can be something else as well.
    """
    tree = resolver.scopes.tree
    place: list[int] = []
    node, above = target, tree.parent(target)
    while isinstance(above, cst.Element):
        around = tree.parent(above)
        if not isinstance(around, cst.Tuple | cst.List):
            return None
        place.insert(0, list(around.elements).index(above))
        node, above = around, tree.parent(around)
    if not isinstance(above, cst.For | cst.CompFor) or above.target is not node:
        return None
    return _looped(above.iter, place, resolver)


def _looped(
    iterated: cst.BaseExpression, place: Sequence[int], resolver: Resolver
) -> list[cst.CSTNode] | None:
    elements = _Elements(resolver, None)
    if not place:
        if _method(iterated) == "values" and isinstance(iterated, cst.Call):
            return elements.of(iterated, frozenset())
        return None if elements.is_dict(iterated) else elements.of(iterated, frozenset())
    if not isinstance(iterated, cst.Call):
        return None if elements.is_dict(iterated) else _parts(iterated, place, elements)
    if len(place) > 1:
        return None
    name = dotted(iterated.func)
    if name == "enumerate" and place[0] == 1 and iterated.args:
        return _looped(iterated.args[0].value, (), resolver)
    if name == "zip" and place[0] < len(iterated.args):
        return _looped(iterated.args[place[0]].value, (), resolver)
    if _method(iterated) == "items" and place[0] == 1:
        return elements.of(iterated, frozenset())
    return None


def _parts(
    iterated: cst.BaseExpression, place: Sequence[int], elements: _Elements
) -> list[cst.CSTNode] | None:
    """Returns one part of each element: `for name, opt in [("a", Adam()), ("b", SGD())]`."""
    parts = elements.of(iterated, frozenset())
    for index in place:
        inner: list[cst.CSTNode] = []
        for element in parts or ():
            if not isinstance(element, cst.Tuple | cst.List) or index >= len(element.elements):
                return None
            if any(isinstance(one, cst.StarredElement) for one in element.elements):
                return None
            inner.append(element.elements[index].value)
        parts = inner
    return parts or None


def _method(node: cst.CSTNode) -> str | None:
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node.func.attr.value
    return None


class _Elements:
    def __init__(self, resolver: Resolver, key: str | None) -> None:
        self.resolver = resolver
        self.tree = resolver.scopes.tree
        self.key = key

    def is_dict(self, node: cst.CSTNode) -> bool:
        """Whether a container is, or may be, a dict: a loop over it gives its keys."""
        if isinstance(node, cst.Dict | cst.DictComp):
            return True
        values = [binding.value for binding in self.resolver.bindings(node)]
        return any(isinstance(value, cst.Dict | cst.DictComp) for value in values)

    def of(self, node: cst.CSTNode, seen: frozenset[Binding]) -> list[cst.CSTNode] | None:
        """Returns the values in a container, or nothing if they are not all known."""
        if isinstance(node, cst.List | cst.Tuple | cst.Set):
            return self._listed(node)
        if isinstance(node, cst.Dict):
            return self._of_dict(node)
        if isinstance(node, comprehensions()):
            value = getattr(node, "value", None) or getattr(node, "elt", None)
            return None if value is None else [value]
        if isinstance(node, cst.Call):
            return self._of_call(node, seen)
        if isinstance(node, cst.Name | cst.Attribute):
            return self._of_name(node, seen)
        return None

    def _listed(self, node: cst.List | cst.Tuple | cst.Set) -> list[cst.CSTNode] | None:
        if any(isinstance(element, cst.StarredElement) for element in node.elements):
            return None
        values: list[cst.CSTNode] = [element.value for element in node.elements]
        if self.key is not None and self.key.isdigit() and int(self.key) < len(values):
            return [values[int(self.key)]]
        return values

    def _of_dict(self, node: cst.Dict) -> list[cst.CSTNode] | None:
        values: list[cst.CSTNode] = []
        for element in node.elements:
            if not isinstance(element, cst.DictElement):
                return None
            if self.key is None or self.tree.source(element.key) == self.key:
                values.append(element.value)
        return values or [e.value for e in node.elements]

    def _of_call(self, node: cst.Call, seen: frozenset[Binding]) -> list[cst.CSTNode] | None:
        name = dotted(node.func)
        if name in _PASSING_ON and len(node.args) == 1:
            return self.of(node.args[0].value, seen)
        if name == "dict" and all(a.keyword is not None and not a.star for a in node.args):
            return [argument.value for argument in node.args]
        if _method(node) in {"values", "items", "copy"} and isinstance(node.func, cst.Attribute):
            return self.of(node.func.value, seen)
        return None

    def _of_name(
        self, node: cst.Name | cst.Attribute, seen: frozenset[Binding]
    ) -> list[cst.CSTNode] | None:
        elements: list[cst.CSTNode] = []
        bindings = self.resolver.bindings(node)
        for binding in bindings:
            if binding in seen or binding.kind is not BindingKind.ASSIGN or binding.value is None:
                return None
            values = self.of(binding.value, seen | {binding})
            added = self._added(binding)
            if values is None or added is None:
                return None
            elements += [*values, *added]
        return elements if bindings else None

    def _added(self, binding: Binding) -> list[cst.CSTNode] | None:
        """Returns what is put into a container later; nothing if that cannot be seen."""
        added: list[cst.CSTNode] = []
        for use in self._reads(binding):
            above = self.tree.parent(use)
            if isinstance(above, cst.Attribute):
                call = self.tree.parent(above)
                if not isinstance(call, cst.Call) or call.func is not above:
                    return None
                place = _ADDING.get(above.attr.value)
                if place is not None and place < len(call.args):
                    added.append(call.args[place].value)
                elif above.attr.value not in _READING:
                    return None
            elif isinstance(above, cst.Subscript) and above.value is use:
                target = self.tree.parent(above)
                if isinstance(target, cst.AssignTarget):
                    statement = self.tree.parent(target)
                    if isinstance(statement, cst.Assign):
                        added.append(statement.value)
                elif isinstance(target, cst.AugAssign | cst.Del):
                    return None
            elif isinstance(above, cst.Arg):
                call = self.tree.parent(above)
                name = dotted(call.func) if isinstance(call, cst.Call) else None
                if name not in _PASSING_ON | _LOOKING:
                    return None
            elif not isinstance(above, cst.For | cst.CompFor | cst.ComparisonTarget):
                return None
        return added

    def _reads(self, binding: Binding) -> list[cst.CSTNode]:
        """Returns where a container is read: for an attribute, by whatever name of its owner."""
        if "." not in binding.name:
            return binding.uses
        last = binding.name.rpartition(".")[2]
        return [
            node
            for node in self.resolver.scopes.scope_of_read
            if isinstance(node, cst.Attribute) and node.attr.value == last
        ]
