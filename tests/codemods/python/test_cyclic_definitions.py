# SPDX-License-Identifier: Apache-2.0
"""Names that are assigned from each other: what depends on itself can be anything."""

from __future__ import annotations

import itertools

import libcst as cst
import pytest
from lossscale_codemods.domain.program import Program
from lossscale_codemods.domain.type_inference import ObjectType
from lossscale_codemods.source.syntax_tree import tree_of

from tests.codemods.checks import check_review, program

OLD = "tf.keras.mixed_precision.experimental"
CIRCLES = ["a, b = b, a", "c = a; a = b; b = c", "c = b; b = a; a = c", "b, a = a, b"]


@pytest.mark.parametrize("circle", CIRCLES)
@pytest.mark.parametrize(("first", "second"), [("a", "b"), ("b", "a")])
def test_what_holds_the_old_module_on_some_rounds_alone_is_left(
    circle: str, first: str, second: str
) -> None:
    source = f"""
        import tensorflow as tf
        a = {OLD}
        b = make()
        for step in steps:
            {circle}
            {first}.set_policy("float32")
            {second}.set_policy("float32")
        """
    result = check_review(source, source)
    assert any(record.is_finding for record in result.records)


@pytest.mark.parametrize("circle", CIRCLES)
@pytest.mark.parametrize("order", list(itertools.permutations("ab")))
def test_no_value_that_depends_on_itself_is_proven(circle: str, order: tuple[str, ...]) -> None:
    source = program(
        f"""
        import tensorflow as tf
        a = {OLD}.LossScaleOptimizer(o, 8)
        b = None
        for step in steps:
            {circle}
            f(a, b)
        """
    )
    parsed = Program(tree_of(source))
    reads = {n.value: n for n in parsed.scopes.reaching if isinstance(n, cst.Name)}
    for name in order:
        assert ObjectType.UNKNOWN in parsed.types.of(reads[name])
