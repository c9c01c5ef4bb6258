# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_review, check_transformed

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
LAYER = "class L(tf.keras.layers.Layer):\n    def call(self, x):\n        "


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("m.save(p, True, True, 'h5')", "arguments after 2: include_optimizer, save_format"),
        ("m.save('m.keras', include_optimizer=False)", "give it save_format='h5'"),
        ("tf.keras.models.save_model(m, p, True, False)", "arguments after 3: include_optimizer"),
        ("get().load_weights(p, False)", "arguments after 1: by_name"),
        (f"{LAYER}self.add_update([a], x)", "leave out `inputs`, which is argument 2"),
        (f"{LAYER}self.add_update([a],\n  inputs=True)", "leave out `inputs`"),
        (f"{LAYER}self.add_loss(a, x)", "arguments after 1: inputs"),
        (f"{LAYER}self.add_metric(x, 'mean', 'm')", "arguments after 1: aggregation, name"),
        (
            "tf.losses.BinaryCrossentropy(True, 0, tf.losses.Reduction.NONE)",
            "arguments after 2: reduction",
        ),
        (
            "from tensorflow.keras.losses import BinaryCrossentropy as S\nS(1, 0, 'sum')",
            "arguments after 2: reduction",
        ),
        ("tf.keras.callbacks.TensorBoard(d, 0, True, False, 10)", "update_freq"),
        ("c.all_reduce('sum', g, experimental_hints=h)", "`options` for `experimental_hints`"),
        ("tf.keras.preprocessing.text.one_hot(text=t, n=3)", "write `input_text` for `text`"),
        ("import numpy as np\na = np.reshape(b, newshape=c)", "write `shape` for `newshape`"),
        ("m = build()\nm.compile(optimizer=o, target_tensors=[y])", "Give the targets to fit()"),
        ("m = build()\nm.compile(optimizer=o, distribute=s)", "strategy.scope()"),
        ("tf.keras.utils.serialize_keras_object(x)", "tf.keras.utils.legacy"),
        ("g = o._aggregate_gradients(zip(g, v))", "apply_gradients() sums and clips"),
        ("tf.data.experimental.service.DispatchServer(port=1)", "DispatcherConfig(port=...)"),
    ],
)
def test_a_call_in_an_old_form_is_reported(lines: str, message: str) -> None:
    check_review(f"{OLD}{lines}\n", f"{NEW}{lines}\n", message)


@pytest.mark.parametrize(
    "lines",
    [
        "m.save(p)",
        "m.save(p, True, 'h5')",
        "m.save(p, True, x)",
        "m.save(*a, True, True, 'h5')",
        "m.save('m.h5', include_optimizer=False)",
        "saver.save(session, p, step)",
        "m.load_weights(p)",
        "m.load_weights(p, x)",
        f"{LAYER}self.add_update(a)",
        "tf.keras.losses.SparseCategoricalCrossentropy(True, 0)",
        "tf.keras.losses.SparseCategoricalCrossentropy(True, reduction='none')",
        "m = build()\nm.compile(optimizer=o, target_tensors=None)",
        "pairs = self.optimizer._aggregate_gradients(pairs)",
        "if tf.__version__.startswith('1.'):\n    m.save(p, True, True)",
    ],
)
def test_calls_of_today_stay(lines: str) -> None:
    check_transformed(f"{OLD}{lines}\n", f"{NEW}{lines}\n")


def test_programs_without_loss_scaling_are_left_unless_it_is_selected() -> None:
    line = "import tensorflow as tf\ntf.keras.losses.BinaryCrossentropy(True, 0, 'none')\n"
    check_left(line)
    check_left(line, "arguments after 2: reduction", select=("LS904",))
