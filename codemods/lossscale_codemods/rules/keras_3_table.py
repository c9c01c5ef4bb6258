# SPDX-License-Identifier: Apache-2.0
"""Meets the rows of `tables/keras_3.toml`, which say what Keras 3 lacks or has otherwise.

Where a row has a fix, the place is rewritten. Where it has none, or what it is met on is not
proven, it is reported.
"""

from __future__ import annotations

import dataclasses
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import libcst as cst

from compat_lossscale.neighbour_names.keras_names import MODEL_MEMBERS, instead_of
from lossscale_codemods.domain import Certainty, Program
from lossscale_codemods.rules import keras_3_conditions as met
from lossscale_codemods.rules.base import ObservedFix, Review, Verdict, rewrite
from lossscale_codemods.source.syntax_tree import key_of, keywords_of
from lossscale_codemods.tables import keras_3
from lossscale_codemods.tables.keras_3 import below_keras, gone_at, gone_from_keras
from lossscale_codemods.tables.names import Target, canonical


@dataclasses.dataclass(frozen=True)
class Keras3Row:
    """One difference of Keras 3, as `tables/keras_3.toml` has it.

    Attributes:
        names: The attributes, methods (`.name`), called paths, keys (`[name]`) or definitions;
            `keras.layers.*` is anything of a module that is called, `tensorflow.*` any function of
            TensorFlow, and `()` any call.
        message: What is otherwise; `{name}` is the name that is met, `{argument}` the argument.
        advice: What to do about it.
        arguments: Arguments that a call has to name one of.
        fix: Makes the edits that settle it; where it makes none, the row does not fit.
        of: How sure it is that the name is a member of what it has to be.
        inside: What a base of the class around it has to be, by its path: how that ends, or more.
        code: What the source of the node has to match from its beginning on.
        file: The same of the whole file.
        when: A further condition.
        stops: Whether the program does not run there, rather than train otherwise.
        unsafe: Whether the fix is an unsafe one.
        target: What the program is migrated to, if the row is for one target alone.
    """

    names: Collection[str]
    message: str
    advice: str = ""
    _: dataclasses.KW_ONLY
    arguments: Collection[str] = ()
    fix: met.Fix | None = None
    of: met.Owner | None = None
    inside: Callable[[str], bool] | None = None
    code: str = ""
    file: str = ""
    when: met.Condition | None = None
    stops: bool = False
    unsafe: bool = False
    target: Target | None = None

    @property
    def said(self) -> str:
        """What the row says, and what to do, of all its names."""
        names, arguments = (", ".join(sorted(one)) for one in (self.names, self.arguments))
        message = self.message.replace("{name}", names).replace("{argument}", arguments)
        return f"{message}. {self.advice}".rstrip()

    def verdict(self, node: cst.CSTNode, name: str, program: Program) -> Verdict | None:
        """Says what becomes of a node; nothing if the row does not fit it."""
        owner = program.tree.around(node, cst.ClassDef) if self.inside is not None else None
        if self.inside is not None and not program.inherits(owner, self.inside):
            return None
        if self.code and not re.match(self.code, program.tree.source(node)):
            return None
        if self.file and not re.match(self.file.encode(), program.source):
            return None
        named = keywords_of(node) if isinstance(node, cst.Call) else {}
        given = [one for one in self.arguments if one in named]
        if (self.arguments and not given) or (self.when and not self.when(node, program)):
            return None
        certainty = Certainty.PROVEN if self.of is None else self.of(node, program)
        if certainty is Certainty.NO:
            return None
        message = self.message.replace("{name}", name).replace("{argument}", "".join(given[:1]))
        edits = self.fix(node, program) if self.fix is not None else []
        if self.fix is not None and not edits:
            return None
        made = rewrite(message, edits) if edits else None
        if certainty is Certainty.PROVEN:
            review = Review(message, self.advice, stops=self.stops)
            return dataclasses.replace(review, unsafe_fix=made) if self.unsafe else made or review
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
    """Yields where a row fits: the id of its rule, the place, and what becomes of it."""
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
        case cst.If() | cst.While():
            yield "if"


def _names_of_call(node: cst.Call, program: Program) -> Iterator[str]:
    yield "()"
    match node.func:
        case cst.Name(value=name):
            yield f"{name}()"
        case cst.Attribute(attr=cst.Name(value=name)):
            yield f".{name}"
    path = program.resolver.path(node.func)
    below = below_keras(path) if path is not None else ""
    if path is not None:
        name = f"keras.{below}" if below else canonical(path)
        yield name
        yield f"{name.rpartition('.')[0]}.*"
        if not below and canonical(path).startswith("tensorflow."):
            yield "tensorflow.*"


def _place(node: cst.CSTNode) -> cst.CSTNode:
    """Returns what of a node is reported."""
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return node.name
    if isinstance(node, cst.If | cst.While):
        return node.test
    return node.func if isinstance(node, cst.Call) else node


def gone(path: str) -> Review | None:
    """Says what there is to say of a name that Keras 3 lacks, or has in `tf.keras` alone."""
    below = gone_at(path)
    if below is not None:
        home = "tf.keras of " if below in keras_3.ONLY_IN_KERAS else ""
        return Review(f"{home}Keras 3 has no {below}", f"Use {instead_of(below)}.", stops=True)
    if keras_3.OLD_MODULE.fullmatch(path):
        return Review(f"Keras 3 has no {path}", "Import what it has from `keras`.", stops=True)
    below = gone_from_keras(path)
    if below is None:
        return None
    return Review(
        f"Keras 3 has {below} in tf.keras alone, and not in keras",
        "Use tf.keras for it, which needs TensorFlow as the backend.",
        stops=True,
    )


def _row(stored: Mapping[str, Any]) -> Keras3Row:
    """Returns a row as the file has it: `keras_3_conditions` has what it asks by a name."""
    row = dict(stored)
    for key in {"fix", "inside", "of", "when"} & row.keys():
        asked = row[key]
        is_end = asked.startswith(".")
        row[key] = operator.methodcaller("endswith", asked) if is_end else getattr(met, asked)
    if isinstance(row["names"], str):
        row["names"] = keras_3.NAMES[row["names"]]
    if "target" in row:
        row["target"] = Target(row["target"])
    return Keras3Row(**row)


_OF_MODELS = {
    "message": "models and layers of Keras 3 have no {name}", "of": "of_model", "stops": True
}  # fmt: skip
_RULES = ("LS321", "LS323", "LS911", "LS912")
TABLE = {rule: tuple(map(_row, keras_3.DATA[rule])) for rule in _RULES}
"""The rows of each rule, by its id."""
TABLE["LS321"] += tuple(
    _row({**one, "of": "of_optimizer", "stops": True}) for one in keras_3.DATA["members_gone"]
)
TABLE["LS911"] += tuple(
    _row({**_OF_MODELS, "names": [name], "advice": f"Use {instead}."})
    for name, instead in MODEL_MEMBERS.items()
)
