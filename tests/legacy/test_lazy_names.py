# SPDX-License-Identifier: Apache-2.0
"""Names that a module lacks are served; those that it has stay; all of it is taken back."""

from __future__ import annotations

import math
import types
from typing import TYPE_CHECKING, Any

import pytest

from compat_lossscale import _patching
from compat_lossscale.legacy.serving import put_lazy_names
from compat_lossscale.neighbour_names.neighbour import Neighbour

if TYPE_CHECKING:
    from compat_lossscale._patching import Undo

NAMES = {
    "half": Neighbour("m.half", "numpy 1.26", "math:tau"),
    "kept": Neighbour("m.kept", "numpy 1.26", "math:pi"),
    "gone": Neighbour("m.gone", "numpy 1.26", "", "it is unsafe", "Use kept"),
}


def a_module(**names: Any) -> Any:
    module = types.ModuleType("m")
    vars(module).update(kept=1, **names)
    return module


def test_a_name_that_is_missing_is_served_and_one_that_is_there_is_not_touched() -> None:
    module = a_module()
    before = dict(vars(module))
    undo: Undo = []
    put_lazy_names(module, NAMES, undo)
    assert (module.half, module.kept) == (math.tau, 1)
    assert "half" not in vars(module)
    _patching.take_back(undo)
    assert vars(module) == before
    assert not hasattr(module, "half")


def test_a_name_that_nothing_serves_is_explained_and_is_not_there() -> None:
    module = a_module()
    put_lazy_names(module, NAMES, [])
    assert not hasattr(module, "gone")
    with pytest.raises(AttributeError, match=r"it is unsafe. Use kept"):
        _ = module.gone


def test_other_names_are_missing_as_they_were() -> None:
    module = a_module()
    put_lazy_names(module, NAMES, [])
    with pytest.raises(AttributeError, match=r"^module 'm' has no attribute 'kep'$") as caught:
        _ = module.kep
    assert (caught.value.name, caught.value.obj) == ("kep", module)


def test_a_module_that_looks_names_up_itself_still_does() -> None:
    def own(name: str) -> str:
        return f"own {name}"

    module = a_module(__getattr__=own)
    undo: Undo = []
    put_lazy_names(module, NAMES, undo)
    assert (module.half, module.other) == (math.tau, "own other")
    _patching.take_back(undo)
    assert module.__getattr__ is own
