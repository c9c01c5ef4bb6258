# SPDX-License-Identifier: Apache-2.0
"""Neighbours are there before TensorFlow, and cost nothing until one is used."""

from __future__ import annotations

from compat_lossscale.legacy import waiting
from compat_lossscale.neighbour_names import TABLE
from tests.support import run_code

START = """
import sys
from compat_lossscale.legacy import waiting
finders = list(sys.meta_path)
waiting.serve_neighbours(waiting.undo)
"""


def test_every_place_of_the_table_is_waited_for() -> None:
    modules = {one.name.partition(".")[0] for one in TABLE if one.name.endswith(".*")}
    assert modules - {"tensorflow_addons"} <= set(waiting.ROOTS)
    places = {one.place for one in TABLE if not one.name.endswith(".*")}
    assert {place for place in places if not place.startswith("tensorflow")} == set(waiting.PLACES)


def test_names_and_modules_are_served_before_tensorflow_is_imported() -> None:
    run_code(
        START
        + """
import collections, xml.etree.cElementTree
from collections import Mapping
assert "compat_lossscale.legacy.serving" in sys.modules
import numpy as np
import time
assert np.float is float and Mapping is collections.abc.Mapping and time.clock()
assert not hasattr(time, "no_such_name") and not hasattr(np, "no_such_name")
assert "tensorflow" not in sys.modules
waiting.take_back()
assert not hasattr(np, "float") and not hasattr(time, "clock")
assert "__getattr__" not in vars(time)
assert sys.meta_path == finders
"""
    )


def test_nothing_is_imported_for_programs_that_use_none() -> None:
    run_code(
        START
        + """
before = set(sys.modules)
assert not hasattr(sys.modules["os"], "__path__")
assert not hasattr(sys.modules["os"], "no_such_name")
try:
    import there_is_none
except ModuleNotFoundError:
    pass
assert set(sys.modules) == before
waiting.take_back()
assert sys.meta_path == finders
"""
    )
