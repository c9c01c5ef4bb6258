# SPDX-License-Identifier: Apache-2.0
"""What attributes and methods can hold: base classes, subclasses and other files included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.domain.type_inference import ObjectType

from tests.codemods.projects import kinds

if TYPE_CHECKING:
    from pathlib import Path

KERAS, V1, WRAPPER = {ObjectType.KERAS}, {ObjectType.V1}, {ObjectType.WRAPPER}
UNKNOWN, NOTHING = {ObjectType.UNKNOWN}, {ObjectType.NOTHING}
ADAM = "tf.keras.optimizers.Adam()"
V1_ADAM = "tf.compat.v1.train.AdamOptimizer()"
BASE = f"""
class Base:
    kind = None
    def __init__(self):
        self.opt = {ADAM}
    def make(self):
        return {ADAM}
    @property
    def own(self):
        return self.opt
    @staticmethod
    def plain():
        return {ADAM}
"""
MAIN = """
from base import Base
class Trainer(Base):
    def run(self):
        return {}
x = Trainer().run()
"""


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("self.opt", KERAS),
        ("self.make()", KERAS),
        ("super().make()", UNKNOWN),
        ("self.own", UNKNOWN),  # Trainer inherits from Base.
        ("self.plain()", KERAS),
        ("Base.plain()", KERAS),
        ("Base().opt", KERAS),
        ("self.kind", NOTHING),
        ("self.other", UNKNOWN),
        ("self.other()", UNKNOWN),
        ("other.opt", UNKNOWN),
    ],
)
def test_what_a_class_inherits_from_another_file(
    tmp_path: Path, expression: str, expected: set[ObjectType]
) -> None:
    files = {"base.py": BASE, "main.py": MAIN.format(expression)}
    assert kinds(tmp_path, files) == expected


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (f"from base import Base\nBase.make = lambda self: {V1_ADAM}", UNKNOWN),
        ("from base import Base\nBase.make = other", UNKNOWN),
        ("from base import Base\nsetattr(Base, 'make', other)", UNKNOWN),
        ("from base import Base\nBase.other = other", KERAS),
    ],
)
def test_what_is_put_in_the_place_of_a_method_counts(
    tmp_path: Path, other: str, expected: set[ObjectType]
) -> None:
    files = {"base.py": BASE, "main.py": MAIN.format("self.make()"), "other.py": other}
    assert kinds(tmp_path, files) == expected


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (
            f"from main import Trainer\nclass T(Trainer):\n    def make(self): return {V1_ADAM}",
            UNKNOWN,
        ),
        (
            (
                f"import main\nclass T(main.Trainer): pass\n"
                f"class U(T):\n    def make(self): return {V1_ADAM}"
            ),
            UNKNOWN,
        ),
        (f"class T:\n    def make(self): return {V1_ADAM}", KERAS),
    ],
)
def test_what_a_subclass_may_override_is_not_known(
    tmp_path: Path, other: str, expected: set[ObjectType]
) -> None:
    files = {"base.py": BASE, "main.py": MAIN.format("self.make()"), "other.py": other}
    assert kinds(tmp_path, files) == expected


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("from main import Trainer\nt = Trainer()\nt.opt = other\n", UNKNOWN),
        (f"from main import Trainer\ndef f(trainer): trainer.opt = {V1_ADAM}\n", UNKNOWN),
        ("class Trainer:\n    def f(self): self.opt = other\n", KERAS),
        ("from main import Trainer\nsetattr(Trainer(), 'opt', other)\n", UNKNOWN),
        ("from main import Trainer\nclass Other: pass\no = Other()\no.opt = other\n", UNKNOWN),
        ("from main import Trainer\nt.optimizer = other; t.opt == other\n", KERAS),
        (f"from main import Trainer\nclass T(Trainer):\n    def f(self): self.opt = {V1_ADAM}\n",
         UNKNOWN),
    ],
)  # fmt: skip
def test_an_attribute_that_is_assigned_from_outside(
    tmp_path: Path, other: str, expected: set[ObjectType]
) -> None:
    files = {"base.py": BASE, "main.py": MAIN.format("self.opt"), "other.py": other}
    assert kinds(tmp_path, files) == expected


def test_an_attribute_of_an_object_of_another_class(tmp_path: Path) -> None:
    main = "from base import Base\nmodel = Base()\nx = model.opt"
    assert kinds(tmp_path, {"base.py": BASE, "main.py": main}) == KERAS
    main = (
        "from base import Base\nclass T:\n    def __init__(self): self.model = Base()\n"
        "    def run(self): return self.model.opt\nx = T().run()"
    )
    assert kinds(tmp_path, {"main.py": main}) == KERAS
    main = "from base import Base\nmodel = Base()\nmodel.opt = other\nx = model.opt"
    assert kinds(tmp_path, {"main.py": main}) == UNKNOWN


def test_classes_that_inherit_from_each_other(tmp_path: Path) -> None:
    files = {
        "a.py": "from main import C\nclass A(C): pass",
        "main.py": "from a import A\nclass C(A):\n    def f(self): return self.opt\nx = C().f()",
    }
    assert kinds(tmp_path, files) == UNKNOWN
