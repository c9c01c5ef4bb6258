# SPDX-License-Identifier: Apache-2.0
"""`Policy(name, loss_scale=...)` becomes `Policy(name)`, if that means the same.

The new Policy has no loss scale. `Model.compile` wraps the optimizer with a dynamic loss scale
under `mixed_float16`, and with none under other policies. The rule moves a number to the optimizer
of each `compile`, if the program sets the policy once, then creates its models, and compiles them
with optimizers that the codemod can see. It removes a loss scale if the program trains in loops of
its own and compiles no model, or only with optimizers that it wraps itself, because `compile` did
not wrap these again. It reports all other combinations.

With `--unsafe-fixes`, it also removes a loss scale if the file compiles no model, because only
`compile` uses it, and if the policy's name is unknown, so that the loss scale may be its default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.constant_evaluation import constant
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_types import LossScaleType
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.program_files import others_name
from lossscale_codemods.editing.edits import remove_item
from lossscale_codemods.rules.base import Case, ObservedFix, Review, Rewrite, Rule, Verdict, rename
from lossscale_codemods.rules.ls501_policies import dead_name
from lossscale_codemods.rules.shared.keras_3_places import NOT_FIXED
from lossscale_codemods.rules.shared.literal_policies import SCALED, name_of, policy_argument
from lossscale_codemods.rules.shared.loss_scale_arguments import ArgumentReader
from lossscale_codemods.rules.shared.policies_without_compile import decides_nothing
from lossscale_codemods.rules.shared.policy_compiles import compiled_optimizers, other_files_compile
from lossscale_codemods.vocabulary.names import (
    Meaning,
    Target,
    loss_scale_class,
    loss_scale_optimizers,
)
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.editing.name_rendering import NameRenderer

_TRAINING = ("fit", "fit_generator", "train_on_batch")
_OWN_SCALES = (
    "policy mixed_float16: dynamic 32768 2000",
    *(f"policy {name}: None" for name in ("float32", "float16", "bfloat16", "mixed_bfloat16")),
)
"""Policies in a recorded run with the loss scale that they have anyway."""
_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental.Policy"
_NEW = "tf.keras.mixed_precision.Policy"


class PolicyObjects(Rule):
    """Rewrites constructors of policies."""

    id = "LS502"
    title = "Policies with a loss scale"
    explains = frozenset({Meaning.POLICY})
    invalid = (
        Case(f"{_HEAD}p = {_OLD}('mixed_float16')\n", f"{_HEAD}p = {_NEW}('mixed_float16')\n"),
        Case(
            f"{_HEAD}p = {_OLD}('mixed_float16', loss_scale='dynamic')\n",
            f"{_HEAD}p = {_NEW}('mixed_float16')\n",
        ),
        Case(
            f"{_HEAD}p = {_OLD}('mixed_bfloat16', None)\n",
            f"{_HEAD}p = {_NEW}('mixed_bfloat16')\n",
        ),
        Case(
            f"{_HEAD}p = {_OLD}('mixed_float16', loss_scale=128)\n"
            "tf.keras.mixed_precision.experimental.set_policy(p)\n"
            "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
            "model.compile(tf.keras.optimizers.legacy.Adam(), 'mse')\n",
            f"{_HEAD}p = {_NEW}('mixed_float16')\n"
            "tf.keras.mixed_precision.set_global_policy(p)\n"
            "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
            "model.compile(tf.keras.mixed_precision.LossScaleOptimizer("
            "tf.keras.optimizers.legacy.Adam(), dynamic=False, initial_scale=128), 'mse')\n",
        ),
        Case(
            f"{_HEAD}p = {_OLD}('mixed_float16', loss_scale=None)\n"
            "tf.keras.mixed_precision.experimental.set_policy(p)\n"
            "def step(model, x, y):\n"
            "    with tf.GradientTape() as tape:\n"
            "        loss = tf.reduce_mean((model(x) - y) ** 2)\n"
            "    return tape.gradient(loss, model.trainable_variables)\n",
            f"{_HEAD}p = {_NEW}('mixed_float16')\n"
            "tf.keras.mixed_precision.set_global_policy(p)\n"
            "def step(model, x, y):\n"
            "    with tf.GradientTape() as tape:\n"
            "        loss = tf.reduce_mean((model(x) - y) ** 2)\n"
            "    return tape.gradient(loss, model.trainable_variables)\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}p = {_OLD}('mixed_float16', loss_scale=128)\nmodel.compile(opt)\n",
            review="wrap the optimizer",
        ),
        Case(
            f"{_HEAD}p = {_OLD}('mixed_float16', loss_scale=None)\n",
            review="always wraps",
            unsafe=f"{_HEAD}p = {_NEW}('mixed_float16')\n",
        ),
        Case(
            f"{_HEAD}p = {_OLD}(name, loss_scale='dynamic')\n",
            review="which policy",
            unsafe=f"{_HEAD}p = {_NEW}(name)\n",
        ),
        Case(
            f"{_HEAD}p = {_OLD}(name, loss_scale=None)\nmodel.compile(opt)\n",
            review="which policy",
            unsafe=f"{_HEAD}p = {_NEW}(name)\nmodel.compile(opt)\n",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Drops a loss scale that the policy has anyway."""
        call = program.call(occurrence)
        if occurrence.meaning is not Meaning.POLICY or call is None:
            return None
        if any(a.star for a in call.args):
            return Review(
                "its arguments are unpacked, so they cannot be seen here",
                "Take loss_scale out of them: the new Policy does not have it.",
            )
        dead = dead_name(call)
        if dead is not None:
            return Review(
                f"there is no policy of this name any more: {dead!r}",
                "Say the dtype that is meant: 'mixed_float16', 'mixed_bfloat16' or 'float32'.",
            )
        scale = policy_argument(call, 1, "loss_scale")
        if scale is None:
            return rename("the current class", occurrence)
        argument = scale
        number = self._number(call, scale, program)
        compiled = compiled_optimizers(call, program) if number is not None else None
        if compiled is not None and program.target is Target.KERAS3_ALONE:
            return NOT_FIXED
        if compiled is not None:
            wrapped = compiled

            def wrapping(renderer: NameRenderer) -> Sequence[Edit]:
                removed = remove_item(program.tree, call.args, [argument])
                name = renderer.render_path(occurrence, *loss_scale_optimizers(program.target))
                made = [*renderer.name_edit(occurrence), *removed]
                for optimizer in wrapped:
                    start, end = program.tree.full_span(optimizer)
                    behind = f", dynamic=False, initial_scale={number})"
                    made += [Edit(start, start, f"{name}("), Edit(end, end, behind)]
                return made

            return Rewrite("the loss scale moves to the optimizer that `compile` gets", wrapping)
        refusal = self._refusal(call, scale, program)
        if refusal is None and self._config_is_read(call, program):
            refusal = Review(
                "get_config() is read from it, and has a loss scale only where one was given",
                "Read nothing of the loss scale from the config, then drop loss_scale.",
            )

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            removed = remove_item(program.tree, call.args, [argument])
            return [*renderer.name_edit(occurrence), *removed]

        if refusal is None:
            return Rewrite("the loss scale is the one that this policy has anyway", edits)
        if decides_nothing(call, scale.value, program):
            return Rewrite(
                "the loss scale of a policy is for optimizers that `compile` wraps, and it wraps "
                "none here",
                edits,
                claims=[
                    other
                    for other in program.references
                    if any(other.node is part for part in program.tree.walk(scale.value))
                ],
            )
        likely = self._why_likely(call, scale, program)
        if likely is not None:
            refusal.unsafe_fix = Rewrite(likely, edits)
        if not self._config_is_read(call, program):
            same = Rewrite("the loss scale is the one that this policy has anyway", edits)
            refusal.observed_fixes = [ObservedFix("policy", (seen,), same) for seen in _OWN_SCALES]
        return refusal

    def _why_likely(self, call: cst.Call, scale: cst.Arg, program: Program) -> str | None:
        """Says why a policy probably does the same without its loss scale, if it does."""
        if program.reads_by_attribute.get("loss_scale") or self._config_is_read(call, program):
            return None
        named = name_of(call, program)
        known = ArgumentReader(program).types(scale.value)
        if named is None and known <= {LossScaleType.DYNAMIC, LossScaleType.NOTHING}:
            return "it is probably the loss scale that this policy has anyway"
        if program.reads_by_attribute.get("compile"):
            return None
        # What is compiled elsewhere may be no model: then nothing is trained as one is.
        modules = program.types.project.modules
        if other_files_compile(program) and others_name(modules, _TRAINING):
            return None
        return "the loss scale of a policy is for `compile`, which is not called here"

    def _number(self, call: cst.Call, scale: cst.Arg, program: Program) -> str | None:
        """Returns the source of a loss scale that is a constant, of the policy `mixed_float16`."""
        if name_of(call, program) != SCALED:
            return None
        try:
            value = constant(program.tree.source(scale.value))
        except ValueError:
            return None
        fits = isinstance(value, int | float) and not isinstance(value, bool) and value >= 1
        return program.tree.source(scale.value) if fits else None

    @staticmethod
    def _config_is_read(call: cst.Call, program: Program) -> bool:
        """Whether `get_config` is called on a policy, whatever name it has at that point."""
        tree = program.tree
        is_held = isinstance(tree.parent(call), cst.Element | cst.DictElement)
        reads = [
            node
            for node in program.reads_by_attribute.get("get_config", ())
            if any(
                value.made_by is call or (is_held and value.kind is ObjectType.UNKNOWN)
                for value in program.types.values(node.value)
            )
        ]
        return any(isinstance(tree.parent(node), cst.Call) for node in reads)

    def _refusal(self, call: cst.Call, scale: cst.Arg, program: Program) -> Review | None:
        name = name_of(call, program)
        kinds = ArgumentReader(program).types(scale.value)
        source = program.tree.source(scale.value)
        if name is None:
            return Review(
                "which policy it is cannot be seen here, and with it what loss scale it has anyway",
                "Drop loss_scale for ('mixed_float16', 'dynamic') and (any other, None); "
                "otherwise wrap the optimizer yourself.",
            )
        if name == SCALED:
            if kinds == {LossScaleType.DYNAMIC}:
                return None
            if kinds == {LossScaleType.NOTHING}:
                return Review(
                    "under mixed_float16, Model.compile always wraps the optimizer with a dynamic "
                    "loss scale, and loss_scale=None asked for none",
                    "Drop loss_scale=None if that is fine; otherwise write the training loop "
                    "yourself, or keep the policy with `--target compat`.",
                )
        elif kinds == {LossScaleType.NOTHING}:
            return None
        if LossScaleType.UNKNOWN in kinds or len(kinds) > 1:
            return Review(
                f"the new Policy has no loss scale, and whether {source} is the one that {name!r} "
                "has is known only when the program runs",
                "Drop it if it is; otherwise wrap the optimizer before Model.compile with "
                "LossScaleOptimizer.",
            )
        return Review(
            f"the new Policy has no loss scale, and {source} is not the one that {name!r} has",
            "Drop it, and wrap the optimizer before Model.compile, unless it is wrapped already: "
            f"LossScaleOptimizer(optimizer, {self._new_arguments(scale.value, program)}).",
        )

    @staticmethod
    def _new_arguments(node: cst.BaseExpression, program: Program) -> str:
        """Returns the arguments, without their values, that a loss scale becomes."""
        made = [node, *(b.value for b in program.resolver.bindings(node) if b.value is not None)]
        paths = [program.resolver.path(one.func) for one in made if isinstance(one, cst.Call)]
        if any(path and loss_scale_class(path) == "DynamicLossScale" for path in paths):
            return "initial_scale=..., dynamic_growth_steps=..."
        return "dynamic=False, initial_scale=..."
