# SPDX-License-Identifier: Apache-2.0
"""What stops on Keras 3, or trains with another loss, next to loss scaling (`--target keras3`).

Keras 3 refuses what Keras 2 took, and programs of 2019 to 2021 stop there before they train. Layers
want their sizes as Python's `int`, and functions of TensorFlow take no tensor that stands for an
input of a model. An optimizer trains one model, for whose variables it is built. A schedule in
`LearningRateScheduler` has to return a `float`, and a custom loss gets its labels in the dtype of
the predictions. Arguments are gone: `target_tensors` of `compile`, `inputs` and `dtype` of
`get_initial_state`, `AUTO` of losses. `compiled_loss` adds the losses of layers, whether it is
given them or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.attribute_reads import rewrite
from lossscale_codemods.rules.shared.keras_3_places import Places, inherits_from_keras
from lossscale_codemods.vocabulary.keras_3_gone import below_keras
from lossscale_codemods.vocabulary.names import WITH_KERAS_3
from lossscale_codemods.vocabulary.paths import canonical
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

_SIZES = {
    **dict.fromkeys(
        ("Dense", "GRU", "GRUCell", "LSTM", "LSTMCell", "SimpleRNN", "SimpleRNNCell"), ("units",)
    ),
    "Embedding": ("input_dim", "output_dim"),
}
"""Layers of Keras 3 that take no other sizes than ints, and their first parameters."""
_INDEXED = {"tensorflow.gather": 1, "tensorflow.one_hot": 0}
"""Functions that need integers, with the place of these."""
_HEAD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
_NEW_HEAD = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
_INPUT = "x = tf.keras.Input((4,))\n"
_LABELS = (
    "def loss(labels, logits):\n    return -tf.reduce_sum(tf.one_hot(labels, 9) * logits)\n"
    "\nmodel.compile('sgd', loss)\n"
)


class Keras3Stops(Rule):
    """Reports what Keras 3 refuses, and makes sizes ints."""

    id = "LS913"
    title = "What stops on Keras 3"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3
    not_handled = "Sizes and tensors that come from another function or file."
    invalid = (
        Case(
            f"{_HEAD}import numpy as np\nlayer = tf.keras.layers.Dense(np.prod(shape))\n",
            f"{_NEW_HEAD}import numpy as np\nlayer = tf.keras.layers.Dense(int(np.prod(shape)))\n",
        ),
        Case(
            f"{_HEAD}loss = tf.keras.losses.Huber(reduction=tf.keras.losses.Reduction.AUTO)\n",
            f"{_NEW_HEAD}loss = tf.keras.losses.Huber(reduction='sum_over_batch_size')\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}{_INPUT}y = tf.reduce_mean(x, axis=1)\n",
            f"{_NEW_HEAD}{_INPUT}y = tf.reduce_mean(x, axis=1)\n",
            review="takes no input of a model",
        ),
        Case(
            f"{_HEAD}opt = tf.keras.optimizers.SGD(0.1)\none.compile(opt)\nother.compile(opt)\n",
            f"{_NEW_HEAD}opt = tf.keras.optimizers.SGD(0.1)\none.compile(opt)\n"
            "other.compile(opt)\n",
            review="trains one model",
        ),
        Case(f"{_HEAD}{_LABELS}", f"{_NEW_HEAD}{_LABELS}", review="are no integers"),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields what Keras 3 refuses."""
        if not is_part_of_old(program):
            return
        places = Places(program, self.id)
        for node in program.tree.parents:
            if (
                isinstance(node, cst.Call | cst.Attribute)
                and not places.is_for_old(node)
                and _verdict(node, program) is not None
            ):
                yield places.occurrence(node)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Says why it stops, and what to do."""
        node = occurrence.node
        if occurrence.rule != self.id or not isinstance(node, cst.Call | cst.Attribute):
            return None
        return _verdict(node, program)


def _verdict(node: cst.Call | cst.Attribute, program: Program) -> Verdict | None:
    if isinstance(node, cst.Attribute):
        return _of_attribute(node, program)
    path = program.resolver.path(node.func)
    if path is not None:
        below = below_keras(path)
        if below:
            return _of_size(node, below, program) or _of_schedule(node, below, program)
        return _of_function(node, canonical(path), program)
    if isinstance(node.func, cst.Attribute):
        return _METHODS.get(node.func.attr.value, _nothing)(node, program)
    return None


def _of_attribute(node: cst.Attribute, program: Program) -> Verdict | None:
    """Of `tf.keras.losses.Reduction.AUTO`, and of the dtype of an input of a model."""
    path = program.resolver.path(node)
    if path is not None and below_keras(path) == "losses.Reduction.AUTO":
        return rewrite(
            "AUTO was this outside of strategies, and losses of Keras 3 have no AUTO",
            [Edit(*program.tree.span(node), "'sum_over_batch_size'")],
        )
    owner = node.value
    if (
        node.attr.value == "name"
        and isinstance(owner, cst.Attribute)
        and owner.attr.value == "dtype"
        and _is_symbolic(owner.value, program)
    ):
        return Review(
            "the dtype of an input of a model is a string in Keras 3", "Leave out `.name`."
        )
    return None


def _of_size(node: cst.Call, below: str, program: Program) -> Verdict | None:
    names = _SIZES.get(below.removeprefix("layers."), ())
    edits = []
    for place, argument in enumerate(node.args):
        keyword = argument.keyword.value if argument.keyword is not None else None
        is_size = keyword in names if keyword is not None else place < len(names)
        if is_size and not argument.star and _is_no_int(argument.value, program):
            start, end = program.tree.full_span(argument.value)
            edits += [Edit(start, start, "int("), Edit(end, end, ")")]
    return (
        rewrite("Keras 3 takes Python's int alone for the size of a layer", edits)
        if edits
        else None
    )


def _is_no_int(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is a number of NumPy or TensorFlow, or a quotient."""
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, cst.Divide)
    path = program.resolver.path(node.func) if isinstance(node, cst.Call) else None
    return path is not None and canonical(path).startswith(("numpy.", "tensorflow."))


