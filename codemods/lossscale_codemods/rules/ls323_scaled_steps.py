# SPDX-License-Identifier: Apache-2.0
"""`get_scaled_loss ... get_unscaled_gradients ... apply_gradients` becomes `scale_loss ... apply`.

In Keras 3, `apply` takes gradients that are still scaled, and unscales them itself
(`--target keras3`). The rule rewrites a step if nothing else uses the unscaled gradients and the
loss is proven to be float32. Old TensorFlow multiplied a float16 loss in float16, where it can
overflow, and Keras 3 multiplies it in float32. compat_lossscale.keras3 has the methods of
TensorFlow 2.4 too, so a step stays if the program clips or reads the unscaled gradients.

A program that calls `get_scaled_loss(tf.constant(1.0))` to get the loss scale reads `loss_scale`.

With `--no-dependency`, the rule reports steps that it does not rewrite, because Keras 3 cannot
unscale gradients for you.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.markers import OLD_NAMES, Marker
from lossscale_codemods.rules.shared.attribute_reads import rewrite
from lossscale_codemods.rules.shared.keras_3_places import Places, optimizer_kinds
from lossscale_codemods.rules.shared.scaled_steps import ScaledSteps
from lossscale_codemods.vocabulary.names import WITH_KERAS_3, Target
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

_HEAD = (
    "import tensorflow as tf\n"
    "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(\n"
    "    tf.keras.optimizers.SGD(0.1), 'dynamic')\n"
)
_NEW_HEAD = (
    "import tensorflow as tf\n"
    "from compat_lossscale import keras3\n"
    "opt = keras3.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), count_skipped_steps=True)\n"
)
_FITTING = ("fit", "fit_generator", "train_on_batch")
_TAPE = "with tf.GradientTape() as tape:\n"
_NO_METHOD = Review(
    "Keras 3 cannot unscale gradients for you: its `apply` takes scaled ones",
    "Write `scale_loss` and `apply`, and do nothing with the gradients between them; or do without "
    "--no-dependency.",
)


class ScaledStepMethods(Rule):
    """Rewrites whole steps."""

    id = "LS323"
    title = "Training steps with a scaled loss"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3
    markers = (*OLD_NAMES, Marker(b"get_scaled_loss"), Marker(b"get_unscaled_gradients"))
    invalid = (
        Case(
            f"{_HEAD}{_TAPE}    loss = compute(x)\n    scaled = opt.get_scaled_loss(loss)\n"
            "gradients = tape.gradient(scaled, variables)\n"
            "gradients = opt.get_unscaled_gradients(gradients)\n"
            "opt.apply_gradients(zip(gradients, variables))\n",
            f"{_NEW_HEAD}{_TAPE}    loss = compute(x)\n    scaled = opt.scale_loss(loss)\n"
            "gradients = tape.gradient(scaled, variables)\n"
            "opt.apply(gradients, variables)\n",
        ),
        Case(
            f"{_HEAD}print(opt.get_scaled_loss(tf.constant(1.0)))\n",
            f"{_NEW_HEAD}print(opt.loss_scale)\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}{_TAPE}    scaled = opt.get_scaled_loss(compute(x))\n"
            "gradients = opt.get_unscaled_gradients(tape.gradient(scaled, variables))\n"
            "gradients, _ = tf.clip_by_global_norm(gradients, 1.0)\n"
            "opt.apply_gradients(zip(gradients, variables))\n",
            f"{_NEW_HEAD}{_TAPE}    scaled = opt.get_scaled_loss(compute(x))\n"
            "gradients = opt.get_unscaled_gradients(tape.gradient(scaled, variables))\n"
            "gradients, _ = tf.clip_by_global_norm(gradients, 1.0)\n"
            "opt.apply_gradients(zip(gradients, variables))\n",
        ),
        Case(
            f"{_HEAD}model = tf.keras.Sequential(layers)\nmodel.compile(opt)\nmodel.fit(x)\n"
            "opt.apply_gradients([(tf.constant(1.0), weight)])\n",
            f"{_NEW_HEAD}model = tf.keras.Sequential(layers)\nmodel.compile(opt)\nmodel.fit(x)\n"
            "opt.apply_gradients([(tf.constant(1.0), weight)])\n",
            review="takes the gradients for scaled ones",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the calls of steps, and others of these methods that are reported."""
        if not is_part_of_old(program):
            return
        places = Places(program, self.id)
        for call in self._decided(program):
            if not places.is_for_old(call):
                yield places.occurrence(call.func)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Rewrites the call as a part of its step."""
        if occurrence.rule != self.id:
            return None
        call = program.tree.parent(occurrence.node)
        return self._decided(program).get(call) if isinstance(call, cst.Call) else None

    def _decided(self, program: Program) -> dict[cst.Call, Verdict]:
        steps = ScaledSteps(program)
        alone = program.target is Target.KERAS3_ALONE
        verdicts: dict[cst.Call, Verdict] = {}
        for call in steps.calls["get_scaled_loss"]:
            if steps.is_probe(call):
                verdicts[call] = self._of_probe(call, program)
        for step in steps.convertible:
            verdicts.update({call: rewrite(why, edits) for call, why, edits in steps.edits(step)})
        if alone:
            for name, calls in steps.calls.items():
                for call in calls:
                    if name != "apply_gradients" or self._is_wrapper(call, program):
                        verdicts.setdefault(call, _NO_METHOD)
        elif self._fits(program) and not steps.calls["get_unscaled_gradients"]:
            for call in steps.calls["apply_gradients"]:
                if self._is_wrapper(call, program):
                    verdicts.setdefault(
                        call,
                        Review(
                            "once `fit` has trained with this optimizer, it takes the gradients "
                            "for scaled ones, as `fit` gives them",
                            "Unscale them with `get_unscaled_gradients`, or use another optimizer.",
                        ),
                    )
        return verdicts

    @staticmethod
    def _is_wrapper(call: cst.Call, program: Program) -> bool:
        assert isinstance(call.func, cst.Attribute)
        return ObjectType.WRAPPER in optimizer_kinds(call.func.value, program)

    @staticmethod
    def _fits(program: Program) -> bool:
        return any(program.reads_by_attribute.get(name) for name in _FITTING)

    @staticmethod
    def _of_probe(call: cst.Call, program: Program) -> Verdict:
        assert isinstance(call.func, cst.Attribute)
        name = call.func.attr
        if program.target is Target.KERAS3_ALONE:
            return rewrite(
                "scaled by the method of Keras 3", [Edit(*program.tree.span(name), "scale_loss")]
            )
        start, end = program.tree.span(name)[0], program.tree.span(call)[1]
        return rewrite("the loss scale, which it asked for", [Edit(start, end, "loss_scale")])
