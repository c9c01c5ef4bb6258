# SPDX-License-Identifier: Apache-2.0
"""What an expression can hold whose value comes from another file of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
import pytest
from lossscale_codemods.domain.type_inference import ObjectType

from tests.codemods.projects import kinds, values

if TYPE_CHECKING:
    from pathlib import Path

KERAS, V1, WRAPPER = {ObjectType.KERAS}, {ObjectType.V1}, {ObjectType.WRAPPER}
UNKNOWN = {ObjectType.UNKNOWN}
ADAM = "tf.keras.optimizers.Adam()"
V1_ADAM = "tf.compat.v1.train.AdamOptimizer()"
BUILD = f"def build(lr):\n    return {ADAM}\n"


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("from optim import build\nx = build(1)", KERAS),
        ("from optim import build as make\nx = make(1)", KERAS),
        ("import optim\nx = optim.build(1)", KERAS),
        ("import optim as o\nx = o.build(1)", KERAS),
        ("from optim import *\nx = build(1)", KERAS),
        ("from .optim import build\nx = build(1)", KERAS),
        ("from . import optim\nx = optim.build(1)", KERAS),
        ("def f():\n    from optim import build\n    return build(1)\nx = f()", KERAS),
        ("from optim import build\nx = old.LossScaleOptimizer(build(1), 8)", WRAPPER),
        ("from optim import other\nx = other(1)", UNKNOWN),
        ("from elsewhere import build\nx = build(1)", UNKNOWN),
        ("from optim import build\nx = build", UNKNOWN),
        ("from optim import build\nbuild = decorate(build)\nx = build(1)", UNKNOWN),
        ("from optim import build\ndef f(build): return build(1)\nx = f(c)", UNKNOWN),
        ("from optim import build\nif c: build = other\nx = build(1)", KERAS | UNKNOWN),
        ("import optim\noptim.build = other\nx = optim.build(1)", UNKNOWN),
        ("import optim\nsetattr(optim, 'build', other)\nx = optim.build(1)", UNKNOWN),
        ("import optim\ncall.build = other\nx = optim.build(1)", UNKNOWN),
    ],
)
def test_a_function_of_another_file(tmp_path: Path, use: str, expected: set[ObjectType]) -> None:
    assert kinds(tmp_path, {"optim.py": BUILD, "main.py": use}) == expected


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        (f"build = lambda lr: {ADAM}", KERAS),
        (f"def make(): return {ADAM}\nbuild = make", KERAS),
        ("def build(lr): return make()\ndef make(): return " + ADAM, KERAS),
        (f"def build(lr):\n    if lr: return {ADAM}\n    return {V1_ADAM}", KERAS | V1),
        (f"if c:\n    def build(lr): return {ADAM}\nelse:\n    build = other", KERAS | UNKNOWN),
        (f"def build(lr): return {ADAM}\nbuild = cached(build)", KERAS | UNKNOWN),
        (f"@cached\ndef build(lr): return {ADAM}", UNKNOWN),
        (f"async def build(lr): return {ADAM}", UNKNOWN),
        (f"def build(lr): yield {ADAM}", UNKNOWN),
        ("def build(lr): return lr", UNKNOWN),
        ("def build(lr): return build(lr)", UNKNOWN),
        ("from tensorflow.keras.optimizers import Adam as build", KERAS),
        ("from elsewhere import build", UNKNOWN),
        ("from main import build", UNKNOWN),
        (("try:\n    from keras.optimizers import Adam as build\nexcept ImportError:\n"
         "    from tf_keras.optimizers import Adam as build"), KERAS),
        ("class build(tf.keras.optimizers.Adam): pass", KERAS),
        ("class Base(tf.keras.optimizers.Adam): pass\nclass build(Base): pass", KERAS),
        ("class build(tf.compat.v1.train.Optimizer): pass", V1),
        ("class build: pass", UNKNOWN),
        ("class build(tf.keras.optimizers.Adam):\n    def __new__(cls): return 3", UNKNOWN),
        (f"def build(lr):\n    global made\n    made = {ADAM}\n    return made", KERAS),
        ("def build(lr): return getattr(tf.keras.optimizers, lr)(1)", KERAS),
        ("def build(lr): return getattr(tf.train, lr)(1)", UNKNOWN),
    ],
)  # fmt: skip
def test_what_the_other_file_defines(
    tmp_path: Path, definition: str, expected: set[ObjectType]
) -> None:
    use = "from optim import build\nx = build(1)"
    assert kinds(tmp_path, {"optim.py": definition, "main.py": use}) == expected


def test_a_third_file_replaces_the_function(tmp_path: Path) -> None:
    files = {"optim.py": BUILD, "main.py": "from optim import build\nx = build(1)"}
    assert kinds(tmp_path, files) == KERAS
    files["patch.py"] = "import optim\noptim.build = other\n"
    assert kinds(tmp_path, files) == UNKNOWN


def test_a_star_import_may_take_the_place_of_a_definition(tmp_path: Path) -> None:
    files = {
        "main.py": "from optim import build\nx = build(1)",
        "optim.py": BUILD + "from more import *\n",
        "more.py": f"def build(lr): return {V1_ADAM}\n",
    }
    assert kinds(tmp_path, files) == KERAS | V1
    files["optim.py"] = "from more import *\n" + BUILD
    assert kinds(tmp_path, files) == KERAS | V1


def test_an_annotation_with_a_class_of_another_file(tmp_path: Path) -> None:
    optim = "class Mine(tf.keras.optimizers.Adam): pass\nclass Other: pass\n"
    main = "from optim import Mine, Other\ndef f(opt: {}): return opt\nx = f(y)"
    assert kinds(tmp_path, {"optim.py": optim, "main.py": main.format("Mine")}) == KERAS
    assert kinds(tmp_path, {"optim.py": optim, "main.py": main.format("Other")}) == UNKNOWN


def test_over_several_files(tmp_path: Path) -> None:
    files = {
        "main.py": "from pack import build\nx = build(1)",
        "pack/__init__.py": "from .inner.optim import build",
        "pack/inner/__init__.py": "",
        "pack/inner/optim.py": "from ..base import Base\ndef build(lr): return Base().make(lr)",
        "pack/base.py": f"class Base:\n    def make(self, lr): return {ADAM}\n",
    }
    assert kinds(tmp_path, files) == KERAS


def test_files_that_import_each_other(tmp_path: Path) -> None:
    files = {
        "main.py": "from a import build\nx = build(1)\ndef base(): return " + ADAM,
        "a.py": "from b import other\ndef build(n): return other(n)",
        "b.py": "import a, main\ndef other(n):\n    if n: return a.build(n - 1)\n"
        "    return main.base()",
    }
    assert kinds(tmp_path, files) == KERAS | UNKNOWN
    files["b.py"] = "import a\ndef other(n): return a.build(n)"
    assert kinds(tmp_path, files) == UNKNOWN


@pytest.mark.parametrize(
    ("optim", "use", "expected"),
    [
        (f"OPT = {ADAM}", "from optim import OPT\nx = OPT", KERAS),
        (f"OPT = {ADAM}", "import optim\nx = optim.OPT", KERAS),
        (f"OPT = {ADAM}", "import optim\noptim.OPT = other\nx = optim.OPT", UNKNOWN),
        (f"OPT = {ADAM}\nif c: OPT = other", "from optim import OPT\nx = OPT", KERAS | UNKNOWN),
        (f"def set_it(o):\n    global OPT\n    OPT = o\nOPT = {ADAM}",
         "from optim import OPT\nx = OPT", KERAS | UNKNOWN),
        (f"def both(): return 3, {ADAM}", "from optim import both\ny, x = both()", KERAS),
        (f"def both(): return 3, {ADAM}", "from optim import both\nx, y = both()",
         {ObjectType.OTHER}),
        (f"def both():\n    if c: return None\n    return 3, {ADAM}",
         "from optim import both\ny, x = both()", UNKNOWN),
    ],
)  # fmt: skip
def test_variables_and_tuples(
    tmp_path: Path, optim: str, use: str, expected: set[ObjectType]
) -> None:
    assert kinds(tmp_path, {"optim.py": optim, "main.py": use}) == expected


def test_a_module_that_a_function_imports(tmp_path: Path) -> None:
    lazy = """
    def train():
        from tensorflow.compat.v1 import train as v1_train
        return v1_train
    def either(flag):
        from tensorflow.compat.v1 import train as v1_train
        return v1_train if flag else mine
    """
    main = "import lazy\nx = lazy.{function}().AdamOptimizer(0.1)"
    files = {"lazy.py": lazy, "main.py": main.format(function="train")}
    assert kinds(tmp_path, files) == {ObjectType.V1}
    files["main.py"] = main.format(function="either")
    assert ObjectType.UNKNOWN in kinds(tmp_path, files)


def test_the_call_that_makes_it_is_known_where_it_stands(tmp_path: Path) -> None:
    files = {"optim.py": BUILD, "main.py": "from optim import build\nx = build(1)"}
    (value,) = values(tmp_path, files)
    assert isinstance(value.made_by, cst.Call)
    assert value.resolver is not None
    assert value.resolver.scopes.tree.source(value.made_by) == ADAM


def test_a_file_that_does_not_parse_says_nothing(tmp_path: Path) -> None:
    files = {"optim.py": BUILD + "print 3\n", "main.py": "from optim import build\nx = build(1)"}
    assert kinds(tmp_path, files) == UNKNOWN


@pytest.mark.parametrize("call", ["parser.parse_args()", "make().parse_known_args()[0]"])
def test_settings_of_a_command_line_are_no_optimizer(tmp_path: Path, call: str) -> None:
    (tmp_path / "a").mkdir()
    found = kinds(tmp_path / "a", {"main.py": f"opt = {call}\n"}, "opt")
    assert found <= {ObjectType.OTHER, ObjectType.UNKNOWN}
    assert (found == {ObjectType.OTHER}) is ("known" not in call)
