# SPDX-License-Identifier: Apache-2.0
"""What numpy's removed names give. `tests/goldens` has recordings of real old ones beside."""

from __future__ import annotations

import numpy as np
import pytest

from compat_lossscale import _patching
from compat_lossscale.legacy import library_functions
from compat_lossscale.legacy.serving import put_lazy_names
from compat_lossscale.neighbour_names import NUMPY


@pytest.fixture
def names() -> object:
    return {one.short_name: one for one in NUMPY}


@pytest.mark.parametrize(
    "neighbour",
    [one for one in NUMPY if one.is_served and one.short_name != "row_stack"],
    ids=lambda one: one.name,
)
def test_every_name_resolves(neighbour) -> None:
    if neighbour.short_name == "trapz" and not hasattr(np, "trapezoid"):
        assert hasattr(np, "trapz")
    elif neighbour.short_name in {"DataSource", "AxisError"} and np.__version__ < "2":
        assert hasattr(np, neighbour.short_name)
    else:
        neighbour.resolve()


def test_numpy_is_as_it_was_afterwards(names) -> None:
    own = np.__getattr__
    undo: _patching.Undo = []
    put_lazy_names(np, names, undo)
    assert (np.float, np.object, np.Inf, np.int) == (float, object, float("inf"), int)
    _patching.take_back(undo)
    assert np.__getattr__ is own
    assert not hasattr(np, "float")


def test_functions() -> None:
    f = library_functions
    assert f.asscalar(np.array([3])) == 3
    assert (f.alen([1, 2]), f.alen(5)) == (2, 1)
    assert f.msort([[2, 1], [1, 2]]).tolist() == [[1, 1], [2, 2]]
    assert (f.asfarray([1]).dtype, f.asfarray([1], "f4").dtype) == (np.float64, np.float32)
    assert f.asfarray([1], int).dtype == np.float64
    assert f.in1d([[1, 2], [3, 4]], [2, 3]).tolist() == [False, True, True, False]
    assert f.in1d([1, 2], [2], invert=True).tolist() == [True, False]
    assert (f.obj2sctype("f4"), f.obj2sctype(np.ones(1)), f.obj2sctype("no such", 1)) == (
        np.float32,
        np.float64,
        1,
    )
    assert f.issubsctype("f4", np.floating)
    assert not f.issubsctype(int, np.floating)
    assert f.cast[np.int32]([1.5]).dtype == np.int32
    assert np.float16 in f.sctypes["float"]
