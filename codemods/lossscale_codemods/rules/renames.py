# SPDX-License-Identifier: Apache-2.0
"""Old names that become new ones, where nothing but the name changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import Occurrence, Program, Role, Usage
from lossscale_codemods.rules.base import (
    Case,
    Found,
    ImportState,
    Review,
    Rewrite,
    Rule,
    Suppressed,
    Verdict,
    rename,
)
from lossscale_codemods.tables.names import Meaning, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental"
_NEW = "tf.keras.mixed_precision"
_V1 = "tf.compat.v1.mixed_precision"
_COMPARED = {
    Usage.TYPE_TEST: "isinstance with the current class",
    Usage.ANNOTATION: "annotated with the current class",
    Usage.CUSTOM_OBJECT: "the current class under its name",
}


_NEVER_TRUE = Review(
    "what the current class makes is of other classes from TensorFlow 2.11 on, so that this is "
    "never true",
    "Ask isinstance(...), which also accepts these classes.",
)


class CompatNames(Rule):
    """With `--target compat`, names of the old API become the same names in compat_lossscale.

    Use this target for programs that need what the current API cannot express: a multiplier other
    than 2, a LossScale subclass of your own, or a policy with a fixed loss scale. Only names
    change. The arguments, the classes and their behavior stay those of TensorFlow 2.0 to 2.3.
    """

    id = "LS001"
    title = "Old names with `--target compat`"
    targets = frozenset([Target.COMPAT])
    invalid = (
        Case(
            "from tensorflow.keras.mixed_precision import experimental as mp\n"
            "opt = mp.LossScaleOptimizer(opt, 'dynamic')\n",
            "from compat_lossscale import experimental as mp\n"
            "opt = mp.LossScaleOptimizer(opt, 'dynamic')\n",
        ),
        Case(
            f"{_HEAD}scale = tf.mixed_precision.experimental.DynamicLossScale(multiplier=4)\n",
            "import compat_lossscale\nscale = compat_lossscale.v1.DynamicLossScale(multiplier=4)\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}manager = tf.contrib.mixed_precision.FixedLossScaleManager(5000)\n",
            review="compat_lossscale does not have",
        ),
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields comparisons of types with the class, whose objects are of several classes."""
        for occurrence in program.references:
            compares = program.usage(occurrence) is Usage.TYPE_COMPARISON
            if compares and occurrence.meaning is Meaning.OPTIMIZER:
                above = program.tree.ancestors(occurrence.node)
                comparison = next(node for node in above if isinstance(node, cst.Comparison))
                yield self.found(comparison, program, _NEVER_TRUE)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells what compat_lossscale has."""
        if occurrence.role is Role.UNRESOLVED or not occurrence.names:
            return None
        if not all(old.new_paths(program.target) for old in occurrence.names):
            return Review(
                "compat_lossscale does not have this name",
                "Move to tf.compat.v1.mixed_precision, or to the non-experimental Keras API.",
            )
        if occurrence.meaning is Meaning.MODULE and program.usage(occurrence) is Usage.MEMBER:
            return Review(
                "compat_lossscale does not have what is taken from this module",
                "Take it from where it is public, or do without it.",
            )
        return rename("the same name in compat_lossscale", occurrence)


class TypeTests(Rule):
    """Type tests and annotations with an old class get the new class.

    In TensorFlow 2.4, the old class is a subclass of the new one. Since TensorFlow 2.11, objects
    have several classes that all inherit from the new one, so `isinstance` stays right. A
    comparison of types, `type(opt) == LossScaleOptimizer`, is never true then, and is reported. So
    is the class as a custom object, which tf-keras cannot load, and does not need.
    """

    id = "LS401"
    title = "isinstance, annotations, custom objects"
    not_handled = "Names that look like an old class and are not TensorFlow's."
    invalid = (
        Case(
            f"{_HEAD}ok = isinstance(opt, (tf.Module, {_OLD}.LossScaleOptimizer))\n",
            f"{_HEAD}ok = isinstance(opt, (tf.Module, {_NEW}.LossScaleOptimizer))\n",
        ),
        Case(
            f"{_HEAD}def f(policy: {_OLD}.Policy) -> {_OLD}.LossScaleOptimizer: ...\n",
            f"{_HEAD}def f(policy: {_NEW}.Policy) -> {_NEW}.LossScaleOptimizer: ...\n",
        ),
    )
    valid = (
        Case("ok = isinstance(opt, LossScaleOptimizer)\n"),
        Case(
            f"{_HEAD}known = {{'LossScaleOptimizer': {_OLD}.LossScaleOptimizer}}\n",
            review="as a custom object",
        ),
        Case(f"{_HEAD}if type(opt) == {_OLD}.LossScaleOptimizer:\n    pass\n", review="never true"),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells the class."""
        if occurrence.meaning in (Meaning.MODULE, Meaning.CONTRIB, None):
            return None
        usage = program.usage(occurrence)
        if occurrence.role is not Role.REFERENCE:
            return None
        if usage is Usage.TYPE_COMPARISON and occurrence.meaning in _COMPARED_CLASSES:
            return _NEVER_TRUE
        is_optimizer = occurrence.meaning is Meaning.OPTIMIZER and program.target is Target.TF_KERAS
        if usage is Usage.CUSTOM_OBJECT and is_optimizer:
            return Review(
                "tf-keras cannot load the current class as a custom object, because it has no "
                "from_config()",
                "Remove it from custom objects: TensorFlow knows its class itself.",
            )
        return rename(_COMPARED[usage], occurrence) if usage in _COMPARED else None


