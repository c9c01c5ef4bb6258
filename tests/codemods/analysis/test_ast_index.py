# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast
import collections
import inspect

from lossscale_codemods.analysis import approximate_names
from lossscale_codemods.analysis.ast_index import Nodes

PROGRAM = (
    inspect.getsource(approximate_names) + "def f(*, a, b=1): global x; return {**a, 'c': b}\n"
)


def test_every_node_is_there_once_under_its_kind() -> None:
    tree = ast.parse(PROGRAM)
    nodes = Nodes(tree)
    expected = collections.Counter(
        type(node) for node in ast.walk(tree) if not isinstance(node, ast.expr_context)
    )
    assert {kind: len(list(nodes.of(kind))) for kind in expected} == expected
    assert all(isinstance(node, ast.Name) for node in nodes.of(ast.Name))


def test_of_a_kind_that_is_not_there_there_is_none() -> None:
    assert not list(Nodes(ast.parse("x = 1\n")).of(ast.Await))
