# SPDX-License-Identifier: Apache-2.0
"""Other differences of Keras 3 are reported.

| use | in Keras 3 |
| --- | --- |
| `variable.dtype.name` | `dtype` is text |
| `layer.get_config()["dtype"]` | a policy of another class name |
| `history["lr"]`, `logs["lr"]` | the key is `learning_rate` |
| `type(opt).__mro__` | other base classes |
| `clear_session()` | the global policy is `float32` after it |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.keras_3_places import Places, optimizer_kinds
from lossscale_codemods.vocabulary.names import WITH_KERAS_3, Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

_VARIABLES = frozenset({
    "non_trainable_variables", "non_trainable_weights", "trainable_variables", "trainable_weights",
    "variables", "weights",
})  # fmt: skip
_OF_DTYPES = frozenset({
    "as_numpy_dtype", "base_dtype", "is_bool", "is_floating", "is_integer", "limits", "max", "min",
    "name", "real_dtype", "size",
})  # fmt: skip
"""Members of `tf.DType`."""
_BASES = ("__mro__", "__bases__", "__base__", "mro")
_LOGS = ("history", "logs")
_LOG_THE_RATE = frozenset({"ReduceLROnPlateau", "LearningRateScheduler"})
"""Callbacks that write the learning rate into the logs."""
_HEAD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
_NEW_HEAD = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
_LAYER = "layer = tf.keras.layers.Dense(1)\n"


class Keras3Values(Rule):
    """Reports what is read of variables, configs, logs and classes, and `clear_session`."""

    id = "LS325"
    title = "Other differences of Keras 3"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3
    valid = (
        Case(
            f"{_HEAD}{_LAYER}print([one.dtype.name for one in layer.weights])\n",
            f"{_NEW_HEAD}{_LAYER}print([one.dtype.name for one in layer.weights])\n",
            review="is text",
        ),
        Case(
            f"{_HEAD}{_LAYER}print(layer.get_config()['dtype'])\n",
            f"{_NEW_HEAD}{_LAYER}print(layer.get_config()['dtype'])\n",
            review="another form",
        ),
        Case(
            f"{_HEAD}print(model.fit(data).history['lr'])\n",
            f"{_NEW_HEAD}print(model.fit(data).history['lr'])\n",
            review="learning_rate",
        ),
        Case(
            f"{_HEAD}{_LAYER}print(layer(inputs).dtype.name)\n",
            f"{_NEW_HEAD}{_LAYER}print(layer(inputs).dtype.name)\n",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields what is read of each such value."""
        if not is_part_of_old(program):
            return
        places = Places(program, self.id)
        for node in list(program.tree.parents):
            if _verdict(node, program) is not None and not places.is_for_old(node):
                yield places.occurrence(node)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Says what Keras 3 gives."""
        return _verdict(occurrence.node, program) if occurrence.rule == self.id else None


def _verdict(node: cst.CSTNode, program: Program) -> Review | None:
    match node:
        case cst.Call(
            func=cst.Name("clear_session") | cst.Attribute(attr=cst.Name("clear_session"))
        ):
            return _of_clearing(program)
        case cst.Attribute(value=cst.Attribute(value=owner, attr=cst.Name("dtype"))):
            return _of_dtype(node, owner, program)
        case cst.Attribute(attr=cst.Name(name)) if name in _BASES:
            return Review(
                "classes of Keras 3 have other base classes",
                "Test with isinstance() for `keras.optimizers.Optimizer`.",
            )
        case cst.Attribute(attr=cst.Name(name)) if name in _LOGS:
            return _of_all_logs(node, program)
        case cst.Subscript(value=cst.Call() as call) if _key(node) == "dtype":
            return _of_config(call, program)
        case cst.Subscript(value=cst.Name(name) | cst.Attribute(attr=cst.Name(name))) if (
            _key(node) == "lr" and name in _LOGS
        ):
            return Review(
                "Keras 3 logs the learning rate as `learning_rate`", "Read it under that name."
            )
    return None


def _of_clearing(program: Program) -> Review | None:
    if not any(one.meaning is Meaning.SET_POLICY for one in program.references):
        return None
    return Review(
        "in Keras 3, clear_session() also resets the global policy",
        "Set the policy again after it.",
    )


def _of_dtype(node: cst.Attribute, owner: cst.BaseExpression, program: Program) -> Review | None:
    if node.attr.value not in _OF_DTYPES or not _is_variable(owner, program):
        return None
    return Review(
        "the dtype of a variable is text in Keras 3", "Give it to `tf.as_dtype`, which takes both."
    )


def _is_variable(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is an element of a list such as `model.weights`."""
    if isinstance(node, cst.Subscript):
        return _are_variables(node.value)
    if not isinstance(node, cst.Name):
        return False
    for above in program.tree.ancestors(node):
        match above:
            case cst.For(target=cst.Name(value=name), iter=values) if name == node.value:
                return _are_variables(values)
            case cst.BaseComp(for_in=cst.CompFor(target=cst.Name(value=name), iter=values)) if (
                name == node.value
            ):
                return _are_variables(values)
    return False


def _are_variables(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value in _VARIABLES


def _of_config(call: cst.Call, program: Program) -> Review | None:
    match call.func:
        case cst.Attribute(value=owner, attr=cst.Name("get_config")):
            if not optimizer_kinds(owner, program):
                return Review(
                    "Keras 3 writes the dtype of a layer in another form",
                    "Ask the layer: `compute_dtype`, `variable_dtype`, `dtype_policy.name`.",
                )
    return None


def _of_all_logs(node: cst.Attribute, program: Program) -> Review | None:
    """Reports logs that are read as a whole, where a callback writes the learning rate there."""
    above = program.tree.parent(node)
    if isinstance(above, cst.Subscript | cst.Attribute) and above.value is node:
        whole = isinstance(above, cst.Attribute) and above.attr.value in {"items", "keys"}
        if not whole:
            return None
    if not program.reads_by_attribute.keys() & _LOG_THE_RATE:
        return None
    return Review(
        "Keras 3 logs the learning rate as `learning_rate`, tf-keras as `lr`",
        "Expect the other key.",
    )


def _key(subscript: cst.Subscript) -> str | None:
    index = subscript.slice[0].slice
    key = index.value if isinstance(index, cst.Index) else None
    return str(key.evaluated_value) if isinstance(key, cst.SimpleString) else None
