# SPDX-License-Identifier: Apache-2.0
"""Calls with arguments in the order of TensorFlow 2.0 to 2.4 name their arguments.

Parameters of some functions and methods moved, were renamed or removed: `model.save(path, True,
True, "h5")` is an error today, after the training, and in `SparseCategoricalCrossentropy(True,
"none")` the second argument is another one. The rule names the arguments, which is right for old
and current versions. For methods, it does so if it can prove that the object is a model or a layer
of Keras; otherwise it reports the call.

It looks at literal arguments: if their types do not tell in which order they are, the call stays.
It also reports calls of `serialize_keras_object` and `deserialize_keras_object`, which return and
take another form today.

The rule looks at the same files as LS901.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compat_lossscale.neighbour_names.changed_signatures import SIGNATURES, Changed
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.base import Case, Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.markers import Marker
from lossscale_codemods.rules.shared.keras_3_places import inherits_from_keras
from lossscale_codemods.rules.shared.neighbour_guards import NeighbourGuards
from lossscale_codemods.rules.shared.neighbour_uses import is_looked_at
from lossscale_codemods.vocabulary.names import WITH_KERAS_2
from lossscale_codemods.vocabulary.paths import canonical
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lossscale_codemods.analysis.program import Program

_FUNCTIONS = {one.path: one for one in SIGNATURES if not one.is_method}
_METHODS = {one.name: one for one in SIGNATURES if one.is_method}
_ALIASES = re.compile(r"^tensorflow\.(?=(?:losses|metrics)\.)")
_TYPES: Mapping[str, type] = {
    "True": bool,
    "False": bool,
    "SimpleString": str,
    "FormattedString": str,
    "ConcatenatedString": str,
    "Integer": int,
    "List": list,
    "Tuple": tuple,
    "Dict": dict,
}
_HEAD = "import tensorflow as tf\n"
_OLD = f"{_HEAD}tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
_NEW = f"{_HEAD}tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
_MODEL = (
    "model = tf.keras.Sequential("
    "[tf.keras.layers.Dense(1, kernel_initializer='ones', input_shape=(2,))])\n"
)


class Signatures(Rule):
    """Names the arguments of calls in an old order."""

    id = "LS904"
    title = "Changed signatures of TensorFlow"
    order = 2
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_2
    not_handled = "Calls whose arguments are variables, if these alone tell the order."
    group_markers = tuple(
        Marker(name.encode()) for name in sorted({one.name for one in SIGNATURES})
    )
    invalid = (
        Case(
            f"{_OLD}{_MODEL}model.save('model.h5', True, True, 'h5')\n",
            f"{_NEW}{_MODEL}"
            "model.save('model.h5', True, include_optimizer=True, save_format='h5')\n",
        ),
        Case(
            f"{_OLD}loss = tf.keras.losses.SparseCategoricalCrossentropy(True, 'none')\n",
            f"{_NEW}loss = tf.keras.losses.SparseCategoricalCrossentropy(True, reduction='none')\n",
        ),
    )
    valid = (
        Case(
            f"{_OLD}def keep(model):\n    model.load_weights('weights.h5', True)\n",
            f"{_NEW}def keep(model):\n    model.load_weights('weights.h5', True)\n",
            review="by_name=True",
        ),
        Case(
            f"{_OLD}{_MODEL}model.compile(None, 'mse', target_tensors=[y])\n",
            f"{_NEW}{_MODEL}model.compile(None, 'mse', target_tensors=[y])\n",
            review="no target_tensors",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the calls whose arguments are in an old form."""
        if not is_looked_at(program, self.id):
            return
        guards = NeighbourGuards(program, self.id)
        for node in program.tree.parents:
            is_old = isinstance(node, cst.Call) and _verdict(node, program) is not None
            if is_old and not guards.leaves(node):
                yield Occurrence(node, program.tree.span(node), Role.NEIGHBOUR, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Names the arguments, or says what to write."""
        if occurrence.rule != self.id or not isinstance(occurrence.node, cst.Call):
            return None
        return _verdict(occurrence.node, program)


def _verdict(call: cst.Call, program: Program) -> Verdict | None:
    changed = _changed(call, program)
    if changed is None or any(argument.star for argument in call.args):
        return None
    for argument in call.args:
        name = argument.keyword.value if argument.keyword is not None else ""
        is_none = isinstance(argument.value, cst.Name) and argument.value.value == "None"
        if name in changed.refused and not is_none:
            return Review(f"{changed.name}() has no {name} any more", f"{changed.refused[name]}.")
    if changed.instead:
        return Review(f"{changed.name}() has another form today", f"{changed.instead}.")
    edits = _edits(call, changed, program)
    if not edits or _is_of_an_own_class(call, program):
        return None
    # Nobody else has a method with a parameter of such a name.
    is_certain = not changed.is_method or changed.renamed or _is_of_keras(call, program)
    if not is_certain or _drops_a_call(call, changed):
        return _review(call, changed, edits, program)
    return Rewrite("the arguments by their names", lambda _: edits)


def _changed(call: cst.Call, program: Program) -> Changed | None:
    """Returns the entry of what is called, if it is in the table."""
    for path in program.resolver.paths(call.func):
        public = _ALIASES.sub("tensorflow.keras.", canonical(path or ""))
        if public in _FUNCTIONS:
            return _FUNCTIONS[public]
    if isinstance(call.func, cst.Attribute):
        return _METHODS.get(call.func.attr.value)
    return None


def _edits(call: cst.Call, changed: Changed, program: Program) -> list[Edit]:
    """Returns what names the arguments of a call, and takes out those that are gone."""
    names = {a.keyword.value for a in call.args if a.keyword is not None}
    positional = [argument for argument in call.args if argument.keyword is None]
    new: list[str | None] = [None] * len(positional)
    if changed.then and changed.is_old([_type(argument.value) for argument in positional]):
        new = changed.names_for(len(positional))
        if len(new) != len(positional) or names & set(new):
            return []
    edits = []
    for index, argument in enumerate(call.args):
        given = argument.keyword.value if argument.keyword is not None else None
        name = given or (new[index] if index < len(new) else None)
        start, end = program.tree.span(argument)
        if name in changed.dropped and index:
            edits.append(Edit(program.tree.span(call.args[index - 1])[1], end, ""))
        elif given is None and name is not None:
            edits.append(Edit(start, start, f"{name}="))
        elif argument.keyword is not None and given is not None and given in changed.renamed:
            edits.append(Edit(*program.tree.span(argument.keyword), changed.renamed[given]))
    return edits or _as_hdf5(call, changed, program)


def _as_hdf5(call: cst.Call, changed: Changed, program: Program) -> list[Edit]:
    """Says that a `.keras` file is HDF5, as it was, where today's format has no such arguments."""
    names = {a.keyword.value for a in call.args if a.keyword is not None}
    if not changed.path.endswith((".Model.save", ".save_model")) or "save_format" in names:
        return []
    paths = [a.value for a in call.args if isinstance(a.value, cst.SimpleString)]
    is_keras = any(str(path.evaluated_value).endswith(".keras") for path in paths)
    if not is_keras or not names & set(changed.then):
        return []
    end = program.tree.span(call.args[-1].value)[1]
    return [Edit(end, end, ", save_format='h5'")]


def _type(value: cst.BaseExpression) -> type | None:
    """Returns the type of a literal; `None` for anything else."""
    name = value.value if isinstance(value, cst.Name) else type(value).__name__
    if isinstance(value, cst.Attribute) and ".Reduction." in (dotted(value) or ""):
        return str
    return _TYPES.get(name)


def _is_of_keras(call: cst.Call, program: Program) -> bool:
    """Whether what a method is called of is a model or a layer, or `self` in a class of one."""
    assert isinstance(call.func, cst.Attribute)
    owner = call.func.value
    scope = program.resolver.class_of(owner)
    if scope is not None and inherits_from_keras(scope.node, program):
        return True
    return program.types.of(owner) == {ObjectType.MODEL}


def _is_of_an_own_class(call: cst.Call, program: Program) -> bool:
    """Whether it is called of `self` in a class that inherits from none."""
    if not isinstance(call.func, cst.Attribute):
        return False
    scope = program.resolver.class_of(call.func.value)
    return scope is not None and isinstance(scope.node, cst.ClassDef) and not scope.node.bases


def _drops_a_call(call: cst.Call, changed: Changed) -> bool:
    """Whether an argument that goes is more than a name or a value: it may do something."""
    plain = cst.Name | cst.Attribute | cst.BaseNumber | cst.SimpleString
    gone = call.args[changed.same :] if changed.dropped else ()
    return not all(isinstance(argument.value, plain) for argument in gone)


def _review(call: cst.Call, changed: Changed, edits: list[Edit], program: Program) -> Review:
    """Shows the call as it is to be, if the object is what the table says."""
    start, end = program.tree.span(call)
    source = program.tree.slice((start, end)).encode()
    for edit in sorted(edits, key=lambda one: one.start, reverse=True):
        text = edit.text.encode()
        source = source[: edit.start - start] + text + source[edit.end - start :]
    written = " ".join(source.decode().split())
    owner = changed.path.rpartition(".")[0].replace("tensorflow.", "tf.")
    return Review(
        f"if this is {changed.name}() of {owner}, it has other parameters today",
        f"Write it as {written}.",
    )
