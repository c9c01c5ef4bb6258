# SPDX-License-Identifier: Apache-2.0
"""`opt.loss_scale()` becomes `opt.loss_scale`, which is the scale itself today.

Since TensorFlow 2.4, `loss_scale` is not an object that you call:
https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. The rule changes proven loss-scale
optimizers only: objects that the constructor created, that `isinstance` tests, or that are
annotated. With `--unsafe-fixes`, a name that looks like an optimizer is enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import (
    ATTRIBUTES,
    attribute_owner,
    class_with_old_base,
)
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.what_is import loss_scale_optimizer
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.attribute_reads import attributes, called, replace, rewrite
from lossscale_codemods.vocabulary.names import WITH_LOSS_SCALE
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_HEAD = (
    "import tensorflow as tf\n"
    "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
)
_NEW_HEAD = "import tensorflow as tf\nopt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"


class LossScaleCalls(Rule):
    """Takes the call off."""

    id = "LS301"
    title = "Calls of `optimizer.loss_scale()`"
    targets = WITH_LOSS_SCALE
    invalid = (
        Case(f"{_HEAD}print(opt.loss_scale())\n", f"{_NEW_HEAD}print(opt.loss_scale)\n"),
        Case(
            f"{_HEAD}scale = opt.loss_scale().numpy()\n",
            f"{_NEW_HEAD}scale = opt.loss_scale.numpy()\n",
        ),
        Case(f"{_HEAD}print(opt._loss_scale())\n", f"{_NEW_HEAD}print(opt.loss_scale)\n"),
        Case(f"{_HEAD}print((opt.loss_scale)())\n", f"{_NEW_HEAD}print((opt.loss_scale))\n"),
        Case(
            f"{_HEAD}print(getattr(opt, 'loss_scale')())\n",
            f"{_NEW_HEAD}print(getattr(opt, 'loss_scale'))\n",
        ),
    )
    valid = (
        Case(
            "import tensorflow as tf  # LossScale\n"
            "def log(optimizer):\n    print(optimizer.loss_scale())\n",
            review="not proven",
            unsafe="import tensorflow as tf  # LossScale\n"
            "def log(optimizer):\n    print(optimizer.loss_scale)\n",
        ),
        Case(
            f"{_HEAD}def log(x):\n    print(x.loss_scale())\n",
            f"{_NEW_HEAD}def log(x):\n    print(x.loss_scale())\n",
            review="not proven",
            unsafe=f"{_NEW_HEAD}def log(x):\n    print(x.loss_scale)\n",
        ),
        Case(
            "import tensorflow as tf\n"
            "class Mine(tf.keras.mixed_precision.experimental.LossScaleOptimizer):\n"
            "    def log(self):\n"
            "        print(self.loss_scale())\n",
            review="belongs to the class Mine",
        ),
        Case("import tensorflow as tf  # LossScale\nprint(config.loss_scale())\n"),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields `x.loss_scale()` where x is, or can be, a loss-scale optimizer."""
        for node in (*attributes(program, *ATTRIBUTES), *self._by_name(program)):
            owner = attribute_owner(node, program.resolver)
            if owner is None or called(program, node) is None:
                continue
            if loss_scale_optimizer(owner, program).can_be:
                yield Occurrence(node, program.tree.span(node), Role.FOUND, rule=self.id)

    @staticmethod
    def _by_name(program: Program) -> Iterator[cst.Call]:
        """Yields `getattr(x, "loss_scale")`."""
        if b"getattr" in program.tree.text:
            for node in program.tree.parents:
                if isinstance(node, cst.Call) and attribute_owner(node, program.resolver):
                    yield node

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Takes the call off, if the object is proven."""
        node = occurrence.node
        if occurrence.rule != self.id:
            return None
        call, owner = called(program, node), attribute_owner(node, program.resolver)
        if call is None or owner is None:
            return None
        if isinstance(node, cst.Call) and len(node.args) > 2:
            return Review(
                "what getattr gives is called, and of a loss-scale optimizer it is a tensor now",
                "Take off the (), and give getattr a default that is a number.",
            )
        uncalled = rewrite(
            "the scale itself, which is no longer called", self._edits(node, program)
        )
        answer = loss_scale_optimizer(owner, program)
        if answer.is_sure:
            return uncalled
        own = class_with_old_base(owner, program.resolver)
        if own is not None:
            return Review(
                f"it belongs to the class {own.name.value}, whose base class stays as it is",
                "Change the base class first: `loss_scale` of the current one is not called.",
            )
        return Review(
            answer.reason,
            "If it is one, take off the (): from TensorFlow 2.4 on `loss_scale` is the scale.",
            unsafe_fix=uncalled,
        )

    @staticmethod
    def _edits(node: cst.CSTNode, program: Program) -> list[Edit]:
        call = called(program, node)
        assert call is not None
        if isinstance(node, cst.Attribute) and not node.lpar:
            return replace(program, call, node.value, ".loss_scale")
        edits = [Edit(program.tree.full_span(node)[1], program.tree.span(call)[1], "")]
        name = node.attr if isinstance(node, cst.Attribute) else None
        if name is not None and name.value != "loss_scale":
            edits.append(Edit(*program.tree.span(name), "loss_scale"))
        if isinstance(node, cst.Call):
            start, end = program.tree.span(node.args[1].value)
            text = program.tree.slice((start, end))
            edits.append(Edit(start, end, text.replace("_loss_scale", "loss_scale")))
        return edits
