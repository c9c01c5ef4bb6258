# SPDX-License-Identifier: Apache-2.0
"""Attributes of `opt.loss_scale` become attributes of the optimizer.

Since TensorFlow 2.4, `opt.loss_scale` is a tensor, which does not have these attributes:
https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0.

| old | new |
| --- | --- |
| `opt.loss_scale.initial_loss_scale` | `opt.initial_scale` |
| `opt.loss_scale.increment_period` | `opt.dynamic_growth_steps` |
| `opt.loss_scale._loss_scale_value` | `opt.initial_scale` |
| `opt.loss_scale._current_loss_scale` | `opt.loss_scale`, where it is used as a number |
| `opt.loss_scale._num_good_steps` | `opt.dynamic_counter` |

There is no attribute for the multiplier. It is always 2, so the rule writes 2 in its place.

With `--unsafe-fixes`, a name that looks like an optimizer is enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import (
    attribute_owner,
)
from lossscale_codemods.analysis.loss_scale_types import LossScaleType, LossScaleTypes
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.what_is import (
    can_be_optimizer,
    looks_like_settings,
    loss_scale_optimizer,
)
from lossscale_codemods.rules.base import Case, Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.markers import LOSS_SCALE_PATTERN, OLD_NAMES, Marker
from lossscale_codemods.rules.shared.attribute_reads import (
    NEW_ATTRIBUTES,
    OLD_ATTRIBUTES,
    TENSOR_ATTRIBUTES,
    is_read_as_number,
    occurrence_at,
    put,
    replace,
    rewrite,
)
from lossscale_codemods.rules.shared.constructors import loss_scale_argument
from lossscale_codemods.vocabulary.names import WITH_LOSS_SCALE, loss_scale_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

_DISTINCT = ("_current_loss_scale", "_num_good_steps")
_HEAD = (
    "import tensorflow as tf\n"
    "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
)
_NEW_HEAD = "import tensorflow as tf\nopt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"


class LossScaleAttributes(Rule):
    """Respells what is read from the loss scale object."""

    id = "LS303"
    title = "Attributes of the loss scale"
    targets = WITH_LOSS_SCALE
    markers = (
        *OLD_NAMES,
        Marker(b"loss_scale", tuple(name.encode() for name in _DISTINCT), LOSS_SCALE_PATTERN),
    )
    invalid = (
        *(
            Case(
                f"{_HEAD}print(float(opt.loss_scale.{old}))\n",
                f"{_NEW_HEAD}print(float(opt.{new}))\n",
            )
            for old, new in NEW_ATTRIBUTES.items()
        ),
        Case(f"{_HEAD}print(opt.loss_scale.multiplier)\n", f"{_NEW_HEAD}print(2.0)\n"),
    )
    valid = (
        Case(
            f"{_HEAD}print(make(opt).loss_scale.multiplier, opt.loss_scale.get_config())\n",
            f"{_NEW_HEAD}print(make(opt).loss_scale.multiplier, opt.loss_scale.get_config())\n",
            review="get_config of the loss scale object",
        ),
        Case(
            f"{_HEAD}opt.loss_scale._current_loss_scale.assign(8.0)\n",
            f"{_NEW_HEAD}opt.loss_scale._current_loss_scale.assign(8.0)\n",
            review="was a variable",
        ),
        Case(
            f"{_HEAD}metrics = {{'loss_scale': opt.loss_scale._current_loss_scale}}\n",
            f"{_NEW_HEAD}metrics = {{'loss_scale': opt.loss_scale._current_loss_scale}}\n",
            review="was a variable",
            unsafe=f"{_NEW_HEAD}metrics = {{'loss_scale': opt.loss_scale}}\n",
        ),
        Case(
            f"{_HEAD}def log(x):\n    print(x.loss_scale.increment_period)\n",
            f"{_NEW_HEAD}def log(x):\n    print(x.loss_scale.increment_period)\n",
            review="not proven",
            unsafe=f"{_NEW_HEAD}def log(x):\n    print(x.dynamic_growth_steps)\n",
        ),
        Case(
            "import tensorflow as tf  # LossScale\n"
            "def log(model):\n    print(model.optimizer.loss_scale._current_loss_scale)\n",
            review="not proven",
            unsafe="import tensorflow as tf  # LossScale\n"
            "def log(model):\n    print(model.optimizer.loss_scale)\n",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields attributes of the `loss_scale` of something."""
        for nodes in list(program.reads_by_attribute.values()):
            for node in nodes:
                owner = attribute_owner(node.value, program.resolver)
                if owner is not None and self._is_found(node, owner, program):
                    yield occurrence_at(program, node, self.id)

    @staticmethod
    def _is_found(node: cst.Attribute, owner: cst.BaseExpression, program: Program) -> bool:
        name = node.attr.value
        if program.types.is_policy(owner):
            return False
        if program.types.is_wrapper(owner) or name in _DISTINCT:
            is_old = program.old_types.is_wrapper(owner)
            return name in OLD_ATTRIBUTES or (is_old and name not in TENSOR_ATTRIBUTES)
        return (
            name in OLD_ATTRIBUTES
            and not looks_like_settings(owner)
            and can_be_optimizer(owner, program)
        )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells what has an equivalent, of proven optimizers."""
        node = occurrence.node
        if occurrence.rule != self.id or not isinstance(node, cst.Attribute):
            return None
        owner, name = attribute_owner(node.value, program.resolver), node.attr.value
        if owner is None:
            return None
        is_changed = node in program.scopes.binding_at
        respelled = (
            self._respelled(node, owner, program)
            if name in NEW_ATTRIBUTES and not is_changed
            else None
        )
        answer = loss_scale_optimizer(owner, program)
        if not answer.is_sure:
            return Review(
                answer.reason,
                f"If it does, write `.{NEW_ATTRIBUTES.get(name, 'loss_scale')}` of the optimizer "
                "instead.",
                unsafe_fix=respelled,
            )
        if is_changed:
            return Review(
                f"{name} of the loss scale object is changed here",
                "Make a new LossScaleOptimizer to change what it has been made with.",
            )
        if not is_read_as_number(node, program.resolver):
            return Review(
                "it was a variable, and the loss scale of the optimizer is a tensor of this moment",
                "Read `loss_scale` of the optimizer where it is needed. It has no public way to "
                "set it.",
                unsafe_fix=respelled if _is_kept(node, program) else None,
            )
        if respelled is not None:
            return respelled
        if "multiplier" in name:
            return self._multiplier(node, owner, program)
        return Review(
            f"{name} of the loss scale object has no equivalent on the optimizer",
            "Read loss_scale, initial_scale or dynamic_growth_steps of the optimizer instead.",
        )

    @staticmethod
    def _multiplier(node: cst.Attribute, owner: cst.BaseExpression, program: Program) -> Verdict:
        makers = [value.made_by for value in program.types.values(owner)]
        if dotted(owner) is None or not all(
            maker is not None and maker.func in program.rewritten and _is_dynamic(maker, program)
            for maker in makers
        ):
            return Review("the multiplier has no name any more, because it is always 2", "Write 2.")
        edit = put(program, program.tree.span(node), "2.0")
        return rewrite("the multiplier is always 2", [edit])

    @staticmethod
    def _respelled(node: cst.Attribute, owner: cst.BaseExpression, program: Program) -> Rewrite:
        name = node.attr.value
        new = NEW_ATTRIBUTES[name]
        if isinstance(node.value, cst.Attribute) and not node.value.lpar:
            edits = replace(program, node, owner, f".{new}")
        else:
            edits = [put(program, program.tree.span(node), f"{program.tree.source(owner)}.{new}")]
        return rewrite(f"{name} is {new} of the optimizer", edits)


def _is_kept(node: cst.Attribute, program: Program) -> bool:
    """Whether something is only kept under a key, as what is logged is."""
    above = program.tree.parent(node)
    if isinstance(above, cst.Assign):
        return all(isinstance(target.target, cst.Subscript) for target in above.targets)
    return isinstance(above, cst.DictElement) and above.value is node


def _is_dynamic(maker: cst.Call, program: Program) -> bool:
    """Whether a constructor of this file gives an optimizer a dynamic loss scale."""
    argument = loss_scale_argument(maker)
    if argument is None:
        return False
    if isinstance(argument.value, cst.Call):
        path = program.resolver.path(argument.value.func) or ""
        return (loss_scale_class(path) or "").endswith("DynamicLossScale")
    return LossScaleTypes(program).types(argument.value) == {LossScaleType.DYNAMIC}
