# SPDX-License-Identifier: Apache-2.0
"""Names that are assigned from each other: what they can be does not depend on who asks first."""

from __future__ import annotations

import itertools

import libcst as cst
import pytest
from lossscale_codemods.domain.program import Program
from lossscale_codemods.domain.type_inference import ObjectType
from lossscale_codemods.python.name_resolution import Answers
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
    assert [r.line for r in result.records if r.rule == "LS501"] == [6, 7]


@pytest.mark.parametrize("circle", CIRCLES)
def test_the_order_of_asking_changes_nothing(circle: str) -> None:
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
    answers = set()
    for order in itertools.permutations("ab"):
        parsed = Program(tree_of(source))
        reads = {n.value: n for n in parsed.scopes.reaching if isinstance(n, cst.Name)}
        answers |= {(name, parsed.types.of(reads[name])) for name in order}
    both = frozenset([ObjectType.WRAPPER, ObjectType.NOTHING])
    assert {(name, kinds - {ObjectType.UNKNOWN}) for name, kinds in answers} == {
        ("a", both),
        ("b", both),
    }
    assert len(answers) == 2


NODES = [cst.Name(name) for name in "abcde"]
A, B, C, D, E = NODES


class Graph:
    """Every node holds itself and what those hold that it depends on."""

    def __init__(self, edges: dict[cst.Name, list[cst.Name]]) -> None:
        self.edges = edges
        self.looked_at = 0
        self.answers = Answers(self.find)

    def find(self, node: cst.CSTNode) -> frozenset[str]:
        assert isinstance(node, cst.Name)
        self.looked_at += 1
        found = (self.answers.of(other) for other in self.edges.get(node, []))
        return frozenset([node.value]).union(*found)


@pytest.mark.parametrize("order", list(itertools.permutations(NODES)))
def test_an_answer_is_whole_in_any_order(order: tuple[cst.Name, ...]) -> None:
    graph = Graph({A: [B, D], B: [C, A], C: [B, E], D: [A], E: []})
    found = {node.value: "".join(sorted(graph.answers.of(node))) for node in order}
    assert found == {"a": "abcde", "b": "abcde", "c": "abcde", "d": "abcde", "e": "e"}


def test_an_answer_is_found_once() -> None:
    graph = Graph({A: [B, C], B: [D], C: [D, B]})
    for node in (A, B, C, D, A):
        graph.answers.of(node)
    assert graph.looked_at == 4


def test_the_cost_of_a_circle_is_the_square_of_its_length_at_most() -> None:
    nodes = [cst.Name(f"n{i}") for i in range(60)]
    graph = Graph(dict.fromkeys(nodes, nodes))
    for node in nodes:
        assert len(graph.answers.of(node)) == len(nodes)
    assert graph.looked_at <= len(nodes) ** 2
