# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.mixed_precision` moves to `compat.v1`, if the result behaves exactly the same.

TensorFlow 2 has no `tf.contrib`. An `ExponentialUpdateLossScaleManager(init, n, 1, 2, 0.5)` is a
`DynamicLossScale(init, n)`, and its optimizer is a `MixedPrecisionLossScaleOptimizer`. The defaults
of the manager, `decr_every_n_nan_or_inf=2` and `decr_ratio=0.8`, have no equivalent. If only the
first of them differs, `--unsafe-fixes` makes the same rewrite. The loss scale then halves at the
first step that is not finite, instead of the second. A `FixedLossScaleManager` has no equivalent:
its optimizer skipped steps that are not finite, and that of `compat.v1` applies them if the loss
scale is fixed.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import BindingKind, constant
from lossscale_codemods.rules.base import Case, Review, Rewrite, Rule, Verdict
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import Meaning
from lossscale_codemods.tables.records import Edit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lossscale_codemods.domain import Occurrence, Program
    from lossscale_codemods.rules.name_rendering import NameRenderer

_HEAD = "import tensorflow as tf\n"
_PARAMETERS = (
    "init_loss_scale",
    "incr_every_n_steps",
    "decr_every_n_nan_or_inf",
    "incr_ratio",
    "decr_ratio",
)
_TAKEN_OVER = {"init_loss_scale": "initial_loss_scale", "incr_every_n_steps": "increment_period"}
"""What a DynamicLossScale takes as well, and what that is called there."""
_RATIOS = {"incr_ratio": 2, "decr_ratio": 0.5}
_EXACT = {"decr_every_n_nan_or_inf": 1, **_RATIOS}
_DEFAULTS = {"decr_every_n_nan_or_inf": "2", "incr_ratio": "2", "decr_ratio": "0.8"}
_HOME = "tensorflow.compat.v1.mixed_precision"
_SHOWN = "tf.compat.v1.mixed_precision"
_MANAGER = "ExponentialUpdateLossScaleManager"


