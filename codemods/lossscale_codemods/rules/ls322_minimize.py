# SPDX-License-Identifier: Apache-2.0
"""`optimizer.minimize(loss, variables)` calls a function in the file (`--target keras3`).

Keras 3's optimizers have no `minimize`. The codemod adds a small function that does the same: it
computes the gradients with a tape, of the scaled loss if the optimizer scales it, and applies them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.occurrences import Occurrence
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.analysis.what_is import looks_like_optimizer
from lossscale_codemods.rules.base import Case, Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.shared.keras_3_places import Places, optimizer_kinds
from lossscale_codemods.rules.shared.step_variables import OTHER_VARIABLES, has_other_variables
from lossscale_codemods.vocabulary.names import WITH_KERAS_3, Target, loss_scale_optimizers
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.editing.names import NameRenderer

HELPER = "_minimize"
_HEAD = '''
def {helper}(optimizer, loss, var_list, grad_loss=None, name=None, tape=None):
    """Does what `optimizer.minimize` did, which Keras 3 does not have."""
    tape = {tf}GradientTape() if tape is None else tape
    with tape:
        if not callable(var_list):
            tape.watch(var_list)
        if callable(loss):
            loss = loss()
'''
_PLAIN = """    variables = {tf}nest.flatten(var_list() if callable(var_list) else var_list)
    gradients = tape.gradient(loss, variables, grad_loss)
    return optimizer.apply_gradients(zip(gradients, variables))
"""
_STOCK = """        loss = optimizer.scale_loss(loss)
"""
_SCALED = """        if isinstance(optimizer, {wrapper}):
            loss = optimizer.get_scaled_loss(loss)
    variables = {tf}nest.flatten(var_list() if callable(var_list) else var_list)
    gradients = tape.gradient(loss, variables, grad_loss)
    if isinstance(optimizer, {wrapper}):
        gradients = optimizer.get_unscaled_gradients(gradients)
    return optimizer.apply_gradients(zip(gradients, variables))
"""
_OLD = (
    "import tensorflow as tf\n"
    "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(\n"
    "    tf.keras.optimizers.SGD(0.1), 'dynamic'\n)\n"
)


class Minimize(Rule):
    """Calls a function of the program instead."""

    id = "LS322"
    title = "`minimize`"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3
    invalid = (
        Case(
            f"{_OLD}opt.minimize(lambda: weight * weight, var_list=[weight])\n",
            "import tensorflow as tf\n"
            "from compat_lossscale import keras3\n\n"
            + (_HEAD + _SCALED).format(helper=HELPER, tf="tf.", wrapper="keras3.LossScaleOptimizer")
            + "\n\nopt = keras3.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), "
            "count_skipped_steps=True)\n"
            "_minimize(opt, lambda: weight * weight, var_list=[weight])\n",
        ),
    )
    valid = (
        Case(
            f"{_OLD}def step(optimizer):\n    optimizer.minimize(loss, variables)\n",
            "import tensorflow as tf\n"
            "from compat_lossscale import keras3\n"
            "opt = keras3.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), "
            "count_skipped_steps=True)\n"
            "def step(optimizer):\n    optimizer.minimize(loss, variables)\n",
            review="not proven",
        ),
        Case(
            f"{_OLD}scipy.optimize.minimize(f, x)\n".replace("import", "import scipy\nimport", 1),
            "import scipy\n"
            "import tensorflow as tf\n"
            "from compat_lossscale import keras3\n"
            "opt = keras3.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), "
            "count_skipped_steps=True)\n"
            "scipy.optimize.minimize(f, x)\n",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields reads of `minimize` of what is, or may be, a Keras optimizer."""
        if not is_part_of_old(program):
            return
        places = Places(program, self.id)
        for node in places.reads("minimize"):
            if optimizer_kinds(node.value, program) or _may_be_optimizer(node, program):
                yield places.occurrence(node)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Calls the function instead, if the optimizer is proven."""
        node = occurrence.node
        if occurrence.rule != self.id or not isinstance(node, cst.Attribute):
            return None
        call = program.tree.parent(node)
        if not isinstance(call, cst.Call) or call.func is not node:
            return Review(
                "Keras 3's optimizers have no `minimize`",
                "Compute the gradients with tf.GradientTape, and apply them.",
            )
        if not optimizer_kinds(node.value, program):
            return Review(
                "Keras 3's optimizers have no `minimize`; that this is one is not proven in this "
                "file",
                "If it is one, compute the gradients with tf.GradientTape, and apply them.",
            )
        if has_other_variables(node, program):
            return OTHER_VARIABLES
        owner = program.tree.source(node.value)
        start, end = program.tree.full_span(node)
        bracket = program.tree.text.index(b"(", end) + 1

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            name = self._helper(renderer, occurrence, program)
            separator = ", " if call.args else ""
            return [Edit(start, bracket, f"{name}({owner}{separator}")]

        return Rewrite("a function that does the same, and is added to the file", edits)

    @staticmethod
    def _helper(renderer: NameRenderer, occurrence: Occurrence, program: Program) -> str:
        tf = renderer.render_path(occurrence, "tensorflow.nest").removesuffix("nest")
        if program.target is Target.KERAS3_ALONE:
            source = _HEAD + _STOCK + _PLAIN
            return renderer.helper(HELPER, source.format(helper=HELPER, tf=tf), occurrence)
        wrapper = renderer.render_path(occurrence, *loss_scale_optimizers(program.target))
        source = (_HEAD + _SCALED).format(helper=HELPER, tf=tf, wrapper=wrapper)
        return renderer.helper(HELPER, source, occurrence)


def _may_be_optimizer(node: cst.Attribute, program: Program) -> bool:
    is_unknown = ObjectType.UNKNOWN in program.types.of(node.value)
    if not is_unknown or not looks_like_optimizer(node.value):
        return False
    return not any(path is not None for path in program.resolver.paths(node.value))
