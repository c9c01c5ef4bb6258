# SPDX-License-Identifier: Apache-2.0
"""Type tests, annotations and custom objects with an old class get the new class.

In TensorFlow 2.4 the old class is a subclass of the new one, and from 2.11 on the objects are of
several classes that all inherit from the new one: `isinstance` stays right.
"""

from __future__ import annotations

from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.rules.base import Case, Rule, Verdict, rename
from lossscale_codemods.vocabulary.names import Meaning

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental"
_NEW = "tf.keras.mixed_precision"
_USAGES = {
    Usage.TYPE_TEST: "isinstance with the class of today",
    Usage.ANNOTATION: "annotated with the class of today",
    Usage.CUSTOM_OBJECT: "the class of today under its name",
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
            f"{_HEAD}m = tf.keras.models.load_model(p, custom_objects="
            f"{{'LossScaleOptimizer': {_NEW}.LossScaleOptimizer}})\n",
        ),
    )
    valid = (Case("ok = isinstance(opt, LossScaleOptimizer)\n"),)

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
        return rename(_USAGES[usage], occurrence)
