# SPDX-License-Identifier: Apache-2.0
"""Names of Keras 2 that Keras 3 lacks are reported, next to loss scaling (`--target keras3`).

The codemod does not migrate all of Keras 2 to Keras 3. This rule is about what old programs with
loss scaling use: removed names and methods; `add_weight`, whose first argument is now the shape;
`reset_states` of metrics, which is `reset_state`; graphs that a program builds by itself; and a
`train_step` that returns a loss. `fit` of Keras 3 shows the values of its own metrics instead of
returned values with the same names. Layers of Keras 3 are no `tf.Module`, so the rule reports a
`tf.Module` with layers in it: its `variables` and `trainable_variables` leave theirs out. For the
rest, see https://keras.io/guides/migrating_to_keras_3/.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compat_lossscale.neighbour_names.keras_3_names import instead_of
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import all_bindings
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.markers import Marker
from lossscale_codemods.rules.shared.attribute_reads import rewrite
from lossscale_codemods.rules.shared.keras_3_places import (
    Places,
    inherits_from_keras,
    inherits_from_metric,
    is_metric,
    is_module_of_layers,
)
from lossscale_codemods.vocabulary.keras_3_gone import (
    BROKEN,
    GRAPH_MODE,
    METRIC_WEIGHT_ARGUMENTS,
    OF_MODELS,
    OF_WEIGHTS,
    WEIGHT_ARGUMENTS,
    below_keras,
    gone_at,
    gone_from_keras,
)
from lossscale_codemods.vocabulary.names import WITH_KERAS_3
from lossscale_codemods.vocabulary.paths import canonical
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

_HIDDEN = Review(
    "layers of Keras 3 are no tf.Module, so `variables` and `trainable_variables` of this class "
    "leave them out, and an optimizer that is given these trains nothing",
    "Derive the class from tf.keras.Model or tf.keras.layers.Layer, or collect the variables of "
    "its layers.",
)
_OPTIMIZERS = {ObjectType.KERAS, ObjectType.WRAPPER}
_HEAD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
_NEW_HEAD = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
_ENCODER = (
    "class Encoder(tf.Module):\n    def __init__(self):\n"
    "        self.dense = tf.keras.layers.Dense(4)\n"
)
_LAYER = "class Mine(tf.keras.layers.Layer):\n    def build(self, shape):\n"


class Keras3Api(Rule):
    """Reports what is gone, and respells `add_weight` and `reset_states`."""

    id = "LS911"
    title = "Other names of Keras 2"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3
    group_markers = (
        Marker(b"Module", (b"keras",), re.compile(rb"class \w+\([^)]*\bModule\b")),
        *(Marker(word) for word in (b"CuDNN", b"_get_optimizer", b"reset_states")),
    )
    shows_imports = True
    invalid = (
        Case(
            f"{_HEAD}{_LAYER}        self.w = self.add_weight('w', shape, initializer='ones')\n",
            f"{_NEW_HEAD}{_LAYER}"
            "        self.w = self.add_weight(name='w', shape=shape, initializer='ones')\n",
        ),
        Case(
            f"{_HEAD}loss = tf.keras.metrics.Mean()\nloss.reset_states()\n",
            f"{_NEW_HEAD}loss = tf.keras.metrics.Mean()\nloss.reset_state()\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}tf.keras.backend.set_learning_phase(1)\n",
            f"{_NEW_HEAD}tf.keras.backend.set_learning_phase(1)\n",
            review="Keras 3 has no backend.set_learning_phase",
        ),
        Case(
            f"{_HEAD}class Net(tf.keras.Model):\n    def train_step(self, data):\n"
            "        return {'loss': train(self, data)}\n",
            f"{_NEW_HEAD}class Net(tf.keras.Model):\n    def train_step(self, data):\n"
            "        return {'loss': train(self, data)}\n",
            review="shows the values of its own metrics",
        ),
        Case(
            f"{_HEAD}opt = tf.keras.optimizers.SGD(0.1)\ntf.compat.v1.disable_eager_execution()\n",
            f"{_NEW_HEAD}opt = tf.keras.optimizers.SGD(0.1)\n"
            "tf.compat.v1.disable_eager_execution()\n",
            review="does not run in graphs",
        ),
        Case(
            f"{_HEAD}{_ENCODER}",
            f"{_NEW_HEAD}{_ENCODER}",
            review="`variables` and `trainable_variables` of this class leave them out",
        ),
        Case(
            f"{_HEAD}def restart(metric):\n    metric.reset_states()\n",
            f"{_NEW_HEAD}def restart(metric):\n    metric.reset_states()\n",
            review="not proven",
            unsafe=f"{_NEW_HEAD}def restart(metric):\n    metric.reset_state()\n",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields what is gone, or otherwise."""
        if not is_part_of_old(program):
            return
        places = Places(program, self.id)
        for node in program.tree.parents:
            if self._verdict(node, program) is not None and not places.is_for_old(node):
                yield places.occurrence(node)
        for binding in all_bindings(program.resolver):
            is_gone = _gone(binding.path or "") and isinstance(binding.node, cst.ImportAlias)
            if is_gone and not places.is_for_old(binding.node):
                yield places.occurrence(binding.node)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Says what is to do, or names the arguments."""
        if occurrence.rule != self.id:
            return None
        node = occurrence.node
        if isinstance(node, cst.ImportAlias):
            for binding in program.scopes.binding_at.get(node, []):
                return _gone(binding.path or "")
        return self._verdict(node, program)

    def _verdict(self, node: cst.CSTNode, program: Program) -> Verdict | None:
        if isinstance(node, cst.Attribute):
            return _of_attribute(node, program)
        if isinstance(node, cst.Call):
            return _of_call(node, program)
        if isinstance(node, cst.Return):
            return _of_return(node, program)
        if isinstance(node, cst.Name):
            return _of_definition(node, program)
        return None


def _gone(path: str) -> Review | None:
    below = gone_at(path)
    if below is not None:
        return Review(
            f"Keras 3 has no {below}",
            f"Use {instead_of(below)}.",
        )
    below = gone_from_keras(path)
    if below is None:
        return None
    return Review(
        f"Keras 3 has {below} in tf.keras alone, and not in keras",
        "Use tf.keras for it, which needs TensorFlow as the backend.",
    )


def _of_attribute(node: cst.Attribute, program: Program) -> Verdict | None:
    for path in program.resolver.paths(node):
        gone = _gone(path) if path is not None else None
        if gone is not None and not _is_rewritten(node, program):
            return gone
        broken = BROKEN.get(below_keras(path)) if path is not None else None
        if broken is not None and not _is_rewritten(node, program):
            return Review(
                f"{node.attr.value} of Keras 3's backend {broken}",
                "Use a method or attribute of the variable or tensor itself.",
            )
    if node.attr.value == "dtype" and isinstance(program.tree.parent(node), cst.Attribute):
        owner = node.value
        if isinstance(owner, cst.Attribute) and owner.attr.value in OF_WEIGHTS:
            return Review(
                "the dtype of a variable of Keras 3 is a string", "Compare it with a string."
            )
    instead = OF_MODELS.get(node.attr.value)
    scope = program.resolver.class_of(node.value)
    is_model = ObjectType.MODEL in program.types.of(node.value)
    if instead and (is_model or (scope and inherits_from_keras(scope.node, program))):
        return Review(f"models and layers of Keras 3 have no {node.attr.value}", f"Use {instead}.")
    return _of_reset(node, program) if node.attr.value == "reset_states" else None


def _of_reset(node: cst.Attribute, program: Program) -> Verdict | None:
    """Respells `reset_states` of a metric; reports it where that it is one is not proven."""
    values = program.types.values(node.value)
    if program.resolver.class_of(node.value) or _is_no_object(node.value, program):
        return None
    if ObjectType.UNKNOWN not in {value.kind for value in values}:
        return None
    made = rewrite(
        "metrics of Keras 3 have `reset_state`",
        [Edit(*program.tree.span(node.attr), "reset_state")],
    )
    paths = {
        path
        for value in values
        if value.made_by is not None and value.resolver is not None
        for path in value.resolver.paths(value.made_by.func)
    }
    if all(value.made_by is not None for value in values):
        return made if all(path is not None and is_metric(path) for path in paths) else None
    if any(_is_definition(one, "reset_states") for one in program.tree.parents):
        return None  # It may be of that class.
    return Review(
        "metrics of Keras 3 have `reset_state`, and models no such method; that this is one is not "
        "proven in this file",
        "If it is a metric, write `reset_state`. For a model, call it on each layer with a state.",
        unsafe_fix=made,
    )


def _is_no_object(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is a class or module, or `super()`."""
    is_super = isinstance(node, cst.Call) and dotted(node.func) == "super"
    return is_super or any(path is not None for path in program.resolver.paths(node))


