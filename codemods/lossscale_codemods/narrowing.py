# SPDX-License-Identifier: Apache-2.0
"""What `isinstance` tests say about names, and how two ways through a program join."""

from __future__ import annotations

import libcst as cst

from lossscale_codemods.bindings import Binding, BindingKind, Environment, Scope
from lossscale_codemods.tree import dotted


def narrowings(test: cst.BaseExpression, truth: bool, scope: Scope) -> Environment:
    """Returns what `isinstance` tests in a condition say about names, if it came out so."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return narrowings(test.expression, not truth, scope)
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And) == truth:
        left = narrowings(test.left, truth, scope)
        return {**left, **narrowings(test.right, truth, scope)}
    if (
        truth
        and isinstance(test, cst.Call)
        and dotted(test.func) == "isinstance"
        and len(test.args) == 2
    ):
        name = dotted(test.args[0].value)
        if name is not None:
            value = test.args[1].value
            binding = Binding(name, BindingKind.NARROWED, test, scope, value=value)
            return {name: frozenset([binding])}
    return {}


def merge(first: Environment | None, second: Environment | None) -> Environment | None:
    """Joins what two ways through the program know; `None` is a way that was left."""
    if first is None or second is None:
        return second if first is None else first
    joined: Environment = {}
    for name in first.keys() | second.keys():
        if "." in name or _has_narrowing(first, name) or _has_narrowing(second, name):
            if name in first and name in second:
                joined[name] = first[name] | second[name]
        else:
            joined[name] = first.get(name, frozenset()) | second.get(name, frozenset())
    return joined


def _has_narrowing(environment: Environment, name: str) -> bool:
    return any(b.kind is BindingKind.NARROWED for b in environment.get(name, ()))
