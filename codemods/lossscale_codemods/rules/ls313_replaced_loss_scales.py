# SPDX-License-Identifier: Apache-2.0
"""Code that replaces an optimizer's loss scale, or looks it up by a string, is reported.

`opt._loss_scale = ...` gave an optimizer another loss scale object. The current optimizer keeps
something else in this attribute, and you cannot set `loss_scale`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.approximate_names import last_word
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import ATTRIBUTES
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.type_inference import ObjectType
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.attribute_reads import looks_like_optimizer
from lossscale_codemods.vocabulary.names import loss_scale_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.analysis.scanned_source import ScannedSource

_HEAD = (
    "import tensorflow as tf\n"
    "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
)
_NEW_HEAD = "import tensorflow as tf\nopt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
_LOOKED_UP = "the loss scale of an optimizer can be looked up by a name here"
_REPLACED = "the loss scale of an optimizer cannot be replaced any more"
_SETTING = frozenset({"setattr", "delattr"})
_LOOKING_UP = frozenset({"getattr", "vars", "attrgetter", "methodcaller"})


class ReplacedLossScales(Rule):
    """Reports what no optimizer of today allows."""

    id = "LS313"
    title = "Loss scales that are replaced or looked up by name"
    valid = (
        Case(
            f"{_HEAD}opt._loss_scale = scale\n",
            f"{_NEW_HEAD}opt._loss_scale = scale\n",
            review="cannot be replaced",
        ),
        Case(
            f"{_HEAD}print(vars(opt)['_loss_scale'])\n",
            f"{_NEW_HEAD}print(vars(opt)['_loss_scale'])\n",
            review="looked up by a name",
        ),
        Case(f"{_NEW_HEAD}opt.loss_scale = 128\n", review="cannot be replaced"),
        Case(f"{_HEAD}self.loss_scale = 128\n", f"{_NEW_HEAD}self.loss_scale = 128\n"),
    )

    def can_fire(self, source: ScannedSource) -> bool:
        """Whether an attribute of that name is set, or something is looked up by name."""
        if not (source.names.has_new_class or source.names.has_old_name):
            return False
        return any(map(_sets_or_looks_up, source.nodes.of(ast.Attribute))) or any(
            _works_with_names(node, source) for node in source.nodes.of(ast.Call)
        )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields assignments of an optimizer's loss scale, and look-ups of it by name."""
        if not program.has_optimizers:
            return
        for node in program.tree.parents:
            if isinstance(node, cst.Attribute | cst.Call) and self._message(node, program):
                yield Occurrence(node, program.tree.span(node), Role.DOUBTFUL, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports it."""
        node = occurrence.node
        if occurrence.rule != self.id or not isinstance(node, cst.Attribute | cst.Call):
            return None
        message = self._message(node, program)
        if message is None:
            return None
        return Review(
            message,
            "Make a new LossScaleOptimizer to change its loss scale, and read `loss_scale` of it.",
        )

    def _message(self, node: cst.Attribute | cst.Call, program: Program) -> str | None:
        if isinstance(node, cst.Attribute):
            if node.attr.value == "__dict__" and self._is_optimizer(node.value, program):
                return _LOOKED_UP
            is_target = node in program.scopes.binding_at and node.attr.value in ATTRIBUTES
            replaced = is_target and (
                self._can_be(node.value, program) or self._fails_today(node, program)
            )
            return _REPLACED if replaced else None
        name = (dotted(node.func) or "").rpartition(".")[2]
        strings = [a.value for a in node.args if isinstance(a.value, cst.SimpleString)]
        named = any(str(s.evaluated_value).rpartition(".")[2] in ATTRIBUTES for s in strings)
        if name in _SETTING and node.args and named and self._can_be(node.args[0].value, program):
            return _REPLACED
        if name == "getattr" and len(node.args) > 1 and not strings:
            dynamic = self._is_optimizer(node.args[0].value, program)
            return _LOOKED_UP if dynamic else None
        if name == "vars" and node.args and self._is_optimizer(node.args[0].value, program):
            return _LOOKED_UP
        if name in {"attrgetter", "methodcaller"} and named:
            return _LOOKED_UP
        return None

    @staticmethod
    def _fails_today(node: cst.Attribute, program: Program) -> bool:
        """Whether an optimizer of today does not take what is assigned to its loss scale."""
        if not program.types.is_wrapper(node.value):
            return False
        bindings = program.scopes.binding_at[node]
        values = [binding.value for binding in bindings if binding.value is not None]
        return node.attr.value == "loss_scale" or any(
            isinstance(value, cst.Call)
            and any(path and loss_scale_class(path) for path in program.resolver.paths(value.func))
            for value in values
        )

    @staticmethod
    def _is_optimizer(node: cst.BaseExpression, program: Program) -> bool:
        return program.loss_scales.optimizers.is_wrapper(node)

    def _can_be(self, node: cst.BaseExpression, program: Program) -> bool:
        if self._is_optimizer(node, program):
            return True
        unknown = ObjectType.UNKNOWN in program.loss_scales.optimizers.of(node)
        return unknown and looks_like_optimizer(node) and program.can_be_optimizer(node)


def _sets_or_looks_up(node: ast.Attribute) -> bool:
    """Whether an attribute is assigned to, or is where all of an object's attributes are."""
    is_set = node.attr in ATTRIBUTES and not isinstance(node.ctx, ast.Load)
    return is_set or node.attr == "__dict__"


def _works_with_names(node: ast.Call, source: ScannedSource) -> bool:
    """Whether a call is `setattr(opt, "loss_scale", scale)`, `getattr(opt, name)` or the like."""
    called = last_word(node.func)
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if called == "vars":
        return bool(given)
    texts = [a for a in given if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if called == "getattr":
        return len(given) > 1 and not any(map(source.is_one_string, given))
    return called in _SETTING | _LOOKING_UP and any(
        str(a.value).rpartition(".")[2] in ATTRIBUTES for a in texts
    )
