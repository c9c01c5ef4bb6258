# SPDX-License-Identifier: Apache-2.0
"""Type tests, annotations and custom objects with an old class get the new class.

In TensorFlow 2.4, the old class is a subclass of the new one. Since TensorFlow 2.11, objects have
several classes that all inherit from the new one, so `isinstance` stays right. tf-keras cannot load
the class as a custom object, and does not need it as one, so the rule removes it from
`custom_objects`.
"""

from __future__ import annotations

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.editing.edits import remove_item
from lossscale_codemods.rules.base import Case, Review, Rewrite, Rule, Verdict, rename
from lossscale_codemods.vocabulary.names import Meaning, Target

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental"
_NEW = "tf.keras.mixed_precision"
_USAGES = {
    Usage.TYPE_TEST: "isinstance with the current class",
    Usage.ANNOTATION: "annotated with the current class",
    Usage.CUSTOM_OBJECT: "the current class under its name",
}


class TypeTests(Rule):
    """Respells classes that are only compared with."""

    id = "LS401"
    title = "isinstance, annotations, custom objects"
    not_handled = "Names that look like an old class and are not TensorFlow's."
    invalid = (
        Case(
            f"{_HEAD}ok = isinstance(opt, (tf.Module, {_OLD}.LossScaleOptimizer))\n",
            f"{_HEAD}ok = isinstance(opt, (tf.Module, {_NEW}.LossScaleOptimizer))\n",
        ),
        Case(
            f"{_HEAD}def f(policy: {_OLD}.Policy) -> 'tf.keras.mixed_precision.experimental"
            ".LossScaleOptimizer': ...\n",
            f"{_HEAD}def f(policy: {_NEW}.Policy) -> 'tf.keras.mixed_precision"
            ".LossScaleOptimizer': ...\n",
        ),
        Case(
            f"{_HEAD}m = tf.keras.models.load_model(p, custom_objects="
            f"{{'LossScaleOptimizer': {_OLD}.LossScaleOptimizer}})\n",
            f"{_HEAD}m = tf.keras.models.load_model(p, custom_objects={{}})\n",
        ),
    )
    valid = (
        Case("ok = isinstance(opt, LossScaleOptimizer)\n"),
        Case(
            f"{_HEAD}known = {{'LossScaleOptimizer': {_OLD}.LossScaleOptimizer}}\n",
            review="as a custom object",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells the class."""
        if occurrence.meaning in (Meaning.MODULE, Meaning.CONTRIB, None):
            return None
        if occurrence.role is Role.ANNOTATION_STRING:
            usage = Usage.ANNOTATION
        elif occurrence.role is Role.REFERENCE:
            usage = program.usage(occurrence)
        else:
            return None
        if usage not in _USAGES:
            return None
        is_optimizer = occurrence.meaning is Meaning.OPTIMIZER and program.target is Target.TF_KERAS
        if usage is Usage.CUSTOM_OBJECT and is_optimizer:
            return self._custom_object(occurrence, program)
        return rename(_USAGES[usage], occurrence)

    @staticmethod
    def _custom_object(occurrence: Occurrence, program: Program) -> Verdict:
        """Takes the optimizer out of custom objects: today's cannot be loaded through them."""
        element = program.tree.parent(occurrence.node)
        table = program.tree.parent(element) if element is not None else None
        argument = program.tree.parent(table) if table is not None else None
        if (
            isinstance(element, cst.DictElement)
            and isinstance(table, cst.Dict)
            and isinstance(argument, cst.Arg)
            and argument.keyword is not None
            and argument.keyword.value == "custom_objects"
        ):
            edits = remove_item(program.tree, table.elements, [element])
            return Rewrite("TensorFlow knows its class itself", lambda _: edits, keeps_name=False)
        return Review(
            "tf-keras cannot load the current class as a custom object, because it has no "
            "from_config()",
            "Remove it from custom objects: TensorFlow knows its class itself.",
        )
