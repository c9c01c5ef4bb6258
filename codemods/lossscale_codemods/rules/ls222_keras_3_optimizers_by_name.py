# SPDX-License-Identifier: Apache-2.0
"""Keras optimizers that come from a string or a config are checked (`--target keras3`).

`model.compile("adam")` and `tf.keras.optimizers.get("sgd")` create the same optimizers as before.
RMSprop, which is the default of `compile`, and Nadam compute differently in Keras 3: see LS221. If
only the running program knows the name or the config, the rule reports it, because it can mean one
of these, and because configs of old optimizers have `decay` and `lr`. It also reports configs that
the program reads, because Keras 3 writes them in another form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.model_compiles import (
    Compile,
    may_be_text,
    model_compile,
    model_compiles,
)
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.analysis.optimizer_names import looked_up_name
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.keras_3_constructors import OptimizerConstructors
from lossscale_codemods.rules.shared.keras_3_places import Places
from lossscale_codemods.vocabulary import optimizer_families
from lossscale_codemods.vocabulary.names import WITH_KERAS_3
from lossscale_codemods.vocabulary.paths import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

_HEAD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
_NEW_HEAD = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
_MODEL = "model = tf.keras.Sequential(layers)\n"
_KNOWN = {ObjectType.KERAS, ObjectType.WRAPPER, ObjectType.NOTHING}
_HOMES = ("tensorflow.keras.optimizers", "tensorflow.optimizers", "keras.optimizers")
_OLD_KEYWORDS = ("use_legacy_optimizer", "use_legacy_format")
_UNKNOWN = Review(
    "the optimizer is known only when the program runs: RMSprop and Nadam compute "
    "otherwise in Keras 3, and configs may have `lr` and `decay`",
    "Make sure that it is neither of them, and has no such config.",
)
_FORM = Review(
    "Keras 3 writes configs of optimizers in another form, with other keys",
    "Pass it to Keras, and do not read its keys yourself.",
)


class Keras3OptimizersByName(Rule):
    """Reports what names and configs stand for, where that is otherwise."""

    id = "LS222"
    title = "Optimizers of Keras 3 by name"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3
    valid = (
        Case(
            f"{_HEAD}{_MODEL}model.compile('rmsprop', 'mse')\n",
            f"{_NEW_HEAD}{_MODEL}model.compile('rmsprop', 'mse')\n",
            review="adds epsilon under the root",
        ),
        Case(
            f"{_HEAD}{_MODEL}model.compile(loss='mse')\n",
            f"{_NEW_HEAD}{_MODEL}model.compile(loss='mse')\n",
            review="takes RMSprop by itself",
        ),
        Case(
            f"{_HEAD}opt = tf.keras.optimizers.get(name)\n",
            f"{_NEW_HEAD}opt = tf.keras.optimizers.get(name)\n",
            review="known only when the program runs",
        ),
        Case(
            f"{_HEAD}{_MODEL}model.compile('adam', 'mse')\n",
            f"{_NEW_HEAD}{_MODEL}model.compile('adam', 'mse')\n",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields what makes optimizers by name, and is not surely right."""
        if not is_part_of_old(program):
            return
        places = Places(program, self.id)
        for compiled in model_compiles(program):
            if not places.is_for_old(compiled.call) and _of_compile(compiled, program) is not None:
                yield places.occurrence(compiled.call.func)
        for node in program.scopes.scope_of_read:
            if not isinstance(node, cst.Name | cst.Attribute):
                continue
            if _of_name(node, program) is not None and not places.is_for_old(node):
                yield places.occurrence(node)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Says what is otherwise."""
        node = occurrence.node
        if occurrence.rule != self.id or not isinstance(node, cst.Name | cst.Attribute):
            return None
        compiled = model_compile(program.tree.parent(node), program)
        if compiled is not None and compiled.call.func is node:
            return _of_compile(compiled, program)
        return _of_name(node, program)


def _of_compile(compiled: Compile, program: Program) -> Review | None:
    argument = compiled.optimizer
    if argument is None:
        if compiled.is_unpacked or not compiled.is_proven:
            return None
        default = OptimizerConstructors(program).otherwise([optimizer_families.DEFAULT], None)
        return default and Review(
            f"`compile` takes RMSprop by itself: {default.message}", default.advice
        )
    if isinstance(argument.value, cst.SimpleString):
        return _of_text(argument.value, program)
    kinds = program.types.of(argument.value)
    if kinds <= _KNOWN or not compiled.is_proven:
        return None
    if ObjectType.OTHER in kinds or may_be_text(argument.value, program):
        return _UNKNOWN
    return None


def _of_text(text: cst.SimpleString, program: Program) -> Review | None:
    name = optimizer_families.class_of(str(text.evaluated_value))
    return OptimizerConstructors(program).otherwise([name], None) if name is not None else None


def _of_name(node: cst.Name | cst.Attribute, program: Program) -> Review | None:
    """Says what to do about a function that makes optimizers, or the module as a whole."""
    paths = [canonical(path) for path in program.resolver.paths(node) if path is not None]
    for path in paths:
        module, _, name = path.rpartition(".")
        if path in _HOMES:
            return _of_module(node, program)
        if module in _HOMES and name in optimizer_families.KEYWORDS:
            return _of_function(node, name, program)
    return None


def _of_function(node: cst.Name | cst.Attribute, name: str, program: Program) -> Review | None:
    call = program.tree.parent(node)
    if not isinstance(call, cst.Call) or call.func is not node:
        kept = cst.Assign | cst.AnnAssign | cst.Attribute | cst.ImportAlias
        return None if isinstance(call, kept) else _UNKNOWN
    given = [a.keyword.value for a in call.args if a.keyword is not None]
    old = [keyword for keyword in given if keyword in _OLD_KEYWORDS]
    if old:
        return Review(f"Keras 3 does not take {old[0]}", "Do without it.")
    if name == "serialize":
        return _FORM
    if not call.args or any(argument.star for argument in call.args):
        return _UNKNOWN
    first = call.args[0].value
    if isinstance(first, cst.SimpleString):
        return _of_text(first, program)
    return None if program.types.of(first) <= _KNOWN else _UNKNOWN


def _of_module(node: cst.Name | cst.Attribute, program: Program) -> Review | None:
    """Says what to do about the module, where it is used as a whole."""
    above = program.tree.parent(node)
    handed_on = cst.Arg | cst.Return | cst.Element | cst.DictElement | cst.Yield | cst.Param
    is_members = isinstance(above, cst.Attribute) and above.attr.value == "__dict__"
    if not is_members and not isinstance(above, handed_on):
        return None
    call = program.tree.parent(above) if isinstance(above, cst.Arg) else None
    if isinstance(call, cst.Call):
        if dotted(call.func) in {"dir", "hasattr"}:
            return None
        if isinstance(looked_up_name(call), cst.SimpleString):
            return None  # The class that is looked up is seen.
    return _UNKNOWN
