# SPDX-License-Identifier: Apache-2.0
"""Classes that derive from an old class, or from the optimizer of today."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import (
    Occurrence,
    Program,
    Role,
    Usage,
    is_part_of_old,
    keras_optimizer,
    loss_scale_optimizer,
)
from lossscale_codemods.rules.base import Case, Found, Ignore, Review, Rule, Verdict, rename
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import names
from lossscale_codemods.tables.frameworks import is_new_optimizer
from lossscale_codemods.tables.names import Meaning, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = "import tensorflow as tf\n"
_SCALES = frozenset({Meaning.LOSS_SCALE, Meaning.FIXED, Meaning.DYNAMIC})
_SUBCLASS = Review(
    "a subclass depends on the constructor and the private parts of the old class",
    "Wrap the optimizer instead of inheriting, or keep the class with `--target compat`.",
)
_AT_RUN_TIME = Review(
    "if this optimizer is a loss-scale optimizer, it has another constructor from TensorFlow 2.11 "
    "on than an `__init__` for this class expects",
    "Derive the class from the optimizer inside, and wrap what it makes with LossScaleOptimizer.",
)


class LossScales(Rule):
    """`DynamicLossScale` and related classes move to `compat.v1`, outside of optimizer arguments.

    The Keras optimizer no longer accepts them, but the classes still exist as
    `tf.compat.v1.mixed_precision.DynamicLossScale` and behave as before. A class that inherits from
    them is reported. To derive it from these is an unsafe fix if it inherits from the class under a
    name of TensorFlow 1, whose optimizers take it as before.
    """

    id = "LS203"
    title = "Loss scale classes"
    meanings = frozenset({*_SCALES, Meaning.LOSS_SCALE_GET})
    explains = meanings
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
            f"{_HEAD}class Mine(tf.compat.v1.train.experimental.LossScale):\n    pass\n",
            review="no current Keras optimizer takes a loss scale of your own",
            unsafe=f"{_HEAD}class Mine(tf.compat.v1.mixed_precision.LossScale):\n    pass\n",
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
        if program.usage(occurrence) is Usage.BASE_CLASS:
            paths = program.today.paths(occurrence.node)
            # Only older versions may come to the import of the old class.
            is_old = any(path is not None and names.lookup(path) for path in paths)
            return _loss_scale_of_your_own(occurrence) if is_old else Ignore()
        call = program.call(occurrence)
        taker = program.tree.taker_of(call) if call is not None else None
        if taker is not None and any(
            one.node is taker.func and one.meaning is Meaning.OPTIMIZER
            for one in program.references
        ):
            return Ignore()  # It stays with that constructor, which is reported.
        return rename("the class that is still there under compat.v1", occurrence)


def _loss_scale_of_your_own(occurrence: Occurrence) -> Review:
    is_v1 = bool(occurrence.names) and all(old.v1 for old in occurrence.names)
    renamed = rename("the class that is still there under compat.v1", occurrence)
    return Review(
        "no current Keras optimizer takes a loss scale of your own",
        "Keep it with `--target compat`, or use LossScaleOptimizer's own arguments. If only "
        "optimizers of TensorFlow 1 get it, derive it from the class in "
        "tf.compat.v1.mixed_precision.",
        unsafe_fix=renamed if is_v1 else None,
    )


class Subclasses(Rule):
    """A subclass of an old optimizer is reported.

    The parameters of `super().__init__` changed, and since TensorFlow 2.11 the public class creates
    objects of other classes, so a subclass of it cannot be created. The v1 optimizer still exists
    under another name, and has other private methods under `compat-lossscale run`, so to derive a
    class from that is an unsafe fix.
    """

    id = "LS204"
    title = "Subclasses"
    valid = (
        Case(
            f"{_HEAD}class Mine(tf.train.experimental.MixedPrecisionLossScaleOptimizer):\n"
            "    pass\n",
            review="a subclass",
            unsafe=f"{_HEAD}class Mine("
            "tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer):\n    pass\n",
        ),
        Case(
            f"{_HEAD}class Mine(tf.keras.mixed_precision.experimental.LossScaleOptimizer):\n"
            "    pass\n",
            review="a subclass",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports base classes."""
        if occurrence.meaning in _SCALES or program.usage(occurrence) is not Usage.BASE_CLASS:
            return None
        if occurrence.meaning is Meaning.V1_OPTIMIZER:
            return Review(
                "a subclass depends on the private parts of the old class",
                "If it overrides public methods alone, derive it from MixedPrecisionLossScale"
                "Optimizer of tf.compat.v1.mixed_precision.",
                unsafe_fix=rename("the class that is still there under compat.v1", occurrence),
            )
        return None if _derives_from_today(occurrence, program) else _SUBCLASS


class DerivedClasses(Rule):
    """A class that is derived from the current optimizer is reported, in a program with old names.

    Since TensorFlow 2.11, the public class creates objects of other classes, so no object of a
    subclass can be created. `type(name, (optimizer.__class__,), members)` makes a subclass too. If
    `optimizer` can be a loss-scale optimizer, the rule reports that. These are not old names. They
    are reported because the program reaches them once its old names are migrated.
    """

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

    def find(self, program: Program) -> Iterator[Found]:
        """Yields base classes that are the class of today, as where guards were collapsed."""
        if program.target is not Target.TF_KERAS:
            return
        for node in program.tree.nodes(cst.Call, cst.ClassDef):
            if isinstance(node, cst.Call) and _is_derived_at_run_time(node, program):
                yield self.found(node, program, _AT_RUN_TIME, Role.OPTIMIZER)
            for base in node.bases if isinstance(node, cst.ClassDef) else ():
                paths = program.resolver.paths(base.value)
                if paths and all(p is not None and is_new_optimizer(p) for p in paths):
                    yield self.found(base.value, program)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports classes that are made of the optimizer of today."""
        if not _derives_from_today(occurrence, program):
            return None
        when = "on new versions " if occurrence.ambiguous else ""
        return Review(
            f"{when}this is a subclass of the current class, of which no object can be made "
            "from TensorFlow 2.11 on",
            "Wrap the optimizer instead of inheriting.",
        )


def _derives_from_today(occurrence: Occurrence, program: Program) -> bool:
    """Whether an occurrence is a base class that is the optimizer of today, on some version."""
    return program.usage(occurrence) is Usage.BASE_CLASS and any(
        path is not None and is_new_optimizer(path) for path in program.today.paths(occurrence.node)
    )


def _is_derived_at_run_time(node: cst.Call, program: Program) -> bool:
    """Whether a call makes a class from that of an optimizer: `type(x, (opt.__class__,), y)`."""
    if dotted(node.func) != "type" or len(node.args) != 3 or not is_part_of_old(program):
        return False
    bases = node.args[1].value
    return isinstance(bases, cst.Tuple) and any(
        isinstance(base.value, cst.Attribute)
        and base.value.attr.value == "__class__"
        and keras_optimizer(base.value.value, program).can_be
        and loss_scale_optimizer(base.value.value, program).can_be
        for base in bases.elements
    )
