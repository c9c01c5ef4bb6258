# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_review, check_transformed

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
MODEL = "model = tf.keras.Sequential(layers)\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{MODEL}model.compile('nadam', 'mse')", "another schedule"),
        (f"layers = [Embedding(8, 2)]\n{MODEL}model.compile('adam', 'mse')", "squares each"),
        (f"{MODEL}model.compile(loss='mse')", "takes RMSprop by itself"),
        (f"{MODEL}model.compile(config.optimizer, 'mse')", "known only when the program runs"),
        ("opt = tf.keras.optimizers.get('rmsprop')", "adds epsilon under the root"),
        ("opt = tf.keras.optimizers.get(config)", "known only when the program runs"),
        ("opt = tf.keras.optimizers.deserialize(config)", "known only when the program runs"),
        ("opt = tf.keras.optimizers.get('sgd', use_legacy_optimizer=True)", "does not take"),
        ("config = tf.keras.optimizers.serialize(opt)", "in another form"),
        ("opt = make(tf.keras.optimizers)", "known only when the program runs"),
    ],
)
def test_what_is_unknown_or_otherwise_is_reported(line: str, message: str) -> None:
    check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", message, target="keras3")


@pytest.mark.parametrize(
    "line",
    [
        f"{MODEL}model.compile('adam', 'mse')",
        f"layers = [Embedding(8, 2)]\n{MODEL}model.compile('sgd', 'mse')",
        f"{MODEL}model.compile(tf.keras.optimizers.SGD(0.1), 'mse')",
        "opt = tf.keras.optimizers.get('sgd')",
        "print(dir(tf.keras.optimizers))",
    ],
)
def test_what_stays_right(line: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{line}\n", target="keras3")
