# SPDX-License-Identifier: Apache-2.0
"""Keras optimizers become those of Keras 3, with their arguments (`--target keras3`).

Where `tf.keras` is Keras 3, `tf.keras.optimizers.Adam` is Keras 3's Adam. `lr` becomes
`learning_rate`. Keras 3 ignores `decay`, so a schedule that computes the same replaces it. SGD,
Adadelta and Ftrl give the same results to the bit. Adagrad, Adam, Adamax, and RMSprop with momentum
differ only by rounding.

The rule reports what Keras 3 computes differently: Nadam, RMSprop without momentum, sparse
gradients except in plain SGD, and subclasses, which implement other methods.

With `--unsafe-fixes`, RMSprop gets the square of its epsilon. Then its results are the same for
gradients far below epsilon and far above it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import all_bindings
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.analysis.optimizer_names import looked_up_name
from lossscale_codemods.rules.base import (
    Case,
    ImportState,
    Review,
    Rewrite,
    Rule,
    Suppressed,
    Verdict,
    rename,
)
from lossscale_codemods.rules.shared.keras_3_constructors import OptimizerConstructors
from lossscale_codemods.rules.shared.keras_3_places import Places
from lossscale_codemods.vocabulary import keras_3_optimizers
from lossscale_codemods.vocabulary.names import WITH_KERAS_3, Meaning, OldName

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.editing.names import NameRenderer
    from lossscale_codemods.vocabulary.records import Edit

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental"
_NEW = "tf.keras.mixed_precision"
_SET = f"{_OLD}.set_policy('float32')\n"
_IS_SET = f"{_NEW}.set_global_policy('float32')\n"
_MESSAGE = "Keras 3 has one family of optimizers"


class Keras3Optimizers(Rule):
    """Maps the arguments of optimizers, and takes the family out of their names."""

    id = "LS221"
    title = "Optimizers of Keras 3"
    order = 1
    """What other rules find tells whether this is a program with old names."""
    targets = WITH_KERAS_3
    shows_imports = True
    invalid = (
        Case(
            f"{_HEAD}{_SET}opt = tf.keras.optimizers.SGD(lr=0.1, momentum=0.9)\n",
            f"{_HEAD}{_IS_SET}opt = tf.keras.optimizers.SGD(learning_rate=0.1, momentum=0.9)\n",
        ),
        Case(
            f"{_HEAD}{_SET}opt = tf.keras.optimizers.Adam(0.1, decay=1e-4)\n",
            f"{_HEAD}{_IS_SET}opt = tf.keras.optimizers.Adam(learning_rate="
            "tf.keras.optimizers.schedules.InverseTimeDecay(0.1, 1, 1e-4))\n",
        ),
        Case(
            f"{_HEAD}from tensorflow.keras.optimizers.legacy import Adam\n{_SET}opt = Adam(1e-3)\n",
            f"{_HEAD}from tensorflow.keras.optimizers import Adam\n{_IS_SET}opt = Adam(1e-3)\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}{_SET}opt = tf.keras.optimizers.RMSprop(0.1)\n",
            f"{_HEAD}{_IS_SET}opt = tf.keras.optimizers.RMSprop(0.1)\n",
            review="adds epsilon under the root",
            unsafe=f"{_HEAD}{_IS_SET}opt = tf.keras.optimizers.RMSprop(0.1, epsilon=1e-14)\n",
        ),
        Case(
            f"{_HEAD}{_SET}class Mine(tf.keras.optimizers.Optimizer):\n    pass\n",
            f"{_HEAD}{_IS_SET}class Mine(tf.keras.optimizers.Optimizer):\n    pass\n",
            review="other methods",
        ),
        Case(
            f"{_HEAD}{_SET}opt = tf.keras.optimizers.Adam(1e-3)\n",
            f"{_HEAD}{_IS_SET}opt = tf.keras.optimizers.Adam(1e-3)\n",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the classes whose name, or whose arguments, do not stay as they are."""
        if not is_part_of_old(program):
            return
        places = Places(program, self.id)
        constructors = OptimizerConstructors(program)
        looked_up = [
            n for n in program.tree.parents if isinstance(n, cst.Call) and looked_up_name(n)
        ]
        for node in (*program.scopes.scope_of_read, *looked_up):
            if not isinstance(node, cst.Name | cst.Attribute | cst.Call):
                continue
            paths = program.resolver.paths(node)
            known = [p for p in paths if p is not None and _is_known(p)]
            if not known or places.is_for_old(node) or self._is_front(node, program):
                continue
            old = tuple(_old_name(path) for path in known if _old_name(path) is not None)
            occurrence = places.occurrence(node, tuple(one for one in old if one is not None))
            if constructors.verdict(node, known) is not None or self._is_renamed(occurrence):
                occurrence.ambiguous = len(known) < len(paths)
                yield occurrence
        for call in constructors.unnamed_calls():
            if not places.is_for_old(call):
                yield places.occurrence(call.func)

    def find_imports(self, program: Program) -> Iterator[Occurrence]:
        """Yields imports that say a family."""
        if not is_part_of_old(program):
            return
        places = Places(program, self.id)
        for binding in all_bindings(program.resolver):
            old = _old_name(binding.path or "")
            if old is not None and not places.is_for_old(binding.node):
                span = program.tree.span(binding.node)
                yield Occurrence(binding.node, span, Role.IMPORT, (old,), rule=self.id)

    @staticmethod
    def _is_front(node: cst.CSTNode, program: Program) -> bool:
        """Whether an expression is the module in front of a class that is looked at itself."""
        above = program.tree.parent(node)
        if not isinstance(above, cst.Attribute):
            return False
        return any(p is not None and _is_known(p) for p in program.resolver.paths(above))

    @staticmethod
    def _is_renamed(occurrence: Occurrence) -> bool:
        """Whether an expression says a family, and not by an imported name alone."""
        return bool(occurrence.names) and isinstance(occurrence.node, cst.Attribute)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Maps the arguments, or says what is otherwise."""
        node = occurrence.node
        if occurrence.rule != self.id or not isinstance(node, cst.BaseExpression):
            return None
        paths = [p for p in program.resolver.paths(node) if p is not None and _is_known(p)]
        constructors = OptimizerConstructors(program)
        verdict = constructors.verdict(node, paths) if paths else constructors.of_unnamed(node)
        if verdict is None:
            return rename(_MESSAGE, occurrence)
        if isinstance(verdict, Review) or not self._is_renamed(occurrence):
            return verdict
        mapped = verdict

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            return [*renderer.name_edit(occurrence), *mapped.edits(renderer)]

        return Rewrite(mapped.message, edits)

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict | None:
        """Says what became of an import that says a family."""
        del occurrence
        if state.reason == "suppressed":
            return Suppressed()
        if any(binding.moved or binding.dropped for binding in state.bindings):
            return Rewrite(_MESSAGE, lambda _: [])
        return Review(
            f"the import stays as it is: {state.reason or 'it cannot be taken apart'}",
            "Import the class from tensorflow.keras.optimizers: Keras 3 has no other family.",
        )


def _is_known(path: str) -> bool:
    named = keras_3_optimizers.class_at(path)
    return named is not None or keras_3_optimizers.without_family(path) is not None


def _old_name(path: str) -> OldName | None:
    new = keras_3_optimizers.without_family(path)
    return None if new is None else OldName(path, Meaning.KERAS_OPTIMIZER, (new,))
