# SPDX-License-Identifier: Apache-2.0
"""Keras optimizers keep their class: `tf.keras.optimizers.Adam` is in `legacy` today.

TensorFlow 2.11 gave the names in `tf.keras.optimizers` to a new family of classes:
https://github.com/tensorflow/tensorflow/releases/tag/v2.11.0. The old classes are in
`tf.keras.optimizers.legacy`. The new family takes no `decay`, has no `get_gradients`, `get_weights`
or `add_slot`, and calls other methods of a subclass than `_resource_apply_dense`. Its Adam and
RMSprop differ in the sixth digit. `compat-lossscale run` gives programs the old classes, and so
does this rule, wherever a program creates a class, inherits from it, tests for it or passes it on.

The rule applies to files with old names, and to files that run in the same program. A program of
TensorFlow 2.4 to 2.10 can have names of today alone. If it gives an optimizer `decay`, `lr` or
another argument that only the old classes take, it is an old program as well.
`--new-optimizers` leaves the names as they are: see LS213.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import import_path
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.analysis.optimizer_names import OptimizerNames
from lossscale_codemods.editing.edits import insert_line
from lossscale_codemods.rules.base import (
    Case,
    ImportState,
    Review,
    Rewrite,
    Rule,
    Suppressed,
    Verdict,
)
from lossscale_codemods.rules.markers import OLD_NAMES, Marker
from lossscale_codemods.vocabulary.names import WITH_KERAS_2
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental"
_NEW = "tf.keras.mixed_precision"
_MESSAGE = "the class that TensorFlow had under this name up to 2.10"


class OptimizerFamily(Rule):
    """Respells the classes of Keras optimizers."""

    id = "LS211"
    title = "Family of Keras optimizers"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_2
    shows_imports = True
    markers = (*OLD_NAMES, Marker(b"set_global_policy", (b"decay", b"lr", b"gradient_")))
    not_handled = (
        "Optimizers that a file outside of the paths makes, of Keras 3, and of packages such as "
        "`tensorflow_addons`."
    )
    invalid = (
        Case(
            f"{_HEAD}opt = tf.keras.optimizers.Adam(1e-3, decay=1e-4)\n"
            f"opt = {_OLD}.LossScaleOptimizer(opt, 'dynamic')\n",
            f"{_HEAD}opt = tf.keras.optimizers.legacy.Adam(1e-3, decay=1e-4)\n"
            f"opt = {_NEW}.LossScaleOptimizer(opt)\n",
        ),
        Case(
            "from tensorflow.keras import mixed_precision\n"
            "from tensorflow.keras.optimizers import SGD, schedules\n\n"
            "mixed_precision.experimental.set_policy('mixed_float16')\n"
            "opt = SGD(schedules.ExponentialDecay(0.1, 100, 0.9))\n",
            "from tensorflow.keras import mixed_precision\n"
            "from tensorflow.keras.optimizers import schedules\n"
            "from tensorflow.keras.optimizers.legacy import SGD\n\n"
            "mixed_precision.set_global_policy('mixed_float16')\n"
            "opt = SGD(schedules.ExponentialDecay(0.1, 100, 0.9))\n",
        ),
        Case(
            f"{_HEAD}{_OLD}.set_policy('mixed_float16')\n\n"
            "class Mine(tf.keras.optimizers.Optimizer):\n"
            "    pass\n\n"
            "assert isinstance(opt, (Mine, tf.keras.optimizers.SGD))\n",
            f"{_HEAD}{_NEW}.set_global_policy('mixed_float16')\n\n"
            "class Mine(tf.keras.optimizers.legacy.Optimizer):\n"
            "    pass\n\n"
            "assert isinstance(opt, (Mine, tf.keras.optimizers.legacy.SGD))\n",
        ),
        Case(
            f"from tensorflow.keras.optimizers import *\n{_HEAD}"
            f"{_OLD}.set_policy('mixed_float16')\nopt = Adam(1e-3)\n",
            "from tensorflow.keras.optimizers import *\n"
            f"from tensorflow.keras.optimizers.legacy import *\n{_HEAD}"
            f"{_NEW}.set_global_policy('mixed_float16')\nopt = Adam(1e-3)\n",
        ),
        Case(
            f"{_HEAD}opt = {_NEW}.LossScaleOptimizer(tf.keras.optimizers.Adam(decay=1))\n",
            f"{_HEAD}opt = {_NEW}.LossScaleOptimizer(tf.keras.optimizers.legacy.Adam(decay=1))\n",
        ),
    )
    valid = (
        Case(f"{_HEAD}opt = tf.keras.optimizers.Adam(1e-3)\n"),
        Case(f"{_HEAD}opt = {_NEW}.LossScaleOptimizer(tf.keras.optimizers.Adam(1e-3))\n"),
        Case(
            f"{_HEAD}{_OLD}.set_policy('mixed_float16')\n"
            "opt = tf.keras.optimizers.legacy.Adam(1e-3)\n",
            f"{_HEAD}{_NEW}.set_global_policy('mixed_float16')\n"
            "opt = tf.keras.optimizers.legacy.Adam(1e-3)\n",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the classes where they are read of their module, and star imports of that."""
        if program.legacy_optimizers and is_part_of_old(program):
            names = OptimizerNames(program, self.id)
            yield from names.classes()
            yield from names.stars()

    def find_imports(self, program: Program) -> Iterator[Occurrence]:
        """Yields imports of the classes."""
        if program.legacy_optimizers and is_part_of_old(program):
            yield from OptimizerNames(program, self.id).imports()

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells the class: it was of the legacy family, whatever is done with it."""
        node = occurrence.node
        if occurrence.rule != self.id:
            return None
        if isinstance(node, cst.ImportFrom):
            line = program.tree.statement(node)
            text = f"from {import_path(node)}.legacy import *"
            return Rewrite(
                "the classes that TensorFlow had under these names up to 2.10 take their place",
                lambda _: insert_line(program.tree, line, text, behind=True),
                is_rename=True,
            )
        if occurrence.ambiguous:
            return Review(
                "what is in front of the class can be the module of Keras' optimizers, and "
                "other things",
                "Take the class from tf.keras.optimizers.legacy where it is of tf.keras, to keep "
                "it what it was.",
            )
        start, end = occurrence.span
        place = _end_of_module(occurrence, program)
        old = program.tree.slice(occurrence.span)
        new = f"{program.tree.slice((start, place))}.legacy{program.tree.slice((place, end))}"
        return Rewrite(
            _MESSAGE,
            lambda _: [Edit(place, place, ".legacy")],
            is_rename=True,
            instead=(old, new),
        )

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict | None:
        """Says what became of an import of a class."""
        del occurrence
        if state.reason == "suppressed":
            return Suppressed()
        if any(binding.moved for binding in state.bindings):
            return Rewrite(_MESSAGE, lambda _: [])
        return Review(
            f"the import stays as it is: {state.reason or 'it cannot be taken apart'}",
            "Import the class from tensorflow.keras.optimizers.legacy to keep it what it was.",
        )


def _end_of_module(occurrence: Occurrence, program: Program) -> int:
    """Returns where the module ends that is in front of a class."""
    node = occurrence.node
    if isinstance(node, cst.Attribute):
        return program.tree.full_span(node.value)[1]
    if isinstance(node, cst.Call):
        return program.tree.full_span(node.args[0].value)[1]
    module = program.tree.slice(occurrence.span).rpartition(".")[0]
    return occurrence.span[0] + len(module.encode())
