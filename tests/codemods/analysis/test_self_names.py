# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.analysis.ast_index import Nodes
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.self_names import self_names

from tests.codemods.projects import kinds

if TYPE_CHECKING:
    from pathlib import Path

METHOD = "class A:\n    def f(self):\n        return self._optimizer\n"
WRAPPER = "old.LossScaleOptimizer(tf.keras.optimizers.SGD(), 'dynamic')"


def found(program: str) -> frozenset[str]:
    return self_names(Nodes(ast.parse(program)))


@pytest.mark.parametrize(
    "program",
    [
        METHOD,
        f"{METHOD}class B:\n    async def g(self, x, /, *, y): pass\n",
        f"{METHOD}class B:\n    @property\n    def g(self): return [self for x in self]\n",
        f"{METHOD}f(self)\nself.x = 1\nisinstance(other, self)\n",
        "def make():\n    class A:\n        def f(self): return lambda: self\n",
    ],
)
def test_the_object_of_methods(program: str) -> None:
    assert "self" in found(program)


@pytest.mark.parametrize(
    "more",
    [
        "def g(self): pass",
        "f = lambda self: self",
        "class B:\n    def g(self: Wrapper): pass",
        "class B:\n    def g(x, self): pass",
        "class B:\n    def g(*self): pass",
        "class B:\n    @staticmethod\n    def g(self): pass",
        "class B:\n    if True:\n        def g(self): pass",
        "self = make()",
        "self += 1",
        "del self",
        "if (self := make()): pass",
        "for self in x: pass",
        "with x as self: pass",
        "x = [self for self in y]",
        "import self",
        "import self.x",
        "import x as self",
        "from x import self",
        "from x import *",
        "class self: pass",
        "def self(): pass",
        "try: pass\nexcept E as self: pass",
        "match x:\n    case [*self]: pass",
        "match x:\n    case {**self}: pass",
        "match x:\n    case self: pass",
        "match self:\n    case Wrapper(): pass",
        "def g():\n    global self",
        "def g():\n    def h():\n        nonlocal self\n    self = 1",
        "isinstance(self, Wrapper)",
        "self.assertIsInstance(self, Wrapper)",
    ],
)
def test_what_can_be_something_else_is_left_out(more: str) -> None:
    assert "self" not in found(f"{METHOD}{more}\n")


@pytest.mark.parametrize("call", ["A.f({})", "A.f(self={})", "A().f()", "A.__init__({})"])
@pytest.mark.parametrize("method", ["f", "__init__"])
def test_calls_do_not_tell_what_it_is(tmp_path: Path, call: str, method: str) -> None:
    other = f"class A:\n    def {method}(self):\n        return self\n{call.format(WRAPPER)}\n"
    files = {"main.py": f"from other import A\nx = A.{method}({WRAPPER})\n", "other.py": other}
    assert ObjectType.WRAPPER not in kinds(tmp_path, files)