def _of_schedule(node: cst.Call, below: str, program: Program) -> Verdict | None:
    if below != "callbacks.LearningRateScheduler" or not node.args:
        return None
    for value in _values(node.args[0].value, program):
        path = program.resolver.path(value.func) if isinstance(value, cst.Call) else None
        if path is not None and ".schedules." in path:
            return Review(
                "LearningRateScheduler of Keras 3 wants a float, and this gives a tensor",
                "Give it `lambda epoch: float(schedule(epoch))`.",
            )
    return None


def _of_function(node: cst.Call, path: str, program: Program) -> Verdict | None:
    """Of a function of TensorFlow that gets an input of a model, or labels as indices."""
    if not path.startswith("tensorflow."):
        return None
    given = [argument.value for argument in node.args]
    lists = [one for one in given if isinstance(one, cst.List | cst.Tuple)]
    given += [element.value for one in lists for element in one.elements]
    if any(_is_symbolic(one, program) for one in given):
        return Review(
            "a function of TensorFlow takes no input of a model, nor what Keras 3 computes of one",
            "Use keras.ops, or call the function in a layer, such as tf.keras.layers.Lambda.",
        )
    place = _INDEXED.get(path, len(node.args))
    if place < len(node.args) and _is_label(node.args[place].value, program):
        return Review(
            "Keras 3 gives a loss its labels in the dtype of the predictions, so they are no "
            "integers",
            "Cast them: tf.cast(labels, tf.int32).",
        )
    return None


