# SPDX-License-Identifier: Apache-2.0
"""TensorFlow 2.4's LossScaleOptimizer becomes that of compat_lossscale.keras3 (`--target keras3`).

Keras 3 has a class of this name with another constructor, without `dynamic`, `loss_scale` and
`get_scaled_loss`. Its loss scale has no floor and no cap. Its `iterations`, which Adam and
schedules read, do not count skipped steps. compat_lossscale.keras3 has the arguments and the
methods of TensorFlow 2.4. With `count_skipped_steps=True`, `iterations` count as before.

With `--no-dependency`, Keras 3's own class stays, and the rule reports the differences. A program
that calls `scale_loss` or `stateless_apply` is written for Keras 3, and stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import Occurrence, Program, Role, Usage, all_bindings
from lossscale_codemods.rules.base import (
    Case,
    Ignore,
    ImportState,
    Review,
    Rewrite,
    Suppressed,
    Verdict,
    rename,
)
from lossscale_codemods.rules.markers import OPTIMIZER
from lossscale_codemods.rules.shared.constructors import COUNT_SKIPPED_STEPS, takes_old_arguments
from lossscale_codemods.rules.shared.keras_3_places import (
    NOT_FIXED,
    WITHOUT_FLOOR,
    Keras3Rule,
    is_for_old,
    is_moved,
    is_written_for_keras_3,
    old_name,
)
from lossscale_codemods.source.edits import append_arguments
from lossscale_codemods.tables.names import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.rules.name_rendering import NameRenderer
    from lossscale_codemods.tables.records import Edit

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.LossScaleOptimizer"
_NEW_HEAD = "from compat_lossscale import keras3\n\n"
_NEW = "keras3.LossScaleOptimizer"
_MESSAGE = "the class with the arguments and the loss scale of TensorFlow 2.4"


class NewLossScaleOptimizers(Keras3Rule):
    """Respells the class of TensorFlow 2.4, wherever it is used."""

    id = "LS223"
    title = "LossScaleOptimizer of TensorFlow 2.4"
    order = -1
    """What this finds makes a program an old one."""
    markers = (OPTIMIZER,)
    invalid = (
        Case(
            f"{_HEAD}\nopt = {_OLD}(opt, initial_scale=1024)\n",
            f"{_NEW_HEAD}opt = {_NEW}(opt, initial_scale=1024, count_skipped_steps=True)\n",
        ),
        Case(
            f"{_HEAD}\nopt = {_OLD}(opt, dynamic=False, initial_scale=scale)\n",
            f"{_NEW_HEAD}opt = {_NEW}(opt, dynamic=False, initial_scale=scale)\n",
        ),
        Case(
            "from tensorflow.keras.mixed_precision import LossScaleOptimizer\n\n"
            "ok = isinstance(opt, LossScaleOptimizer)\n",
            "from compat_lossscale.keras3 import LossScaleOptimizer\n\n"
            "ok = isinstance(opt, LossScaleOptimizer)\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}wrap = functools.partial({_OLD}, dynamic=True)\n",
            review="how it will be called cannot be seen",
        ),
        Case(
            f"{_HEAD}class Mine({_OLD}):\n    pass\n",
            review="Keras 3 calls other methods",
        ),
        Case(f"{_HEAD}opt = {_OLD}(opt)\nloss = opt.scale_loss(loss)\n"),
    )

    def applies(self, program: Program) -> bool:
        """Whether a file is not written for Keras 3."""
        return not is_written_for_keras_3(program)

    def verdicts(self, program: Program) -> Iterator[tuple[Occurrence, Verdict]]:
        """Yields the expressions that can be the class."""
        for node in program.scopes.scope_of_read:
            if not isinstance(node, cst.Name | cst.Attribute):
                continue
            paths = program.resolver.paths(node)
            known = [p for p in paths if p is not None and is_moved(p)]
            if not known or self._is_half_migrated(node, program):
                continue
            stays = program.target is Target.KERAS3_ALONE
            names = () if stays else tuple(old_name(path, program.target) for path in known)
            occurrence = self.occurrence(node, program, names)
            occurrence.is_old_use = True
            occurrence.ambiguous = len(known) < len(paths)
            yield occurrence, self._verdict(occurrence, program)

    @staticmethod
    def _is_half_migrated(node: cst.CSTNode, program: Program) -> bool:
        call = program.tree.parent(node)
        return isinstance(call, cst.Call) and call.func is node and takes_old_arguments(call)

    def find_imports(self, program: Program) -> Iterator[Occurrence]:
        """Yields the imports of the class."""
        if not self.applies(program) or program.target is Target.KERAS3_ALONE:
            return
        for binding in all_bindings(program.resolver):
            if is_moved(binding.path or "") and not is_for_old(binding.node, program):
                old = old_name(binding.path or "", program.target)
                span = program.tree.span(binding.node)
                yield Occurrence(binding.node, span, Role.IMPORT, (old,), rule=self.id)

    def _verdict(self, occurrence: Occurrence, program: Program) -> Verdict:
        """Respells it, and has `iterations` count as it did."""
        usage = program.usage(occurrence)
        if program.target is Target.KERAS3_ALONE and usage is not Usage.BASE_CLASS:
            return _of_stock(program.call(occurrence))
        if usage is Usage.BASE_CLASS:
            return Review(
                "Keras 3 calls other methods of a subclass: `fit` calls `scale_loss` and `apply`",
                "Inherit from compat_lossscale.keras3.LossScaleOptimizer, and override these.",
            )
        if usage is Usage.VALUE:
            return Review(
                "it is passed on, so how it will be called cannot be seen here",
                f"Pass on compat_lossscale.{_NEW}, and call it with {COUNT_SKIPPED_STEPS}.",
            )
        call = program.call(occurrence)
        if call is None or _is_complete(call):
            return rename(_MESSAGE, occurrence)
        added = append_arguments(program.tree, call, [COUNT_SKIPPED_STEPS])

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            return [*renderer.name_edit(occurrence), *added]

        return Rewrite(_MESSAGE, edits)

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict | None:
        """Says what became of an import of the class."""
        del occurrence
        if state.reason == "suppressed":
            return Suppressed()
        if any(binding.moved or binding.dropped for binding in state.bindings):
            return Rewrite(_MESSAGE, lambda _: [])
        return Review(
            f"the import stays as it is: {state.reason or 'it cannot be taken apart'}",
            "Import the class from compat_lossscale.keras3.",
        )


def _of_stock(call: cst.Call | None) -> Review | Ignore:
    """Says what Keras 3's own class, which the program gets, does otherwise."""
    if call is None:
        return Ignore()
    names = {argument.keyword.value for argument in call.args if argument.keyword is not None}
    takes_bool = len(call.args) > 1 and (
        isinstance(call.args[1].value, cst.Name) and call.args[1].value.value in {"True", "False"}
    )
    return NOT_FIXED if takes_bool or "dynamic" in names else WITHOUT_FLOOR


def _is_complete(call: cst.Call) -> bool:
    """Whether a call needs no further argument: its loss scale is fixed, or it has that."""
    for index, argument in enumerate(call.args):
        name = argument.keyword.value if argument.keyword is not None else None
        is_false = isinstance(argument.value, cst.Name) and argument.value.value == "False"
        by_place = name is None and not argument.star and index == 1
        if name == "count_skipped_steps" or (is_false and (by_place or name == "dynamic")):
            return True
    return False
