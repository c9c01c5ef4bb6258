# SPDX-License-Identifier: Apache-2.0
"""A class that is derived from the current optimizer is reported, in a program with old names.

Since TensorFlow 2.11, the public class creates objects of other classes, so no object of a subclass
can be created. `type(name, (optimizer.__class__,), members)` makes a subclass too. If `optimizer`
can be a loss-scale optimizer, the rule reports that. These are not old names. They are reported
because the program reaches them once its old names are migrated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.vocabulary.frameworks import is_new_optimizer
from lossscale_codemods.vocabulary.names import Target

if TYPE_CHECKING:
    from collections.abc import Iterator


class DerivedClasses(Rule):
    """Reports classes that are derived from the optimizer of today."""

    id = "LS206"
    title = "Subclasses of the current optimizer"
    valid = (
        Case(
            "try:\n"
            "    from tensorflow.keras.mixed_precision import LossScaleOptimizer as Base\n"
            "except ImportError:\n"
            "    from tensorflow.keras.mixed_precision.experimental import (\n"
            "        LossScaleOptimizer as Base,\n"
            "    )\n"
            "class Mine(Base):\n"
            "    pass\n",
            review="a subclass of the current class",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields base classes that are the class of today, as where guards were collapsed."""
        if program.target is not Target.TF_KERAS:
            return
        for node in program.tree.parents:
            if isinstance(node, cst.Call) and _is_derived_at_run_time(node, program):
                yield Occurrence(node, program.tree.span(node), Role.OPTIMIZER, rule=self.id)
            for base in node.bases if isinstance(node, cst.ClassDef) else ():
                paths = program.resolver.paths(base.value)
                if paths and all(p is not None and is_new_optimizer(p) for p in paths):
                    span = program.tree.span(base.value)
                    yield Occurrence(base.value, span, Role.DOUBTFUL, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports classes that are made of the optimizer of today."""
        if isinstance(occurrence.node, cst.Call) and occurrence.rule == self.id:
            return _AT_RUN_TIME
        if not derives_from_today(occurrence, program):
            return None
        when = "on new versions " if occurrence.ambiguous else ""
        return Review(
            f"{when}this is a subclass of the current class, of which no object can be made "
            "from TensorFlow 2.11 on",
            "Wrap the optimizer instead of inheriting.",
        )


def derives_from_today(occurrence: Occurrence, program: Program) -> bool:
    """Whether an occurrence is a base class that is the optimizer of today, on some version."""
    return program.usage(occurrence) is Usage.BASE_CLASS and any(
        path is not None and is_new_optimizer(path) for path in program.today.paths(occurrence.node)
    )


_AT_RUN_TIME = Review(
    "if this optimizer is a loss-scale optimizer, it has another constructor from TensorFlow 2.11 "
    "on than an `__init__` for this class expects",
    "Derive the class from the optimizer inside, and wrap what it makes with LossScaleOptimizer.",
)


def _is_derived_at_run_time(node: cst.Call, program: Program) -> bool:
    """Whether a call makes a class from that of an optimizer: `type(x, (opt.__class__,), y)`."""
    if dotted(node.func) != "type" or len(node.args) != 3 or not is_part_of_old(program):
        return False
    bases = node.args[1].value
    return isinstance(bases, cst.Tuple) and any(
        isinstance(base.value, cst.Attribute)
        and base.value.attr.value == "__class__"
        and _can_be_loss_scale_optimizer(base.value.value, program)
        for base in bases.elements
    )


def _can_be_loss_scale_optimizer(node: cst.BaseExpression, program: Program) -> bool:
    kinds = program.types.of(node)
    if ObjectType.WRAPPER in kinds:
        return True
    return ObjectType.UNKNOWN in kinds and "opt" in (dotted(node) or "").rpartition(".")[2].lower()
