# SPDX-License-Identifier: Apache-2.0
"""Optimizers that `compile` wraps under `mixed_float16` get our wrapper (`--target keras3`).

Keras 3's `compile` wraps the optimizer too, with a class that has no floor, no cap, no `loss_scale`
and no `get_scaled_loss`, and whose `iterations` do not count skipped steps. An optimizer that is
wrapped already stays. If the policy of the model is known to be `mixed_float16`, the rule wraps the
optimizer in the call. If it may be, the codemod adds a small function that asks the model at run
time.

With `--no-dependency`, the rule reports what Keras 3 wraps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.model_compiles import (
    Compile,
    kept_compiles,
    may_be_text,
    model_compile,
    model_compiles,
)
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.editing.edits import argument_separator
from lossscale_codemods.rules.base import Case, Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.shared.constructors import COUNT_SKIPPED_STEPS
from lossscale_codemods.rules.shared.keras_3_places import Places
from lossscale_codemods.rules.shared.keras_3_policies import MixedPolicies
from lossscale_codemods.vocabulary import optimizer_families
from lossscale_codemods.vocabulary.names import WITH_KERAS_3, Target, loss_scale_optimizers
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.editing.names import NameRenderer

HELPER = "_loss_scaled"
_SOURCE = '''
def {helper}(model, optimizer):
    """Returns an optimizer as `compile` wraps it: with loss scaling under mixed_float16."""
    if model.dtype_policy.name != "mixed_float16" or isinstance(
        optimizer, {wrapper}
    ):
        return optimizer
    return {wrapper}(optimizer, count_skipped_steps=True)
'''
_OF_MODELS = frozenset({"loss", "loss_weights", "metrics", "run_eagerly", "weighted_metrics"})
_WRAPPED = {ObjectType.WRAPPER, ObjectType.NOTHING}
_V1 = {ObjectType.V1, ObjectType.V1_WRAPPER}
_PLAIN = {ObjectType.KERAS, ObjectType.NOTHING}
_HEAD = "import tensorflow as tf\n"
_OLD = f"{_HEAD}\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
_NEW = (
    f"{_HEAD}from compat_lossscale import keras3\n"
    "\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
)
_MODEL = "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
_STOCK = (
    "Keras 3 wraps the optimizer here under mixed_float16, with a loss scale that has no floor and "
    "no cap, and `iterations` does not count steps that are skipped"
)


class Keras3Compiles(Rule):
    """Wraps the optimizers that `compile` wraps."""

    id = "LS511"
    title = "Optimizers that `compile` wraps"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3
    invalid = (
        Case(
            f"{_OLD}{_MODEL}model.compile(tf.keras.optimizers.Adam(), 'mse')\n",
            f"{_NEW}{_MODEL}model.compile(keras3.LossScaleOptimizer("
            "tf.keras.optimizers.Adam(), count_skipped_steps=True), 'mse')\n",
        ),
        Case(
            f"{_OLD}{_MODEL}model.compile('adam', 'mse')\n",
            f"{_NEW}{_MODEL}model.compile(keras3.LossScaleOptimizer("
            "tf.keras.optimizers.Adam(), count_skipped_steps=True), 'mse')\n",
        ),
    )
    valid = (
        Case(
            f"{_OLD}model = build()\nmodel.compile('adam', 'mse')\n",
            "import tensorflow as tf\n\n"
            "tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
            "model = build()\nmodel.compile('adam', 'mse')\n",
            review="it is not proven to be a Keras model",
            unsafe="import tensorflow as tf\nfrom compat_lossscale import keras3\n\n\n"
            "def _loss_scaled(model, optimizer):\n"
            '    """Returns an optimizer as `compile` wraps it: with loss scaling under '
            'mixed_float16."""\n'
            '    if model.dtype_policy.name != "mixed_float16" or isinstance(\n'
            "        optimizer, keras3.LossScaleOptimizer\n"
            "    ):\n"
            "        return optimizer\n"
            "    return keras3.LossScaleOptimizer(optimizer, count_skipped_steps=True)\n\n\n"
            "tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
            "model = build()\n"
            "model.compile(_loss_scaled(model, tf.keras.optimizers.Adam()), 'mse')\n",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the calls of `compile` whose optimizer Keras 3 wraps, or may wrap."""
        if not is_part_of_old(program):
            return
        places = Places(program, self.id)
        policies = MixedPolicies(program)
        may_be_float16 = policies.may_be_float16()
        for compiled in model_compiles(program):
            if places.is_for_old(compiled.call):
                continue
            if self._verdict(compiled, program, policies, may_be_float16) is not None:
                yield places.occurrence(compiled.call.func)
        for kept in kept_compiles(program) if may_be_float16 else ():
            if not places.is_for_old(kept):
                yield places.occurrence(kept)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Wraps the optimizer, or says what Keras 3 does."""
        node = occurrence.node
        if occurrence.rule != self.id or not isinstance(node, cst.BaseExpression):
            return None
        policies = MixedPolicies(program)
        compiled = model_compile(program.tree.parent(node), program)
        if compiled is None or compiled.call.func is not node:
            return Review(
                f"`compile` is kept and called later. {_STOCK}",
                "Give it an optimizer that is wrapped in compat_lossscale.keras3's.",
            )
        return self._verdict(compiled, program, policies, policies.may_be_float16())

    def _verdict(
        self, compiled: Compile, program: Program, policies: MixedPolicies, may_be_float16: bool
    ) -> Rewrite | Review | None:
        """Says what becomes of the optimizer that `compile` gets, or does not get."""
        value = compiled.optimizer.value if compiled.optimizer is not None else None
        kinds = program.types.of(value) if value is not None else frozenset()
        if kinds & _V1:
            return Review(
                "Keras 3 compiles models with its own optimizers alone",
                "Give it one of tf.keras.optimizers, and wrap that for loss scaling.",
            )
        if not may_be_float16 or (value is not None and kinds <= _WRAPPED):
            return None
        if value is not None and _is_done(value):
            return None
        if policies.has_own_scale():
            return None  # The finding at the policy, or its rewrite, comes first.
        if not compiled.is_proven:
            return _unproven(compiled, program, kinds)
        if program.target is Target.KERAS3_ALONE:
            return Review(
                _STOCK, "Leave it, if the model trains as well; or do without --no-dependency."
            )
        if compiled.is_unpacked:
            return Review(
                f"the arguments of `compile` are unpacked. {_STOCK}",
                "Give it an optimizer that is wrapped in compat_lossscale.keras3's.",
            )
        if policies.is_float16(compiled):
            return _Wrapping(compiled, program, kinds).certain()
        return _Wrapping(compiled, program, kinds).asked()


