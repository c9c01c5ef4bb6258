# SPDX-License-Identifier: Apache-2.0
"""How what is known of names grows and shrinks: by tests, by calls, and where two ways join."""

from __future__ import annotations

from lossscale_codemods.analysis.bindings import (
    Binding,
    BindingKind,
    Environment,
    Scope,
    class_of_self,
)
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted

_CATCHING = frozenset({"ExitStack", "assertRaises", "assertRaisesRegex", "raises", "suppress"})
"""Context managers that end exceptions."""


def narrowings(test: cst.BaseExpression, truth: bool, scope: Scope) -> Environment:
    """Returns what `isinstance` tests in a condition say about names.

    Args:
        test: The condition.
        truth: How it came out.
        scope: The scope that it is in.
    """
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
        return _narrowed(test, scope)
    return {}


def is_type_assertion(call: cst.Call) -> bool:
    """Whether a call is `self.assertIsInstance(x, C)`, or the same with `Not`."""
    return (
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value in {"assertIsInstance", "assertNotIsInstance"}
        and len(call.args) >= 2
        and all(argument.keyword is None and not argument.star for argument in call.args[:2])
    )


def asserted(node: cst.BaseExpression, scope: Scope) -> Environment:
    """Returns what is known of names behind `self.assertIsInstance(x, C)`.

    Args:
        node: An expression that is by itself.
        scope: The scope that it is in.
    """
    if not isinstance(node, cst.Call) or not is_type_assertion(node):
        return {}
    if not (dotted(node.func) or "").endswith(".assertIsInstance"):
        return {}
    return _narrowed(node, scope)


def matched(subject: cst.BaseExpression, pattern: cst.MatchPattern, scope: Scope) -> Environment:
    """Returns what is known of a name where a `match` statement has found it to be of a class.

    Args:
        subject: What is matched.
        pattern: The pattern that it has.
        scope: The scope that it is in.
    """
    inner = pattern.pattern if isinstance(pattern, cst.MatchAs) else pattern
    if not isinstance(inner, cst.MatchClass):
        return {}
    return _of_class(subject, inner.cls, inner, scope)


def _narrowed(call: cst.Call, scope: Scope) -> Environment:
    return _of_class(call.args[0].value, call.args[1].value, call, scope)


def _of_class(
    node: cst.BaseExpression, value: cst.BaseExpression, test: cst.CSTNode, scope: Scope
) -> Environment:
    name = dotted(node)
    if name is None:
        return {}
    return {name: frozenset([Binding(name, BindingKind.NARROWED, test, scope, value=value)])}


def reassigned_by(call: cst.Call, known: Environment, scope: Scope) -> Environment:
    """Returns what attributes of `self` can be after a call that may run other methods.

    Args:
        call: The call.
        known: What is known before it.
        scope: The scope that it is in.
    """
    reached = [call.func.value] if isinstance(call.func, cst.Attribute) else []
    reached += [argument.value for argument in call.args]
    reassigned: Environment = {}
    for node in reached:
        if isinstance(node, cst.Call) and dotted(node.func) == "super":
            owner = _class_around(scope)
        else:
            owner = class_of_self(node, scope)
        for name in known if owner is not None else ():
            root, _, attribute = name.partition(".")
            if owner is not None and attribute and class_of_self(cst.Name(root), scope) is owner:
                others = owner.attributes.get(attribute, ())
                reassigned[name] = known[name] | {b for b in others if b.scope is not scope}
    return reassigned


def _class_around(scope: Scope) -> Scope | None:
    around: Scope | None = scope
    while around is not None and not around.is_class:
        around = around.parent
    return around


def catches(node: cst.With) -> bool:
    """Whether a program goes on behind a `with` statement whose block an exception has left."""
    managers = (item.item for item in node.items)
    return any(
        isinstance(one, cst.Call) and (dotted(one.func) or "").rpartition(".")[2] in _CATCHING
        for one in managers
    )


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
