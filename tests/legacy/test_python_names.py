# SPDX-License-Identifier: Apache-2.0
"""What the removed names of Python's library give."""

from __future__ import annotations

import sys

import pytest

from compat_lossscale.legacy import library_functions
from compat_lossscale.neighbour_names import PYTHON


@pytest.mark.parametrize(
    "neighbour", [one for one in PYTHON if one.is_served], ids=lambda one: one.name
)
def test_every_name_resolves(neighbour) -> None:
    if neighbour.short_name == "ByteString" and sys.version_info >= (3, 14):
        return
    neighbour.resolve()


def test_getargspec_tells_arguments() -> None:
    def function(a, b=2, *c, **d):
        return a, b, c, d

    found = library_functions.getargspec(function)
    assert found == (["a", "b"], "c", "d", (2,))
    assert (found.args, found.varargs, found.keywords, found.defaults) == tuple(found)


def test_getargspec_refuses_what_it_has_no_place_for() -> None:
    def function(*, a):
        return a

    with pytest.raises(ValueError, match="getfullargspec"):
        library_functions.getargspec(function)
