# SPDX-License-Identifier: Apache-2.0
"""`get_layer_policy(layer)` becomes `layer.dtype_policy`.

`get_layer_policy(layer).loss_scale is not None` becomes a test of the policy's name, which now
decides whether `Model.compile` scales the loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.rules.base import Case, Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.shared.literal_policies import asks_for_scale
from lossscale_codemods.vocabulary.names import Meaning
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.editing.names import NameRenderer

_HEAD = "from tensorflow.keras.mixed_precision import experimental as mp\n"


class LayerPolicy(Rule):
    """Asks the layer for its policy."""

    id = "LS503"
    title = "Policy of a layer"
    explains = frozenset({Meaning.LAYER_POLICY})
    invalid = (
        Case(
            f"{_HEAD}print(mp.get_layer_policy(layer).name)\n", "print(layer.dtype_policy.name)\n"
        ),
        Case(
            f"{_HEAD}if mp.get_layer_policy(model).loss_scale is not None:\n    pass\n",
            'if model.dtype_policy.name == "mixed_float16":\n    pass\n',
        ),
    )
    valid = (
        Case(f"{_HEAD}policies = map(mp.get_layer_policy, layers)\n", review="an attribute"),
        Case(f"{_HEAD}print(mp.get_layer_policy(layer).loss_scale)\n", review="no loss scale"),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Rewrites the call."""
        if occurrence.meaning is not Meaning.LAYER_POLICY:
            return None
        call = program.call(occurrence)
        if call is None or len(call.args) != 1 or call.args[0].star:
            return Review(
                "the policy of a layer is an attribute now, and this is not a plain call",
                "Use `layer.dtype_policy`.",
            )
        layer = program.tree.source(call.args[0].value)
        if not isinstance(call.args[0].value, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
            layer = f"({layer})"
        above = program.tree.parent(call)
        if isinstance(above, cst.Attribute) and above.attr.value in {
            "loss_scale",
            "should_cast_variables",
        }:
            return self._read(occurrence, above, layer, program)
        span = program.tree.span(call)

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            del renderer
            return [Edit(*span, f"{layer}.dtype_policy")]

        return Rewrite("the layer's own attribute", edits, keeps_name=False)

    @staticmethod
    def _read(occurrence: Occurrence, read: cst.Attribute, layer: str, program: Program) -> Verdict:
        del occurrence
        test = asks_for_scale(read, program)
        if test is None:
            return Review(
                "policies have no loss scale any more",
                "Read the optimizer's `loss_scale`, or ask whether the policy's name is "
                "'mixed_float16'.",
            )
        asking, has_scale = test
        sign = "==" if has_scale else "!="
        span = program.tree.span(asking)
        text = f'{layer}.dtype_policy.name {sign} "mixed_float16"'
        return Rewrite(
            "under mixed_float16 alone there is a loss scale",
            lambda _: [Edit(*span, text)],
            keeps_name=False,
        )
