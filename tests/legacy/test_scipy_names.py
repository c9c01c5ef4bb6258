# SPDX-License-Identifier: Apache-2.0
"""Window functions are served where SciPy, which scikit-learn brings, has them no more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from compat_lossscale import _patching
from compat_lossscale.legacy.serving import put_lazy_names
from compat_lossscale.neighbour_names import SCIPY


@pytest.fixture
def signal() -> Any:
    """`scipy.signal`, which takes a second to import."""
    import scipy.signal

    return scipy.signal


def test_every_name_is_the_window_of_that_name(signal: Any) -> None:
    for neighbour in SCIPY:
        assert neighbour.resolve() is getattr(signal.windows, neighbour.short_name)


def test_they_are_served_and_taken_back(signal: Any) -> None:
    names = {one.short_name: one for one in SCIPY}
    assert not hasattr(signal, "kaiser")
    undo: _patching.Undo = []
    put_lazy_names(signal, names, undo)
    # By the formula: the first kind's modified Bessel function at beta, over that at zero.
    assert signal.kaiser(3, 2.0)[0] == np.i0(0.0) / np.i0(2.0)
    _patching.take_back(undo)
    assert not hasattr(signal, "kaiser")
