# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.analysis.ast_index import Nodes
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.reads_behind_tests import reads_behind_tests

from tests.codemods.projects import kinds

if TYPE_CHECKING:
    from pathlib import Path

WRAPPER = "old.LossScaleOptimizer(tf.keras.optimizers.SGD(), 'dynamic')"


def found(program: str) -> list[str]:
    return sorted(ast.unparse(read) for read in reads_behind_tests(Nodes(ast.parse(program))))


@pytest.mark.parametrize(
    "program",
    [
        "if isinstance(x, C):\n    y = x.a",
        "if isinstance(x, C):\n    y = 1\n    if x.a:\n        raise E",
        "if z:\n    pass\nelif isinstance(x, C):\n    return f(x.a)",
        "if isinstance(self.x, C):\n    return self.x.a",
        "if isinstance(self.x, C):\n    y, z = self.x.a(1)\n    return z",
    ],
)
def test_what_is_read_behind_a_type_test(program: str) -> None:
    assert found(program) in (["x.a"], ["self.x.a"])


@pytest.mark.parametrize(
    "program",
    [
        "if isinstance(x, C):\n    pass\nelse:\n    y = x.a",
        "if isinstance(x, C) or z:\n    y = x.a",
        "if not isinstance(x, C):\n    y = x.a",
        "if isinstance(x, C):\n    y = z.a",
        "if isinstance(x, C):\n    x = z\n    y = x.a",
        "if isinstance(x, C):\n    for x in z:\n        y = x.a",
        "if isinstance(x, C):\n    for y in z:\n        x.a",
        "if isinstance(x, C):\n    y = lambda: x.a",
        "if isinstance(x, C):\n    def y(): return x.a",
        "if isinstance(self.x, C):\n    f()\n    y = self.x.a",
        "if isinstance(self.x, C):\n    y = f(self.z()).a",
        "if isinstance(self.x, C):\n    y = self.z.a",
    ],
)
def test_what_may_be_something_else(program: str) -> None:
    assert found(program) == []


@pytest.mark.parametrize("tested", ["x", "self.x"])
def test_what_it_was_before_makes_no_difference(tmp_path: Path, tested: str) -> None:
    main = (
        "from other import opt\nclass A:\n    def f(self, x):\n        x = self.x = opt\n"
        f"        if isinstance({tested}, tf.Module):\n            return {tested}.a\n"
    )
    (read,) = reads_behind_tests(Nodes(ast.parse(main)))
    main = main.replace(f"return {tested}.a", f"return {tested}") + "y = A().f(1)\n"
    assert ast.unparse(read.value) == tested
    files = {"main.py": main, "other.py": f"opt = {WRAPPER}\n"}
    assert ObjectType.WRAPPER not in kinds(tmp_path, files, "y")
