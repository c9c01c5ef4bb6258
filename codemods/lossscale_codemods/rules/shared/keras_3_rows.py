# SPDX-License-Identifier: Apache-2.0
"""The shape of a row of the table for Keras 3, and what finds the rows that fit a file."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import libcst as cst

from compat_lossscale.legacy.neighbour_names.keras_names import instead_of
from lossscale_codemods.domain import all_bindings
from lossscale_codemods.rules.base import ObservedFix, Review
from lossscale_codemods.rules.shared.attribute_reads import rewrite
from lossscale_codemods.rules.shared.keras_3_conditions import ANYTHING, Owner, key_of
from lossscale_codemods.tables.keras_3 import below_keras, gone_at, gone_from_keras
from lossscale_codemods.tables.paths import canonical

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from lossscale_codemods.domain import Program
    from lossscale_codemods.rules.base import Verdict
    from lossscale_codemods.rules.shared.keras_3_conditions import Condition, Fix
    from lossscale_codemods.tables.names import Target


@dataclasses.dataclass(frozen=True)
class Keras3Row:
    """One difference of Keras 3.

    Attributes:
        names: The attributes, methods (`.name`), called paths, keys (`[name]`) or definitions.
        message: What is otherwise; `{name}` is the name that is met.
        advice: What to do about it.
        fix: Makes the edits that settle it, if there are any.
        of: What the name has to be a member of, and whether it may be one.
        when: A further condition.
        stops: Whether the program does not run there, rather than train otherwise.
        target: What the program is migrated to, if the row is for one target alone.
    """

    names: Collection[str]
    message: str
    advice: str = ""
    _: dataclasses.KW_ONLY
    fix: Fix | None = None
    of: Owner = ANYTHING
    when: Condition | None = None
    stops: bool = False
    target: Target | None = None

    def verdict(self, node: cst.CSTNode, name: str, program: Program) -> Verdict | None:
        """Says what becomes of a node; nothing if the row does not fit it."""
        if self.when is not None and not self.when(node, program):
            return None
        is_proven = self.of.proven(node, program)
        if not is_proven and not self.of.likely(node, program):
            return None
        message = self.message.replace("{name}", name)
        edits = self.fix(node, program) if self.fix is not None else []
        made = rewrite(message, edits) if edits else None
        if is_proven:
            return made or Review(message, self.advice, stops=self.stops)
        return Review(
            f"{message}; that this is one is not proven in this file",
            f"If it is one, {self.advice[0].lower()}{self.advice[1:]}",
            unsafe_fix=made,
            observed_fixes=[ObservedFix(name, (), made)],
            stops=self.stops,
        )


def fitting(
    table: Mapping[str, Sequence[Keras3Row]], program: Program
) -> Iterator[tuple[str, cst.CSTNode, Verdict]]:
    """Yields where a row fits: the id of its rule, the place, and what becomes of it.

    Args:
        table: The rows of each rule, by its id.
        program: The file.
    """
    by_name: dict[str, list[tuple[str, Keras3Row]]] = {}
    for rule, rows in table.items():
        for row in rows:
            for name in row.names if row.target in (None, program.target) else ():
                by_name.setdefault(name, []).append((rule, row))
    for node in program.tree.parents:
        decided = set()
        for name in _names(node, program):
            for rule, row in by_name.get(name, ()):
                verdict = row.verdict(node, name, program) if rule not in decided else None
                if verdict is not None:
                    decided.add(rule)
                    yield rule, _place(node), verdict


def _names(node: cst.CSTNode, program: Program) -> Iterator[str]:
    """Yields the names by which a row can be met on a node."""
    match node:
        case cst.Attribute():
            yield node.attr.value
        case cst.Call():
            yield from _names_of_call(node, program)
        case cst.Subscript():
            yield f"[{key_of(node)}]"
        case cst.FunctionDef():
            yield f"def {node.name.value}"
        case cst.ClassDef():
            yield "class"
        case cst.Return():
            yield "return"


def _names_of_call(node: cst.Call, program: Program) -> Iterator[str]:
    match node.func:
        case cst.Name(value=name):
            yield f"{name}()"
        case cst.Attribute(attr=cst.Name(value=name)):
            yield f".{name}"
        case cst.Call(func=cst.Name("type")):
            yield "type()()"
    path = program.resolver.path(node.func)
    below = below_keras(path) if path is not None else ""
    if path is not None:
        yield f"keras.{below}" if below else canonical(path)
        if not below and canonical(path).startswith("tensorflow."):
            yield "tensorflow"


def _place(node: cst.CSTNode) -> cst.CSTNode:
    """Returns what of a node is reported."""
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return node.name
    return node.func if isinstance(node, cst.Call) else node


def gone_names(program: Program) -> Iterator[tuple[cst.CSTNode, Verdict]]:
    """Yields the names that Keras 3 lacks, or has in `tf.keras` alone, and their imports."""
    for node in program.tree.parents:
        if isinstance(node, cst.Attribute):
            found = [_gone(path) for path in program.resolver.paths(node) if path is not None]
            gone = next((one for one in found if one is not None), None)
            if gone is not None:
                yield node, gone
    for binding in all_bindings(program.resolver):
        gone = _gone(binding.path or "") if isinstance(binding.node, cst.ImportAlias) else None
        if gone is not None:
            yield binding.node, gone


def _gone(path: str) -> Review | None:
    below = gone_at(path)
    if below is not None:
        return Review(f"Keras 3 has no {below}", f"Use {instead_of(below)}.", stops=True)
    below = gone_from_keras(path)
    if below is None:
        return None
    return Review(
        f"Keras 3 has {below} in tf.keras alone, and not in keras",
        "Use tf.keras for it, which needs TensorFlow as the backend.",
        stops=True,
    )
