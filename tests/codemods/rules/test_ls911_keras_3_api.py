# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_review, check_transformed

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
LAYER = "class Mine(tf.keras.layers.Layer):\n    def build(self, shape):\n        "
MODEL = "class Mine(tf.keras.Model):\n    def train_step(self, data):\n        "


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tf.keras.backend.set_learning_phase(1)", "no backend.set_learning_phase"),
        ("from tensorflow.keras.layers import LocallyConnected1D", "no layers.LocallyConnected1D"),
        ("from keras import backend as K\nprint(K.get_value(x))", "in tf.keras alone"),
        ("print(tf.keras.backend.ndim(x))", "takes no symbolic tensor"),
        ("tf.keras.backend.set_value(weight, 1)", "takes no variable"),
        ("model = tf.keras.Sequential(layers)\nmodel.fit_generator(f)", "have no fit_generator"),
        (f"{LAYER}self.add_update(f)", "have no add_update"),
        (f"{LAYER}self.w = self.add_weight(*args)", "takes the shape first"),
        (f"{MODEL}return {{'loss': 1.0}}", "its own metrics"),
        ("print(layer.kernel.dtype.name)", "is a string"),
        (
            "opt = tf.keras.optimizers.SGD(0.1)\nwith tf.Graph().as_default():\n    pass",
            "does not run in graphs",
        ),
    ],
)
def test_what_is_gone_is_reported(line: str, message: str) -> None:
    check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", message, target="keras3")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'w', shape", "name='w', shape=shape"),
        ("'w', (3,), None, 'ones'", "name='w', shape=(3,), dtype=None, initializer='ones'"),
        ("name='w', shape=(3,)", "name='w', shape=(3,)"),
    ],
)
def test_arguments_of_add_weight_are_named(before: str, after: str) -> None:
    check_transformed(
        f"{OLD}{LAYER}self.w = self.add_weight({before})\n",
        f"{NEW}{LAYER}self.w = self.add_weight({after})\n",
        target="keras3",
    )


@pytest.mark.parametrize(
    "line",
    [
        "print(tf.keras.layers.Dense(1))",
        "with tf.Graph().as_default():\n    pass",
        f"{MODEL}return {{'error': 1.0}}",
        "print(mine.backend.set_learning_phase(1))",
    ],
)
def test_what_stays_right(line: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{line}\n", target="keras3")


def test_branches_for_old_versions_stay() -> None:
    test = "tuple(map(int, tf.__version__.split('.')[:2])) < (2, 4)"
    line = f"if {test}:\n    tf.keras.backend.set_learning_phase(1)\n"
    check_transformed(OLD + line, NEW + line, target="keras3")
