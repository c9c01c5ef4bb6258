# SPDX-License-Identifier: Apache-2.0
"""What is looked up by a name: `getattr(x, name)`, `vars(x)[name]`, `"name" in dir(x)`."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from lossscale_codemods.python.scopes import Scopes
from lossscale_codemods.source.syntax_tree import Tree, key_of, last_name, literal_text

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
