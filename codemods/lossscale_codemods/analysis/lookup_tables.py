# SPDX-License-Identifier: Apache-2.0
"""What a lookup in a dictionary of the program can give: `OPTIMIZERS[name]`."""

from __future__ import annotations

import re

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import Definition, Given, Modules
from lossscale_codemods.analysis.name_resolution import Resolver
from lossscale_codemods.analysis.syntax_tree import dotted

_READING = {"get", "keys", "values", "items"}


def looked_up(modules: Modules, resolver: Resolver, node: cst.CSTNode) -> list[Given] | None:
    """Returns the values of which an expression looks one up.

    Args:
        modules: The project's files.
        resolver: Knows the file of the expression.
        node: The expression.

    Returns:
        All values that the lookup can give; nothing if they are not all known.
    """
    if isinstance(node, cst.Subscript):
        return _entries(modules, resolver, node.value)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        plain = all(a.keyword is None and not a.star for a in node.args)
        if node.func.attr.value == "get" and plain and 1 <= len(node.args) <= 2:
            entries = _entries(modules, resolver, node.func.value)
            default = [Given(resolver, argument.value) for argument in node.args[1:]]
            return None if entries is None else [*entries, *default]
    return None


def _entries(modules: Modules, resolver: Resolver, node: cst.BaseExpression) -> list[Given] | None:
    if isinstance(node, cst.Dict):
        if not all(isinstance(e, cst.DictElement) for e in node.elements):
            return None
        return [Given(resolver, e.value) for e in node.elements]
    if not isinstance(node, cst.Name | cst.Attribute):
        return None
    entries: list[Given] = []
    for definition in modules.named(resolver, node):
        value = definition.binding.value
        if definition.binding.kind is not BindingKind.ASSIGN or not isinstance(value, cst.Dict):
            return None
        inner = _entries(modules, definition.resolver, value)
        if inner is None or _may_change(modules, definition):
            return None
        entries += inner
    return entries or None


def _may_change(modules: Modules, table: Definition) -> bool:
    """Whether a dictionary is used for anything but lookups."""
    tree = table.resolver.scopes.tree
    for node in table.binding.uses:
        above = tree.parent(node)
        if isinstance(above, cst.Subscript):
            if isinstance(tree.parent(above), cst.AssignTarget | cst.AugAssign | cst.Del):
                return True
        elif isinstance(above, cst.Attribute):
            if above.attr.value not in _READING:
                return True
        elif isinstance(above, cst.Arg):
            call = tree.parent(above)
            if not isinstance(call, cst.Call) or dotted(call.func) not in {"list", "len", "sorted"}:
                return True
        elif not isinstance(above, cst.ComparisonTarget | cst.For | cst.CompFor):
            return True
    if table.binding.scope is not table.resolver.scopes.module:
        return False
    name = table.binding.name.rpartition(".")[2]
    files = modules.mentioning(name)
    changed = re.compile(
        rb"(?<!\w)%s\s*(?:\[[^\n]*\]\s*=(?!=)|\.(?!get\b|keys\b|values\b|items\b)\w|=(?!=))"
        % re.escape(name.encode())
    )
    home = modules.path_of(table.resolver)
    return files is None or any(
        changed.search(modules.source(path)) for path in files if path != home
    )