class _Wrapping:
    """Writes a wrapped optimizer into a call of `compile`.

    Args:
        compiled: The call.
        program: The file.
        kinds: What the optimizer can be.
    """

    def __init__(self, compiled: Compile, program: Program, kinds: frozenset[ObjectType]) -> None:
        self.compiled = compiled
        self.program = program
        self.tree = program.tree
        self.kinds = kinds
        call = compiled.call
        self.occurrence = Occurrence(call.func, self.tree.span(call.func), Role.LATER)

    def certain(self) -> Rewrite:
        """Wraps the optimizer."""

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            wrapper = renderer.render_path(
                self.occurrence, *loss_scale_optimizers(self.program.target)
            )
            return self._around(renderer, f"{wrapper}(", f", {COUNT_SKIPPED_STEPS})")

        return Rewrite("wrapped as `compile` wrapped it, with the same loss scale", edits)

    def asked(self) -> Rewrite | Review:
        """Has a function wrap the optimizer, if the model's policy asks for that."""
        call = self.compiled.call
        assert isinstance(call.func, cst.Attribute)
        compiled = call.func.value
        if self.compiled.arguments is not call.args:
            compiled = call.args[0].value  # Model.compile(model, ...)
        if dotted(compiled) is None:
            return Review(_STOCK, "Wrap the optimizer in compat_lossscale.keras3's, if it is.")
        model = self.tree.source(compiled)

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            wrapper = renderer.render_path(
                self.occurrence, *loss_scale_optimizers(self.program.target)
            )
            source = _SOURCE.format(helper=HELPER, wrapper=wrapper)
            name = renderer.helper(HELPER, source, self.occurrence)
            return self._around(renderer, f"{name}({model}, ", ")")

        return Rewrite("wrapped as `compile` wrapped it, if the model is of mixed_float16", edits)

    def _around(self, renderer: NameRenderer, before: str, behind: str) -> list[Edit]:
        """Writes something around the optimizer."""
        argument = self.compiled.optimizer
        if argument is None:
            return self._with_default(renderer, before, behind)
        start, end = self.tree.full_span(argument.value)
        value = argument.value
        if isinstance(value, cst.SimpleString):
            name = optimizer_families.class_of(str(value.evaluated_value))
            if name is not None:
                made = f"{self._rendered(renderer, name)}()"
                return [Edit(start, end, f"{before}{made}{behind}")]
        is_object = self.kinds <= _PLAIN | _WRAPPED
        if not is_object and (ObjectType.OTHER in self.kinds or may_be_text(value, self.program)):
            before, behind = f"{before}{self._rendered(renderer, 'get')}(", f"){behind}"
        return [Edit(start, start, before), Edit(end, end, behind)]

    def _rendered(self, renderer: NameRenderer, member: str) -> str:
        roots = ("tensorflow.keras", "keras", "tensorflow.compat.v1.keras")
        paths = [f"{root}.optimizers.{member}" for root in roots]
        return renderer.render_path(self.occurrence, *paths)

    def _with_default(self, renderer: NameRenderer, before: str, behind: str) -> list[Edit]:
        call, given = self.compiled.call, self.compiled.arguments
        made = f"{self._rendered(renderer, optimizer_families.DEFAULT)}()"
        text = f"optimizer={before}{made}{behind}"
        if given:
            place = self.tree.span(given[0])[0]
            return [Edit(place, place, text + argument_separator(self.tree, call, given[0]))]
        place = self.tree.span(call)[1] - 1
        return [Edit(place, place, text)]


def _is_done(value: cst.BaseExpression) -> bool:
    """Whether an optimizer goes through the function that an earlier run added."""
    return isinstance(value, cst.Call) and dotted(value.func) == HELPER


def _unproven(compiled: Compile, program: Program, kinds: frozenset[ObjectType]) -> Review | None:
    """Reports a `compile` that reads like that of a model."""
    given = {a.keyword.value for a in compiled.arguments if a.keyword is not None}
    is_told = ObjectType.KERAS in kinds or bool(given & _OF_MODELS)
    value = compiled.optimizer.value if compiled.optimizer is not None else None
    if not is_told and not isinstance(value, cst.SimpleString):
        return None
    fix = None
    if program.target is Target.KERAS3 and not compiled.is_unpacked:
        wrapped = _Wrapping(compiled, program, kinds).asked()
        fix = wrapped if isinstance(wrapped, Rewrite) else None
    return Review(
        f"{_STOCK}, if this compiles a model; it is not proven to be a Keras model",
        "If it is one, wrap the optimizer in compat_lossscale.keras3's.",
        unsafe_fix=fix,
    )
