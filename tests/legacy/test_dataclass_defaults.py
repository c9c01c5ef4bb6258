# SPDX-License-Identifier: Apache-2.0
"""Defaults of dataclasses that cannot be hashed, beside what each Python does with them itself."""

from __future__ import annotations

import sys

import pytest

from compat_lossscale import _patching
from compat_lossscale.legacy.changed_behaviour import put_unhashable_defaults
from tests.support import run_code

PROGRAM = """
import dataclasses, typing

@dataclasses.dataclass
class Inner:
    size: int = 3

DEFAULT = Inner(4)

@dataclasses.dataclass
class Outer:
    plain: int = 1
    inner: Inner = DEFAULT
    marked: Inner = dataclasses.field(default=DEFAULT, repr=False)
    shared: typing.ClassVar[Inner] = DEFAULT

class Mixin:
    other = Inner(5)

@dataclasses.dataclass
class Inheriting(Mixin):
    other: Inner

outer = Outer()
print(outer, outer.inner is DEFAULT, Outer.inner is DEFAULT, outer.marked is DEFAULT)
print(Outer(2, Inner()).inner, dataclasses.replace(outer, plain=5), dataclasses.asdict(outer))
print([field.name for field in dataclasses.fields(Outer)], Outer.shared is DEFAULT)
print(Inheriting().other, "other" in vars(Inheriting))
for default in ([], {}, set()):
    try:
        @dataclasses.dataclass
        class Bad:
            values: object = default
    except ValueError as error:
        print(type(default).__name__, "is refused")
"""
PUT = """
from compat_lossscale.legacy.changed_behaviour import put_unhashable_defaults
put_unhashable_defaults([])
"""


@pytest.mark.slow
def test_a_program_does_what_it_does_on_python_3_10() -> None:
    expected = """\
Outer(plain=1, inner=Inner(size=4)) True True True
Inner(size=3) Outer(plain=5, inner=Inner(size=4)) {'plain': 1, 'inner': {'size': 4}, \
'marked': {'size': 4}}
['plain', 'inner', 'marked'] True
Inner(size=5) False
list is refused
dict is refused
set is refused
"""
    assert run_code(PUT + PROGRAM) == expected


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 accepts them itself")
def test_python_is_as_it_was_afterwards() -> None:
    undo: _patching.Undo = []
    put_unhashable_defaults(undo)
    _patching.take_back(undo)
    with pytest.raises(ValueError, match="use default_factory"):
        exec(PROGRAM, {"__name__": __name__})