def _is_symbolic(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is an input of a model, or what a layer makes of one in this file."""
    values = _values(node, program)
    return bool(values) and all(_makes_symbolic(value, program) for value in values)


def _makes_symbolic(value: cst.BaseExpression, program: Program) -> bool:
    if not isinstance(value, cst.Call):
        return False
    path = program.resolver.path(value.func)
    if path is not None:
        return below_keras(path) in {"Input", "layers.Input"}
    if not isinstance(value.func, cst.Call) or not value.args:
        return False
    layer = program.resolver.path(value.func.func)
    is_layer = layer is not None and below_keras(layer).startswith("layers.")
    return is_layer and _is_symbolic(value.args[0].value, program)


def _values(node: cst.BaseExpression, program: Program) -> list[cst.BaseExpression]:
    """Returns what an expression is: itself, or all values of a name; nothing if one is unknown."""
    if not isinstance(node, cst.Name):
        return [node]
    bindings = program.resolver.bindings(node)
    values = [one.value for one in bindings if one.value is not None and one.name == node.value]
    known = [one for one in values if not isinstance(one, cst.Name)]
    return known if len(known) == len(bindings) else []


def _is_label(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression is the first parameter of a function that a model is compiled with."""
    if not isinstance(node, cst.Name):
        return False
    function = next(
        (one for one in program.tree.ancestors(node) if isinstance(one, cst.FunctionDef)), None
    )
    if function is None or len(function.params.params) != 2:
        return False
    return function.params.params[0].name.value == node.value and any(
        isinstance(argument.value, cst.Name) and argument.value.value == function.name.value
        for call in program.tree.parents
        if isinstance(call, cst.Call) and _is_compile(call)
        for argument in call.args
    )


def _is_compile(node: cst.Call) -> bool:
    return isinstance(node.func, cst.Attribute) and node.func.attr.value == "compile"


def _of_compile(node: cst.Call, program: Program) -> Verdict | None:
    """Of `compile` with an argument that is gone, or with the optimizer of another model."""
    keywords = {one.keyword.value for one in node.args if one.keyword is not None}
    for gone in sorted(keywords & {"sample_weight_mode", "target_tensors"}):
        return Review(f"`compile` of Keras 3 has no {gone}", "Leave it out.")
    name = _optimizer_of(node)
    if name is None:
        return None
    bindings = program.resolver.bindings(name)
    receiver = _receiver(node)
    for other in program.tree.parents:
        if other is node or not isinstance(other, cst.Call) or not _is_compile(other):
            continue
        given = _optimizer_of(other)
        is_before = program.tree.span(other)[0] < program.tree.span(node)[0]
        if given is None or not is_before or _receiver(other) == receiver:
            continue
        if given.value == name.value and bindings == program.resolver.bindings(given):
            return Review(
                "an optimizer of Keras 3 trains one model, and another is compiled with this one",
                "Make an optimizer for each model: type(opt).from_config(opt.get_config()).",
            )
    return None


def _receiver(node: cst.Call) -> str | None:
    return dotted(node.func.value) if isinstance(node.func, cst.Attribute) else None


def _optimizer_of(node: cst.Call) -> cst.Name | None:
    """Returns the name that a call of `compile` gives as the optimizer."""
    for place, argument in enumerate(node.args):
        keyword = argument.keyword.value if argument.keyword is not None else None
        if keyword == "optimizer" or (keyword is None and place == 0 and not argument.star):
            return argument.value if isinstance(argument.value, cst.Name) else None
    return None


def _of_compiled_loss(node: cst.Call, program: Program) -> Verdict | None:
    func = node.func
    owner = program.resolver.class_of(func.value) if isinstance(func, cst.Attribute) else None
    if owner is None or not inherits_from_keras(owner.node, program):
        return None
    if any(one.keyword and one.keyword.value == "regularization_losses" for one in node.args):
        return None
    return Review(
        "`compiled_loss` of Keras 3 adds the losses of layers, which were left out here",
        "Call the loss function itself to leave them out.",
    )


def _of_initial_state(node: cst.Call, program: Program) -> Verdict | None:
    del program
    keywords = {one.keyword.value for one in node.args if one.keyword is not None}
    if len(node.args) > 1 or keywords & {"dtype", "inputs"}:
        return Review(
            "get_initial_state of Keras 3 takes the batch size alone",
            "Give it batch_size, and cast the result.",
        )
    return None


def _nothing(node: cst.Call, program: Program) -> Verdict | None:
    del node, program
    return None


_METHODS = {
    "compile": _of_compile,
    "compiled_loss": _of_compiled_loss,
    "get_initial_state": _of_initial_state,
}