def _is_definition(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.FunctionDef) and node.name.value == name


def _of_definition(node: cst.Name, program: Program) -> Review | None:
    """Reports what a class defines that Keras 3 does not call, or does not see."""
    above = program.tree.parent(node)
    if isinstance(above, cst.ClassDef) and above.name is node:
        return _HIDDEN if is_module_of_layers(above, program) else None
    if above is None or not _is_definition(above, "reset_states"):
        return None
    owner = next((a for a in program.tree.ancestors(node) if isinstance(a, cst.ClassDef)), None)
    if owner is None or not inherits_from_metric(owner, program):
        return None
    return Review(
        "Keras 3 calls `reset_state` of a metric, and never this",
        "Rename it, and the calls of it, to `reset_state`.",
    )


def _is_rewritten(node: cst.Attribute, program: Program) -> bool:
    """Whether `K.set_value(opt.lr, x)` assigns to an optimizer's variable, which is rewritten."""
    call = program.tree.parent(node)
    is_setting = node.attr.value == "set_value"
    given = call.args if is_setting and isinstance(call, cst.Call) else ()
    first = given[0].value if given else None
    return isinstance(first, cst.Attribute) and first.attr.value in {
        "iterations",
        "learning_rate",
        "lr",
    }


def _of_call(node: cst.Call, program: Program) -> Verdict | None:
    path = program.resolver.path(node.func)
    if path is not None and below_keras(path) == "mixed_precision.Policy.from_config":
        return Review(
            "Keras 3's policies take no config with a loss scale",
            "Make the policy by its name.",
        )
    if path is not None and canonical(path) in GRAPH_MODE and _has_optimizers(program):
        return Review(
            "Keras 3 does not run in graphs that a program builds by itself",
            "Run eagerly, or in tf.function; or stay with tf-keras.",
        )
    func = node.func
    if isinstance(func, cst.Attribute) and func.attr.value == "add_weight":
        owner = program.resolver.class_of(func.value)
        if owner is not None and inherits_from_keras(owner.node, program):
            return _of_weight(node, program, WEIGHT_ARGUMENTS)
        if owner is not None and inherits_from_metric(owner.node, program):
            return _of_weight(node, program, METRIC_WEIGHT_ARGUMENTS)
    return None


