# SPDX-License-Identifier: Apache-2.0
"""Expressions that ask whether a name is there, and the new names that can be the alternative.

hasattr(tf.keras.mixed_precision, "experimental")
"experimental" in dir(tf.keras.mixed_precision)
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import import_path, member_path
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted, is_none
from lossscale_codemods.vocabulary import frameworks, names

if TYPE_CHECKING:
    from lossscale_codemods.analysis.name_resolution import Resolver


@dataclasses.dataclass(frozen=True)
class Probe:
    """An expression that asks for a name.

    Attributes:
        node: The expression.
        kind: The function that asks.
        name: The string that names what is asked for.
        home: The path of the module that is asked; empty if the string is a whole path.
        negated: Whether it asks with `not in`.
    """

    node: cst.BaseExpression
    kind: str
    name: cst.SimpleString
    home: str = ""
    negated: bool = False

    @property
    def is_answered(self) -> bool:
        """Whether nothing is taken in the place of what is not there."""
        arguments = self.node.args if isinstance(self.node, cst.Call) else ()
        return self.kind != "getattr" or (len(arguments) == 3 and is_none(arguments[2].value))

    @property
    def path(self) -> str:
        """The path of what is asked for."""
        text = str(self.name.evaluated_value)
        return f"{self.home}.{text}" if self.home else text


def probe_of(text: cst.CSTNode, resolver: Resolver) -> Probe | None:
    """Returns the probe that a string is the name in, if it is in one.

    Args:
        text: The string.
        resolver: Knows what the names of its file stand for.
    """
    if not isinstance(text, cst.SimpleString):
        return None
    parent = resolver.scopes.tree.parent
    above = parent(text)
    probe = probe_at(parent(above) if isinstance(above, cst.Arg) else above, resolver)
    return probe if probe is not None and probe.name is text else None


def probe_at(node: cst.CSTNode | None, resolver: Resolver) -> Probe | None:
    """Returns what an expression asks for; nothing if it is none that asks.

    Args:
        node: The expression.
        resolver: Knows what the names of its file stand for.
    """
    match node:
        case cst.Call(
            func=cst.Name(value="hasattr" | "getattr" as kind) as function,
            args=[cst.Arg(value=module, star=""), cst.Arg(value=cst.SimpleString() as name), *_],
        ) if not resolver.bindings(function):
            home = resolver.path(module)
            return None if home is None else Probe(node, kind, name, home)
        case cst.Call(args=[cst.Arg(value=cst.SimpleString() as name)]) if (
            resolver.path(node.func) or dotted(node.func) or ""
        ).endswith("find_spec"):
            return Probe(node, "find_spec", name)
        case cst.Comparison(
            left=cst.SimpleString() as name,
            comparisons=[
                cst.ComparisonTarget(
                    operator=cst.In() | cst.NotIn() as sign,
                    comparator=cst.Call(
                        func=cst.Name(value="dir" | "vars" as kind) as function,
                        args=[cst.Arg(value=module, star="")],
                    ),
                )
            ],
        ) if not resolver.bindings(function):
            home = resolver.path(module)
            negated = isinstance(sign, cst.NotIn)
            return None if home is None else Probe(node, kind, name, home, negated)
    return None


def is_new(node: cst.CSTNode, resolver: Resolver) -> bool:
    """Whether a node is a name of today, as it is read or imported.

    Args:
        node: The node.
        resolver: Knows what the names of its file stand for.
    """
    if isinstance(node, cst.ImportFrom) and not isinstance(node.names, cst.ImportStar):
        module = import_path(node)
        return any(
            frameworks.is_new_name(member_path(module, a.evaluated_name)) for a in node.names
        )
    if isinstance(node, cst.Import):
        return any(frameworks.is_new_name(dotted(a.name) or "") for a in node.names)
    if not isinstance(node, cst.Attribute | cst.Name):
        return False
    if not any(p is not None and frameworks.is_new_name(p) for p in resolver.paths(node)):
        return False
    above = resolver.scopes.tree.parent(node)
    if not isinstance(above, cst.Attribute):
        return True
    return not any(p is not None and names.lookup(p) for p in resolver.paths(above))
