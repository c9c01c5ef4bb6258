# SPDX-License-Identifier: Apache-2.0
"""`type(opt) == LossScaleOptimizer` becomes `isinstance(opt, LossScaleOptimizer)`.

Since TensorFlow 2.11, `LossScaleOptimizer(opt)` creates an object of another class, so the
comparison is never true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.rules.base import Case, Rewrite, Rule, Verdict
from lossscale_codemods.vocabulary.names import Meaning
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.editing.names import NameRenderer

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
_NEW = "tf.keras.mixed_precision.LossScaleOptimizer"


class TypeComparisons(Rule):
    """Turns comparisons of types into isinstance."""

    id = "LS402"
    title = "Comparisons of types"
    not_handled = "`type(a) == type(b)`, and comparisons with a class that is not TensorFlow's."
    invalid = (
        Case(
            f"{_HEAD}if type(opt) == {_OLD}:\n    pass\n",
            f"{_HEAD}if isinstance(opt, {_NEW}):\n    pass\n",
        ),
        Case(
            f"{_HEAD}plain = type(opt) is not {_OLD}\n",
            f"{_HEAD}plain = not isinstance(opt, {_NEW})\n",
        ),
    )
    valid = (Case(f"{_HEAD}if type(opt) == dict:  # LossScale\n    pass\n"),)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Rewrites the comparison."""
        if occurrence.meaning not in (Meaning.OPTIMIZER, Meaning.POLICY):
            return None
        if program.usage(occurrence) is not Usage.TYPE_COMPARISON:
            return None
        comparison = program.type_comparison(occurrence.node)
        if comparison is None:
            return None
        tree = program.tree
        target = comparison.comparisons[0]
        other = target.comparator if comparison.left is occurrence.node else comparison.left
        if isinstance(other, cst.Call):
            tested = tree.source(other.args[0].value)
        elif isinstance(other, cst.Attribute):
            tested = tree.source(other.value)
        else:
            return None
        negated = "not " if isinstance(target.operator, cst.NotEqual | cst.IsNot) else ""
        above = tree.parent(comparison)
        tight = isinstance(above, cst.Comparison | cst.ComparisonTarget | cst.BinaryOperation)

        def edits(renderer: NameRenderer) -> Sequence[Edit]:
            text = f"{negated}isinstance({tested}, {renderer.render(occurrence)})"
            start, end = tree.span(comparison)
            return [Edit(start, end, f"({text})" if tight and negated else text)]

        return Rewrite("a type test that also accepts the current classes", edits)
