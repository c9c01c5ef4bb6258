# SPDX-License-Identifier: Apache-2.0
"""The neighbours that a file uses are read off its source."""

from __future__ import annotations

import pytest

from compat_lossscale.neighbours.usage import roots_imported_in, used_in


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import numpy as np\nnp.float(1)", ["numpy.float"]),
        ("import numpy\nnumpy.float64(1)", []),
        ("np.float(1)", []),
        ("from collections import Mapping as M", ["collections.Mapping"]),
        ("import tensorflow as tf\ntf.estimator.Estimator", ["tensorflow.estimator"]),
        ("import tensorflow.compat.v1 as tf\ntf.estimator.X", ["tensorflow.estimator"]),
        ("import tensorflow.compat.v1 as tf\ntf.contrib.slim", ["tensorflow.contrib"]),
        ("from tensorflow.contrib import slim", ["tensorflow.contrib.*"]),
        (
            "from tensorflow.python.keras.optimizer_v2.adam import Adam",
            ["tensorflow.python.keras.optimizer_v2.*"],
        ),
        ("strategy.experimental_run_v2(f)", ["tensorflow.distribute.Strategy.experimental_run_v2"]),
        ("import imp", ["imp.*"]),
        ("import importlib", []),
        ("from . import imp", []),
        ("print 1", []),
        ("\0", []),
    ],
)
def test_what_a_file_uses(source: str, names: list[str]) -> None:
    found = {one.name for one in used_in(source)}
    # `tf.contrib` stands in the table as an attribute, and as a module.
    assert {name.removesuffix(".*") for name in found} == {
        name.removesuffix(".*") for name in names
    }


def test_packages_that_a_file_imports() -> None:
    found = roots_imported_in("import a.b, c\nfrom d.e import f\nfrom . import g\n")
    assert found == {"a", "c", "d"}
    assert roots_imported_in("def") == frozenset()