class Contrib(Rule):
    """Moves what is exact, and says of the rest what it would be."""

    id = "LS603"
    title = "tf.contrib.mixed_precision"
    explains = frozenset({Meaning.CONTRIB})
    invalid = (
        Case(
            f"{_HEAD}opt = tf.contrib.mixed_precision.LossScaleOptimizer(\n"
            f"    opt, tf.contrib.mixed_precision.{_MANAGER}(2 ** 15, 1000, 1, decr_ratio=0.5))\n",
            f"{_HEAD}opt = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(\n"
            "    opt, tf.compat.v1.mixed_precision.DynamicLossScale(2 ** 15, 1000))\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}m = tf.contrib.mixed_precision.FixedLossScaleManager(128)\n",
            review="skipped steps that are not finite",
        ),
        Case(
            f"{_HEAD}m = tf.contrib.mixed_precision.{_MANAGER}(2 ** 15, 1000)\n",
            review="no equivalent",
        ),
        Case(
            f"{_HEAD}opt = tf.contrib.mixed_precision.LossScaleOptimizer(\n"
            f"    opt, tf.contrib.mixed_precision.{_MANAGER}(2 ** 15, 1000, decr_ratio=0.5))\n",
            review="no equivalent",
            unsafe=f"{_HEAD}opt = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(\n"
            "    opt, tf.compat.v1.mixed_precision.DynamicLossScale(2 ** 15, 1000))\n",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Moves an optimizer together with its manager."""
        last = contrib_member(occurrence.node, program)
        if occurrence.meaning is Meaning.CONTRIB:
            last = occurrence.names[0].path.rpartition(".")[2]
        if last is None:
            return None
        call = program.call(occurrence)
        if last == "LossScaleOptimizer" and call is not None:
            return self._optimizer(occurrence, call, program)
        if last == _MANAGER and call is not None:
            return self._exponential(call, program)
        if last == "FixedLossScaleManager":
            return Review(
                "tf.contrib is gone, and its optimizer skipped steps that are not finite, which "
                "current ones apply under a fixed loss scale",
                f"If that is fine, use {_SHOWN}.MixedPrecisionLossScaleOptimizer with the number.",
            )
        return Review(
            "tf.contrib went away with TensorFlow 1",
            f"Use {_SHOWN}.MixedPrecisionLossScaleOptimizer for v1 optimizers, or "
            "tf.keras.mixed_precision.LossScaleOptimizer for Keras ones.",
        )

    def _exponential(self, call: cst.Call, program: Program) -> Review:
        given = self._given(call, program)
        if given is not None and self._has(_EXACT, given):
            return Review(
                "tf.contrib is gone; this manager is a DynamicLossScale, but the optimizer that "
                "gets it is not seen here",
                f"Use {_SHOWN}.DynamicLossScale(init_loss_scale, incr_every_n_steps) and "
                f"{_SHOWN}.MixedPrecisionLossScaleOptimizer.",
            )
        return Review(
            "tf.contrib is gone, and this manager's rules have no equivalent: a DynamicLossScale "
            "halves at the first step that is not finite and doubles after so many that are",
            f"If that is fine, use {_SHOWN}.DynamicLossScale and "
            f"{_SHOWN}.MixedPrecisionLossScaleOptimizer.",
        )

    def _optimizer(self, occurrence: Occurrence, call: cst.Call, program: Program) -> Verdict:
        review = Review(
            "tf.contrib is gone, and that its manager has an equivalent is not proven",
            f"Use {_SHOWN}.MixedPrecisionLossScaleOptimizer; see the finding of the manager.",
        )
        argument = self._manager_argument(call)
        manager = self._manager(argument.value, program) if argument is not None else None
        if argument is None or manager is None:
            return review
        owner = next((o for o in program.references if o.node is manager.func), None)
        given = self._given(manager, program)
        if owner is None or given is None or not self._has(_RATIOS, given):
            return review
        keywords = {a.keyword.value for a in manager.args if a.keyword is not None}
        values = [
            f"{new}={given[name]}" if name in keywords else given[name]
            for name, new in _TAKEN_OVER.items()
        ]
        tree = program.tree

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            wrapper = renderer.render_path(occurrence, f"{_HOME}.MixedPrecisionLossScaleOptimizer")
            scale = renderer.render_path(owner, f"{_HOME}.DynamicLossScale")
            changes = [
                Edit(*occurrence.span, wrapper),
                Edit(*tree.span(manager), f"{scale}({', '.join(values)})"),
            ]
            if argument.keyword is not None:
                changes.append(Edit(*tree.span(argument.keyword), "loss_scale"))
            return changes

        message = "the v1 optimizer and loss scale with the same rules"
        exact = Rewrite(message, edits, keeps_name=False, claims=[owner])
        if self._has(_EXACT, given):
            return exact
        message = "as before, but that the first step that is not finite halves the loss scale"
        review.unsafe_fix = dataclasses.replace(exact, message=message)
        return review

    @staticmethod
    def _manager_argument(call: cst.Call) -> cst.Arg | None:
        for index, argument in enumerate(call.args):
            if argument.keyword is None and not argument.star and index == 1:
                return argument
            if argument.keyword is not None and argument.keyword.value == "loss_scale_manager":
                return argument
        return None

    @staticmethod
    def _manager(node: cst.BaseExpression, program: Program) -> cst.Call | None:
        """Returns the manager's constructor, inline or in a variable used just here."""
        if isinstance(node, cst.Name):
            bindings = program.resolver.bindings(node)
            if len(bindings) != 1:
                return None
            (binding,) = bindings
            if binding.kind is not BindingKind.ASSIGN or len(binding.uses) != 1:
                return None
            node = binding.value or node
        if not isinstance(node, cst.Call):
            return None
        return node if contrib_member(node.func, program) == _MANAGER else None

    @staticmethod
    def _has(wanted: Mapping[str, float], given: Mapping[str, str]) -> bool:
        """Whether a manager is given these values, and what a DynamicLossScale takes over."""
        return _TAKEN_OVER.keys() <= given.keys() and all(
            _number(given.get(name, _DEFAULTS[name])) == value for name, value in wanted.items()
        )

    @staticmethod
    def _given(call: cst.Call, program: Program) -> dict[str, str] | None:
        given: dict[str, str] = {}
        for index, argument in enumerate(call.args):
            if argument.star:
                return None
            if argument.keyword is not None:
                given[argument.keyword.value] = program.tree.source(argument.value)
            elif index < len(_PARAMETERS):
                given[_PARAMETERS[index]] = program.tree.source(argument.value)
        return given


def contrib_member(node: cst.CSTNode, program: Program) -> str | None:
    """Returns which member of `tf.contrib.mixed_precision` an expression is, if it surely is one.

    Args:
        node: The expression: a name, or a member of what a function of the project returns.
        program: The file.
    """
    paths = program.types.members_of_returned(node) or program.resolver.paths(node)
    old = [names.lookup(path) if path is not None else None for path in paths]
    if not old or any(one is None or one.meaning is not Meaning.CONTRIB for one in old):
        return None
    last = {path.rpartition(".")[2] for path in paths if path is not None}
    return last.pop() if len(last) == 1 else None


def _number(source: str) -> object:
    try:
        value: object = constant(source)
    except ValueError:
        return None
    return value
