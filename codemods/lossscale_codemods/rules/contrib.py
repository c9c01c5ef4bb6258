# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.mixed_precision` is reported; an unsafe fix moves one manager to `compat.v1`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import libcst as cst

from lossscale_codemods.domain import BindingKind, Occurrence, Program, constant_or_none
from lossscale_codemods.rules.base import Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.name_rendering import NameRenderer
from lossscale_codemods.source.syntax_tree import argument_of
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import Meaning
from lossscale_codemods.tables.records import Edit

_TAKEN_OVER = {"init_loss_scale": "initial_loss_scale", "incr_every_n_steps": "increment_period"}
"""The first parameters, which a DynamicLossScale takes as well, and what these are called there."""
_RATIOS = (("incr_ratio", 2, "2"), ("decr_ratio", 0.5, "0.8"))
"""The fourth and the fifth parameter, with the ratio of a DynamicLossScale and the default."""
_HOME = "tensorflow.compat.v1.mixed_precision"
_SHOWN = "tf.compat.v1.mixed_precision"
_MANAGER = "ExponentialUpdateLossScaleManager"


_FIXED = Review(
    "tf.contrib is gone, and its optimizer skipped steps that are not finite, which current ones "
    "apply under a fixed loss scale",
    f"If that is fine, use {_SHOWN}.MixedPrecisionLossScaleOptimizer with the number.",
)
_EXPONENTIAL = Review(
    "tf.contrib is gone; a DynamicLossScale halves at the first step that is not finite and "
    "doubles after so many that are, which this manager does only with decr_every_n_nan_or_inf=1, "
    "incr_ratio=2 and decr_ratio=0.5",
    f"If that is fine, use {_SHOWN}.DynamicLossScale and "
    f"{_SHOWN}.MixedPrecisionLossScaleOptimizer.",
)
_OPTIMIZER = Review(
    "tf.contrib is gone, and so is the manager of this optimizer",
    f"Use {_SHOWN}.MixedPrecisionLossScaleOptimizer; see the finding of the manager.",
)
_OTHER = Review(
    "tf.contrib went away with TensorFlow 1",
    f"Use {_SHOWN}.MixedPrecisionLossScaleOptimizer for v1 optimizers, or "
    "tf.keras.mixed_precision.LossScaleOptimizer for Keras ones.",
)


class Contrib(Rule):
    """Says of each name what it would be, and moves an optimizer with its manager."""

    id = "LS603"
    title = "tf.contrib.mixed_precision"
    explains = frozenset({Meaning.CONTRIB})

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Moves an optimizer together with its manager."""
        last = contrib_member(occurrence.node, program)
        if occurrence.meaning is Meaning.CONTRIB:
            last = occurrence.names[0].path.rpartition(".")[2]
        if last is None:
            return None
        call = program.call(occurrence)
        if last == "LossScaleOptimizer" and call is not None:
            return dataclasses.replace(_OPTIMIZER, follows=_manager(call, program) is not None)
        if last == _MANAGER and call is not None:
            fix = self._fix(occurrence, call, program)
            return dataclasses.replace(_EXPONENTIAL, unsafe_fix=fix)
        return _FIXED if last == "FixedLossScaleManager" else _OTHER

    @staticmethod
    def _fix(manager: Occurrence, made: cst.Call, program: Program) -> Rewrite | None:
        """Returns the fix of a manager and of the optimizer that it is made for."""
        optimizers = ((one, program.call(one)) for one in program.references)
        for optimizer, call in optimizers:
            if call is None or contrib_member(call.func, program) != "LossScaleOptimizer":
                continue
            argument = _manager_argument(call)
            if argument is None or _manager(call, program) is not made:
                continue
            if not _is_dynamic(made, program):
                return None
            return _moved(optimizer, argument, manager, made, program)
        return None


def _moved(
    optimizer: Occurrence, argument: cst.Arg, manager: Occurrence, made: cst.Call, program: Program
) -> Rewrite:
    tree = program.tree
    taken = [argument_of(made.args, place, name) for place, name in enumerate(_TAKEN_OVER)]
    values = [
        f"{new}={tree.source(one.value)}"
        for new, one in zip(_TAKEN_OVER.values(), taken, strict=True)
        if one is not None
    ]

    def edits(renderer: NameRenderer) -> Sequence[Edit]:
        wrapper = renderer.render_path(optimizer, f"{_HOME}.MixedPrecisionLossScaleOptimizer")
        scale = renderer.render_path(manager, f"{_HOME}.DynamicLossScale")
        changes = [
            Edit(*optimizer.span, wrapper),
            Edit(*tree.span(made), f"{scale}({', '.join(values)})"),
        ]
        if argument.keyword is not None:
            changes.append(Edit(*tree.span(argument.keyword), "loss_scale"))
        return changes

    return Rewrite(
        "as before, but that the first step that is not finite halves the loss scale",
        edits,
        keeps_name=False,
        claims=[optimizer],
    )


def _manager_argument(optimizer: cst.Call) -> cst.Arg | None:
    return argument_of(optimizer.args, 1, "loss_scale_manager")


def _manager(optimizer: cst.Call, program: Program) -> cst.Call | None:
    """Returns the constructor of the manager, inline or in a variable that is used just there."""
    argument = _manager_argument(optimizer)
    node = argument.value if argument is not None else None
    if isinstance(node, cst.Name):
        bindings = program.resolver.bindings(node)
        if len(bindings) != 1:
            return None
        (binding,) = bindings
        if binding.kind is not BindingKind.ASSIGN or len(binding.uses) != 1:
            return None
        node = binding.value
    if not isinstance(node, cst.Call):
        return None
    return node if contrib_member(node.func, program) == _MANAGER else None


def _is_dynamic(manager: cst.Call, program: Program) -> bool:
    """Whether a manager has the ratios of a DynamicLossScale, and all that this takes over."""
    if any(argument_of(manager.args, place, one) is None for place, one in enumerate(_TAKEN_OVER)):
        return False
    for place, (name, wanted, default) in enumerate(_RATIOS, 3):
        argument = argument_of(manager.args, place, name)
        source = program.tree.source(argument.value) if argument is not None else default
        if constant_or_none(source) != wanted:
            return False
    return True


def contrib_member(node: cst.CSTNode, program: Program) -> str | None:
    """Returns which member of `tf.contrib.mixed_precision` this is, if it surely is one."""
    paths = program.types.members_of_returned(node) or program.resolver.paths(node)
    old = [names.lookup(path) if path is not None else None for path in paths]
    if not old or any(one is None or one.meaning is not Meaning.CONTRIB for one in old):
        return None
    last = {path.rpartition(".")[2] for path in paths if path is not None}
    return last.pop() if len(last) == 1 else None
