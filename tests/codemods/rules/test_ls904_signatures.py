# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_review, check_transformed

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
MODEL = "m = tf.keras.Sequential()\n"
LAYER = "class L(tf.keras.layers.Layer):\n    def call(self, x):\n        "


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"{MODEL}m.save(p, True, True, 'h5')",
            f"{MODEL}m.save(p, True, include_optimizer=True, save_format='h5')",
        ),
        (f"{MODEL}m.save(p, True, False)", f"{MODEL}m.save(p, True, include_optimizer=False)"),
        (
            f"{MODEL}m.save(p, True,  # it is there\n       True, x)",
            f"{MODEL}m.save(p, True,  # it is there\n       include_optimizer=True, save_format=x)",
        ),
        (
            f"{MODEL}m.save('m.keras', include_optimizer=False)",
            f"{MODEL}m.save('m.keras', include_optimizer=False, save_format='h5')",
        ),
        (
            "tf.keras.models.save_model(m, p, True, False)",
            "tf.keras.models.save_model(m, p, True, include_optimizer=False)",
        ),
        (f"{MODEL}m.load_weights(p, True)", f"{MODEL}m.load_weights(p, by_name=True)"),
        (f"{LAYER}self.add_update([a], x)", f"{LAYER}self.add_update([a])"),
        (f"{LAYER}self.add_update([a],\n  inputs=True)", f"{LAYER}self.add_update([a])"),
        (f"{LAYER}self.add_loss(a, x)", f"{LAYER}self.add_loss(a, inputs=x)"),
        (
            f"{LAYER}self.add_metric(x, 'mean', 'm')",
            f"{LAYER}self.add_metric(x, aggregation='mean', name='m')",
        ),
        (
            "tf.losses.BinaryCrossentropy(True, 0, tf.losses.Reduction.NONE)",
            "tf.losses.BinaryCrossentropy(True, 0, reduction=tf.losses.Reduction.NONE)",
        ),
        (
            "from tensorflow.keras.losses import BinaryCrossentropy as S\nS(1, 0, 'sum')",
            "from tensorflow.keras.losses import BinaryCrossentropy as S\nS(1, 0, reduction='sum')",
        ),
        (
            "tf.keras.callbacks.TensorBoard(d, 0, True, False, 10)",
            "tf.keras.callbacks.TensorBoard(d, 0, True, False, update_freq=10)",
        ),
        ("c.all_reduce('sum', g, experimental_hints=h)", "c.all_reduce('sum', g, options=h)"),
        (
            "tf.keras.preprocessing.text.one_hot(text=t, n=3)",
            "tf.keras.preprocessing.text.one_hot(input_text=t, n=3)",
        ),
    ],
)
def test_arguments_get_their_names(before: str, after: str) -> None:
    check_transformed(f"{OLD}{before}\n", f"{NEW}{after}\n")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("get().save(p, True, True)", "Write it as get().save(p, True, include_optimizer=True)."),
        ("get().load_weights(p, False)", "load_weights(p, by_name=False)"),
        ("class L(Base):\n    def f(self):\n        self.add_loss(a, b)", "inputs=b"),
        (f"{LAYER}self.add_update([a], f(x))", "Write it as self.add_update([a])."),
        ("m = build()\nm.compile(optimizer=o, target_tensors=[y])", "Give the targets to fit()"),
        ("m = build()\nm.compile(optimizer=o, distribute=s)", "strategy.scope()"),
        ("tf.keras.utils.serialize_keras_object(x)", "tf.keras.utils.legacy"),
        ("tf.data.experimental.service.DispatchServer(port=1)", "DispatcherConfig(port=...)"),
    ],
)
def test_what_is_not_proven_or_has_no_equal_is_reported(lines: str, message: str) -> None:
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
        "class L:\n    def f(self):\n        self.add_loss(a, b)",
        f"{LAYER}self.add_update(a)",
        "tf.keras.losses.SparseCategoricalCrossentropy(True, 0)",
        "tf.keras.losses.SparseCategoricalCrossentropy(True, reduction='none')",
        "m = build()\nm.compile(optimizer=o, target_tensors=None)",
        "if tf.__version__.startswith('1.'):\n    m.save(p, True, True)",
    ],
)
def test_calls_of_today_stay(lines: str) -> None:
    check_transformed(f"{OLD}{lines}\n", f"{NEW}{lines}\n")


def test_programs_without_loss_scaling_are_left_unless_it_is_selected() -> None:
    line = "import tensorflow as tf\ntf.keras.losses.BinaryCrossentropy(True, 0, 'none')\n"
    check_left(line)
    named = line.replace("'none'", "reduction='none'")
    check_transformed(line, named, select=("LS904",))
