# SPDX-License-Identifier: Apache-2.0
"""`DynamicLossScale` and related classes move to `compat.v1`, outside of optimizer arguments.

The Keras optimizer no longer accepts them, but the classes still exist as
`tf.compat.v1.mixed_precision.DynamicLossScale` and behave as before. The rule also rewrites a class
that inherits from them, if the program passes loss scale objects to optimizers of TensorFlow 1
only.
"""

from __future__ import annotations

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.occurrences import Occurrence
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.rules.base import Case, Ignore, Review, Rewrite, Rule, Verdict, rename
from lossscale_codemods.rules.shared.v1_subclasses import means_the_same
from lossscale_codemods.vocabulary import names
from lossscale_codemods.vocabulary.names import Meaning

_HEAD = "import tensorflow as tf\n"


class LossScales(Rule):
    """Respells the loss scale classes."""

    id = "LS203"
    title = "Loss scale classes"
    explains = frozenset(
        {Meaning.LOSS_SCALE, Meaning.FIXED, Meaning.DYNAMIC, Meaning.LOSS_SCALE_GET}
    )
    order = 1  # What an optimizer took over is decided with the optimizer.
    invalid = (
        Case(
            f"{_HEAD}scale = tf.mixed_precision.experimental.DynamicLossScale()\nprint(scale())\n",
            f"{_HEAD}scale = tf.compat.v1.mixed_precision.DynamicLossScale()\nprint(scale())\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}class Mine(tf.mixed_precision.experimental.LossScale):\n    pass\n",
            review="no current Keras optimizer takes a loss scale of your own",
        ),
        Case(
            f"{_HEAD}class Mine(tf.train.experimental.DynamicLossScale):\n    pass\n"
            "opt = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(opt, Mine())\n",
            review="no current Keras optimizer takes a loss scale of your own",
            unsafe=f"{_HEAD}class Mine(tf.compat.v1.mixed_precision.DynamicLossScale):\n    pass\n"
            "opt = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(opt, Mine())\n",
        ),
        Case(
            "import tensorflow as tf\n"
            "from mine import Base\n"
            "if tuple(map(int, tf.__version__.split('.')[:2])) < (2, 4):\n"
            "    from tensorflow.mixed_precision.experimental import DynamicLossScale as Base\n"
            "class Mine(Base):\n    pass\n",
            review="the branch for old versions",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells what is no base class."""
        if occurrence.meaning is Meaning.LOSS_SCALE_GET:
            return Review(
                "it is a private function of TensorFlow that has no public equivalent",
                "Pass the number, or leave the loss scale out, instead of converting it.",
            )
        if occurrence.meaning not in (Meaning.DYNAMIC, Meaning.FIXED, Meaning.LOSS_SCALE):
            return None
        if program.usage(occurrence) is Usage.BASE_CLASS:
            paths = program.today.paths(occurrence.node)
            if not any(path is not None and names.lookup(path) for path in paths):
                return Ignore()  # Only older versions come to the import of the old class.
            return Review(
                "no current Keras optimizer takes a loss scale of your own",
                "Keep it with `--target compat`, or use LossScaleOptimizer's own arguments.",
                unsafe_fix=self._for_v1(occurrence, program),
            )
        wrapper = self._wrapper(occurrence, program)
        if wrapper is not None:
            line = program.line(wrapper)
            return Review(
                f"it belongs to the optimizer on line {line}, which stays as it is",
                "Settle that constructor first.",
            )
        return rename("the class that is still there under compat.v1", occurrence)

    @staticmethod
    def _for_v1(occurrence: Occurrence, program: Program) -> Rewrite | None:
        """Returns what is right if only v1 optimizers, which the file makes, get its objects."""
        makes_v1 = any(
            path is not None and program.types.type_at(path) is ObjectType.V1_WRAPPER
            for node in program.scopes.scope_of_read
            for path in program.resolver.paths(node)
        )
        if not makes_v1 or not means_the_same(occurrence, program):
            return None
        return rename("the class that is still there under compat.v1", occurrence)

    @staticmethod
    def _wrapper(occurrence: Occurrence, program: Program) -> cst.Call | None:
        """Returns the call of the Keras optimizer that gets an object of this class."""
        call = program.call(occurrence)
        if call is None:
            return None
        places: list[cst.CSTNode] = [call]
        statement = program.tree.parent(call)
        if isinstance(statement, cst.Assign):
            for target in statement.targets:
                for binding in program.scopes.binding_at.get(target.target, []):
                    places += binding.uses
        for place in places:
            argument = program.tree.parent(place)
            outer = program.tree.parent(argument) if argument is not None else None
            if not isinstance(argument, cst.Arg) or not isinstance(outer, cst.Call):
                continue
            if outer.func not in program.rewritten:
                paths = program.resolver.paths(outer.func)
                olds = [names.lookup(p) for p in paths if p is not None]
                if any(o is not None and o.meaning is Meaning.OPTIMIZER for o in olds):
                    return outer
        return None