_COMPARED_CLASSES = (Meaning.OPTIMIZER, Meaning.POLICY)


class V1Names(Rule):
    """The v1 wrapper gets its current name, `tf.compat.v1.mixed_precision.*`.

    It wraps v1 optimizers only, and the Keras class refuses these, so it cannot become the Keras
    class. `disable_mixed_precision_graph_rewrite` gets its current name too.
    """

    id = "LS601"
    title = "Names of the v1 API"
    meanings = frozenset({Meaning.V1_OPTIMIZER, Meaning.REWRITE_OFF})
    not_handled = (
        "Base classes (LS204), names that are passed on (LS205) and attributes of the class."
    )
    invalid = (
        Case(
            f"{_HEAD}opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, 64)\n",
            f"{_HEAD}opt = {_V1}.MixedPrecisionLossScaleOptimizer(opt, 64)\n",
        ),
    )
    valid = (Case(f"{_HEAD}opt = {_V1}.MixedPrecisionLossScaleOptimizer(opt, 8)\n"),)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells what is no base class."""
        if program.usage(occurrence) in (Usage.BASE_CLASS, Usage.MEMBER):
            return None
        return rename("the name that is still there under compat.v1", occurrence)


class Imports(Rule):
    """Imports of old names import the new ones, under the name that the file already uses.

    TensorFlow 2.4 moved the Keras mixed precision API out of `experimental`:
    https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. The local name stays, so nothing
    else in the file has to change. The rule removes the import of a name that is no longer used. An
    import that some use still needs stays.

    It does the same for an assigned alias, `mp = tf.keras.mixed_precision.experimental`: it changes
    the right-hand side of the assignment, and follows every use of the alias, in its scope and
    through `self`. A condition may give None instead.
    """

    id = "LS101"
    title = "Imports and aliases"
    targets = frozenset(Target)
    decides_imports = True
    invalid = (
        Case(
            "from tensorflow.keras.mixed_precision import experimental as prec\n"
            "prec.set_policy('mixed_float16')\n",
            "from tensorflow.keras import mixed_precision as prec\n"
            "prec.set_global_policy('mixed_float16')\n",
        ),
        Case(
            "from tensorflow.keras.mixed_precision.experimental import Policy, set_policy\n"
            "set_policy(Policy('mixed_float16'))\n",
            "from tensorflow.keras.mixed_precision import Policy, set_global_policy as set_policy\n"
            "set_policy(Policy('mixed_float16'))\n",
        ),
        Case(
            f"{_HEAD}mp = {_OLD} if AMP else None\nif mp: mp.set_policy('mixed_float16')\n",
            f"{_HEAD}mp = {_NEW} if AMP else None\nif mp: mp.set_global_policy('mixed_float16')\n",
        ),
    )
    valid = (
        Case(
            "from tensorflow.keras.mixed_precision.experimental import *\nprint(1)\n",
            review="which names it brings in cannot be seen here",
        ),
        Case(
            "from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer\n"
            "class Mine(LossScaleOptimizer):\n"
            "    pass\n",
            review="the import stays as it is: line 2 still needs it",
        ),
        Case(f"{_HEAD}mp = {_OLD}\nconfigure(mp)\n", review="must stay what it is"),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Renames what an alias stands for; whether the alias can move is decided with its uses."""
        if occurrence.role is Role.REFERENCE and program.usage(occurrence) is Usage.ALIAS:
            return rename("the alias stands for the new name", occurrence)
        return None

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict:
        """Says which name is imported now, or why the old one still is."""
        if state.moved:
            return _in_imports("imports the name that means the same today")
        if state.dropped:
            return _in_imports("is no longer imported, because nothing uses it")
        if state.only_suppressed:
            return Suppressed()
        reason, advice = state.reason, "Change those uses first, then run again."
        if state.star:
            reason = reason or "which names it brings in cannot be seen here"
            advice = "Import the names that are still needed from where they are today."
        elif not occurrence.names[0].new:
            reason = reason or f"{occurrence.names[0].path} has no equivalent"
        reason = reason or "the names under it are still used"
        return Review(f"the import stays as it is: {reason}", advice, follows=state.follows)


def _in_imports(message: str) -> Rewrite:
    """Returns the verdict; the edits are made where imports are put together."""
    return Rewrite(message, lambda _: [])
