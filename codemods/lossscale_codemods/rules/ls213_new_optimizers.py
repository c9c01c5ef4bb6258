# SPDX-License-Identifier: Apache-2.0
"""With `--new-optimizers`, differences of the new family of Keras optimizers are reported.

The names in `tf.keras.optimizers` stay, and mean the classes of TensorFlow 2.11 and later. To keep
the old classes, see LS211. The new classes refuse `decay` and ignore `lr`. Their subclasses
implement `build` and `update_step`, and some methods of the old classes no longer exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.old_programs import is_part_of_old
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.vocabulary import optimizer_families
from lossscale_codemods.vocabulary.names import WITH_KERAS_2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_HEAD = (
    "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
)
_NEW_HEAD = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
_REFUSED = {
    "decay": "refuse `decay`",
    "lr": "do not look at `lr`, but take their default learning rate",
    "gradient_aggregator": "refuse `gradient_aggregator`",
    "gradient_transformers": "refuse `gradient_transformers`",
}
_GONE = frozenset(
    {"add_slot", "add_weight", "get_gradients", "get_slot", "get_slot_names", "get_updates"}
    | {"get_weights", "set_weights", "_get_hyper", "_set_hyper", "_serialize_hyperparameter"}
    | {"_create_slots", "_resource_apply_dense", "_resource_apply_sparse", "_decayed_lr"}
)
_KEEP = "leave out --new-optimizers to keep the classes that these were."


class NewOptimizers(Rule):
    """Reports what is other in the new family, where that is asked for."""

    id = "LS213"
    title = "New Keras optimizers"
    order = 1
    targets = WITH_KERAS_2
    valid = (
        Case(
            f"{_HEAD}opt = tf.keras.optimizers.Adam(1e-3, decay=1e-4)\n",
            f"{_NEW_HEAD}opt = tf.keras.optimizers.Adam(1e-3, decay=1e-4)\n",
            review="refuse `decay`",
            new_optimizers=True,
        ),
        Case(
            f"{_HEAD}class Mine(tf.keras.optimizers.Optimizer):\n    pass\n",
            f"{_NEW_HEAD}class Mine(tf.keras.optimizers.Optimizer):\n    pass\n",
            review="other methods of a subclass",
            new_optimizers=True,
        ),
        Case(
            f"{_HEAD}state = tf.keras.optimizers.Adam().get_weights()\n",
            f"{_NEW_HEAD}state = tf.keras.optimizers.Adam().get_weights()\n",
            review="have no get_weights",
            new_optimizers=True,
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields what is written for the old family."""
        if program.legacy_optimizers or not is_part_of_old(program):
            return
        for node in program.scopes.scope_of_read:
            if isinstance(node, cst.Name | cst.Attribute) and _review(node, program) is not None:
                yield Occurrence(node, program.tree.span(node), Role.OPTIMIZER, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports it."""
        node = occurrence.node
        if occurrence.rule != self.id or not isinstance(node, cst.Name | cst.Attribute):
            return None
        return _review(node, program)


def _review(node: cst.Name | cst.Attribute, program: Program) -> Review | None:
    paths = program.resolver.paths(node)
    if any(path is not None and optimizer_families.legacy_class(path) for path in paths):
        return _of_class(node, program)
    if isinstance(node, cst.Attribute) and node.attr.value in _GONE:
        kinds = program.types.of(node.value)
        if kinds <= {ObjectType.KERAS, ObjectType.WRAPPER, ObjectType.NOTHING}:
            return Review(
                f"the new optimizers have no {node.attr.value}",
                f"Use what they have instead, such as `variables` and `build`, or {_KEEP}",
            )
    return None


def _of_class(node: cst.Name | cst.Attribute, program: Program) -> Review | None:
    above = program.tree.parent(node)
    if isinstance(above, cst.Call) and above.func is node:
        given = [a.keyword.value for a in above.args if a.keyword and a.keyword.value in _REFUSED]
        if given:
            what = " and ".join(_REFUSED[name] for name in given)
            return Review(
                f"the new optimizers {what}",
                f"Give a learning rate, or a schedule, as `learning_rate`, or {_KEEP}",
            )
    if isinstance(above, cst.Arg) and isinstance(program.tree.parent(above), cst.ClassDef):
        return Review(
            "the new optimizers call other methods of a subclass",
            f"Implement `build` and `update_step`, or {_KEEP}",
        )
    return None
