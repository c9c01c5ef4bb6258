# SPDX-License-Identifier: Apache-2.0
"""The neighbours that a file uses are read off its source."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from compat_lossscale.legacy.environment import ProgramUsage, imported_always


def used_in(source: str) -> ProgramUsage:
    used = ProgramUsage()
    used.add(source, Path("program.py"))
    return used


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
        ("m.predict_classes(x)", ["tensorflow.keras.Sequential.predict_classes"]),
        (
            "from tensorflow.keras.wrappers.scikit_learn import KerasClassifier",
            ["tensorflow.keras.wrappers"],
        ),
        (
            "import tensorflow.compat.v1 as tf\ntf.data.experimental.StatsAggregator()",
            ["tensorflow.data.experimental.StatsAggregator"],
        ),
        ("frame.apply(f)\nself.total_loss", []),
        ("import imp", ["imp.*"]),
        ("import importlib", []),
        ("from . import imp", []),
        ("print 1", []),
        ("\0", []),
    ],
)
def test_what_a_file_uses(source: str, names: list[str]) -> None:
    found = {one.name for one in used_in(source).neighbours}
    # `tf.contrib` stands in the table as an attribute, and as a module.
    assert {name.removesuffix(".*") for name in found} == {
        name.removesuffix(".*") for name in names
    }


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import tensorflow as tf\ntf.keras.layers.LSTM\nlayer.add_weight('w')", set()),
        (
            "import tensorflow.compat.v1 as tf\ntf.keras.layers.CuDNNGRU",
            {"tf.keras.layers.CuDNNGRU"},
        ),
        (
            "from tensorflow.keras import backend as K\nK.learning_phase()",
            {"tf.keras.backend.learning_phase"},
        ),
        ("model.fit_generator(f)\nopt.get_slot_names()", {"fit_generator", "get_slot_names"}),
    ],
)
def test_what_keras_3_has_not(source: str, names: set[str]) -> None:
    assert used_in(source).not_on_keras_3 == names


def test_packages_that_a_file_imports() -> None:
    found = used_in("import a.b, c\nfrom d.e import f\nfrom . import g\n")
    assert found.packages == {"a", "c", "d"}
    assert used_in("def") == ProgramUsage()


def test_packages_without_which_a_file_cannot_be_imported() -> None:
    source = """
import a.b
with open("x") as file:
    from c import d
try:
    import e
except ImportError:
    import f
if a:
    import g
def h():
    import i
"""
    assert {*imported_always(ast.parse(source))} == {"a.b", "c.d", "i"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import tensorflow as tf\ntf.summary.scalar('a', 1, step=0)", True),
        ("import tensorflow.compat.v2 as tf\ntf.summary.image('a', 1, step=0)", True),
        ("from tensorflow.keras.callbacks import TensorBoard", True),
        ("import tensorflow as tf\ntf.keras.callbacks.TensorBoard('x')", True),
        ("import tensorflow as tf\ntf.summary.create_file_writer('x')", False),
        ("import tensorflow.compat.v1 as tf\ntf.summary.scalar('a', 1)", False),
        ("import other as tf\ntf.summary.scalar('a', 1)", False),
    ],
)
def test_whether_a_file_writes_summaries_for_which_tensorboard_is_needed(
    source: str, expected: bool
) -> None:
    assert used_in(source).writes_summaries is expected