def _has_optimizers(program: Program) -> bool:
    """Whether the file makes Keras optimizers, or models."""
    kinds = _OPTIMIZERS | {ObjectType.MODEL}
    return any(
        program.types.of(node) & kinds
        for node in program.tree.parents
        if isinstance(node, cst.Call)
    )


def _of_weight(node: cst.Call, program: Program, names: Sequence[str]) -> Verdict | None:
    """Names the arguments of `add_weight` that have no name."""
    unnamed = [argument for argument in node.args if argument.keyword is None]
    if not unnamed:
        return None
    if any(argument.star for argument in unnamed) or len(unnamed) > len(names):
        return Review("`add_weight` of Keras 3 takes the shape first", "Name its arguments.")
    edits = []
    for argument, name in zip(unnamed, names, strict=False):
        start = program.tree.full_span(argument.value)[0]
        edits.append(Edit(start, start, f"{name}="))
    return rewrite("`add_weight` of Keras 3 takes the shape first", edits)


def _of_return(node: cst.Return, program: Program) -> Review | None:
    """Reports a `train_step` of a model that returns a loss by this name."""
    if not isinstance(node.value, cst.Dict):
        return None
    keys = [e.key for e in node.value.elements if isinstance(e, cst.DictElement)]
    texts = [k.evaluated_value for k in keys if isinstance(k, cst.SimpleString)]
    around = list(program.tree.ancestors(node))
    function = next((a for a in around if isinstance(a, cst.FunctionDef)), None)
    owner = next((a for a in around if isinstance(a, cst.ClassDef)), None)
    if "loss" not in texts or function is None or owner is None:
        return None
    if function.name.value not in {"train_step", "test_step"}:
        return None
    if not inherits_from_keras(owner, program):
        return None
    return Review(
        "`fit` of Keras 3 shows the values of its own metrics, of which one is named `loss`, in "
        "the place of what this returns",
        "Return it under another name, or keep it in a metric that `metrics` of the model returns.",
    )
