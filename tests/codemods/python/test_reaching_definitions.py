# SPDX-License-Identifier: Apache-2.0
"""Which assignments can have reached each place that reads a name: too many rather than too few."""

from __future__ import annotations

import libcst as cst
import pytest
from lossscale_codemods.python.scopes import scopes_of
from lossscale_codemods.source.syntax_tree import Tree, dotted

from tests.codemods.checks import program


def reaching(source: str, name: str = "x") -> list[set[int]]:
    """The lines of the bindings that reach each read of a name, read by read."""
    tree = Tree(cst.parse_module(program(source)))
    reads = [
        (tree.span(node), bindings)
        for node, bindings in scopes_of(tree).reaching.items()
        if dotted(node) == name
    ]
    return [
        {tree.position(tree.span(binding.node)[0])[0] for binding in bindings}
        for _, bindings in sorted(reads, key=lambda read: read[0])
    ]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("x = 1\nx = 2\nf(x)", [{2}]),
        ("x = 1\nif c:\n    x = 2\nf(x)", [{1, 3}]),
        ("if c:\n    x = 1\nelse:\n    x = 2\nf(x)", [{2, 4}]),
        ("x = 1\nfor i in y:\n    f(x)\n    x = 2\nf(x)", [{1, 4}, {1, 4}]),
        ("x = 1\nwhile f(x):\n    x = 2", [{1, 3}]),
        ("for x in f(): pass\nelse:\n    f(x)", [{1}]),
        ("x = 1\ntry:\n    x = 2\n    g()\nexcept E:\n    f(x)", [{1, 3}]),
        ("x = 1\ntry:\n    x = 2\nexcept E:\n    x = 5\nfinally:\n    f(x)", [{1, 3, 5}]),
        ("x = 1\ntry:\n    g()\nfinally:\n    x = 5\nf(x)", [{1, 5}]),
        ("x = 1\ntry:\n    x = 2\nexcept E:\n    raise\nf(x)", [{1, 3}]),
        ("try:\n    x = 2\nexcept E:\n    raise\nelse:\n    x = 6\n    f(x)\nf(x)", [{6}, {2, 6}]),
        ("x = 1\nmatch y:\n    case [x]:\n        f(x)\nf(x)", [{1, 3}, {1, 3}]),
        ("with g() as x:\n    f(x)", [{1}]),
        ("x = 1\nwith a.suppress(E) as y:\n    x = 3\nf(x)", [{1, 3}]),
        ("x = 1\nwith self.assertRaises(E):\n    x = 3\nf(x)", [{1, 3}]),
        ("x = 1\nwith g() as y:\n    x = 3\nf(x)", [{1, 3}]),
        ("x = 1\nf([x for x in y], x)", [{2}, {1}]),
        ("x = 1\nf((x := 2), x)", [{1, 2}]),
        ("x = 1\ndel x\nf(x)", [{1}, {2}]),
    ],
)
def test_at_the_top(source: str, lines: list[set[int]]) -> None:
    assert reaching(source) == lines


def test_a_branch_that_is_left_does_not_reach_what_follows() -> None:
    assert reaching(
        """
        def g(x):
            if c:
                x = 3
                return
            while d:
                if e:
                    x = 7
                    break
                f(x)
            f(x)
        """
    ) == [{1, 7}, {1, 7}]


def test_a_function_can_run_after_every_assignment_around_it() -> None:
    assert reaching("x = 1\ndef g():\n    f(x)\nx = 4") == [{1, 4}]
    assert reaching("x = 1\ng = lambda: f(x)\nx = 3") == [{1, 3}]
    assert reaching("x = 1\ndef g():\n    global x\n    x = 4\nf(x)") == [{1, 4}]


def test_functions_in_a_class_do_not_see_its_body() -> None:
    assert reaching("x = 1\nclass C:\n    x = 3\n    f(x)\n    def g(self):\n        f(x)") == [
        {3},
        {1},
    ]
    assert reaching("x = 1\nclass C:\n    f(x)\n    x = 4") == [{1}]


def test_a_name_that_gets_a_new_value_loses_its_attributes() -> None:
    assert reaching("m.x = 1\nf(m.x)\nm = g()\nf(m.x)", "m.x") == [{1}]


def test_what_reaches_an_attribute_of_self_is_asked_of_its_class() -> None:
    assert (
        reaching(
            """
        class C:
            def a(self):
                self.x = 3
                f(self.x)
            def b(self):
                self.x = 8
        """,
            "self.x",
        )
        == []
    )


def test_what_isinstance_says_holds_where_it_came_out_so() -> None:
    assert reaching("x = g()\nif isinstance(x, T):\n    f(x)\nelse:\n    f(x)\nf(x)") == [
        {1},
        {2},
        {1},
        {1},
    ]
    assert reaching("x = g()\nisinstance(x, T) and f(x)\nf(x)") == [{1}, {2}, {1}]
    assert reaching("x = g()\nf(x) if isinstance(x, T) else h(x)") == [{2}, {1}, {1}]
    assert reaching("x = g()\nassert isinstance(x, T)\nf(x)") == [{1}, {2}]
    assert reaching("x = g()\nisinstance(x, T) or f(x)") == [{1}, {1}]
    assert reaching("x = g()\nnot isinstance(x, T) or f(x)") == [{1}, {2}]
    assert reaching("x = g()\nif isinstance(x, T) or c:\n    f(x)") == [{1}, {1}]
    assert reaching("x = g()\nif not isinstance(x, T) or c: pass\nelse:\n    f(x)") == [{1}, {2}]
    assert reaching("x = g()\nif not (isinstance(x, T) and c):\n    f(x)") == [{1}, {1}]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if ready and (x := f()):\n    use(x)\n", [{1}]),
        ("y = (x := f()) if ready else None\nuse(x)\n", [{1}]),
        ("y = (x := 1) if ready else (\n    x := 2)\nuse(x)\n", [{1, 2}]),
        ("x = 0\nready or (x := f())\nuse(x)\n", [{1, 2}]),
        ("all((x := f(y)) for y in z)\nuse(x)\n", [{1}]),
    ],
)
def test_inline_assignments_in_what_may_not_be_evaluated(
    source: str, expected: list[set[int]]
) -> None:
    assert reaching(source) == expected
