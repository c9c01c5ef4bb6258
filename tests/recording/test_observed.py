# SPDX-License-Identifier: Apache-2.0
"""A recording knows which kinds came by at places of the program."""

from __future__ import annotations

from pathlib import Path

from compat_lossscale.recording.observed import ObservedKind, ObservedKinds
from compat_lossscale.recording.reading import read
from tests.recording.loading import RECORDER
from tests.support import python

PROGRAM = """
import tensorflow as tf

plain = tf.keras.optimizers.SGD(0.1)
scaled = tf.keras.mixed_precision.LossScaleOptimizer(plain)
for value in (scaled, scaled):
    value.loss_scale
for kind in (tf.keras.optimizers.legacy.SGD, tf.keras.optimizers.SGD):
    made = kind(0.1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
model.compile("adam", "mse")
"""


def test_one_kind_is_known_with_how_often_and_mixed_kinds_are_not() -> None:
    kinds = ObservedKinds(
        [
            ("a.py", 3, "loss_scale", "keras.L", 4),
            ("a.py", 3, "loss_scale", "keras.L", 2),
            ("a.py", 5, "loss_scale", "keras.L", 1),
            ("a.py", 5, "loss_scale", "train.M", 1),
        ]
    )
    assert kinds.at("a.py", 3, "loss_scale") == ObservedKind("keras.L", 6)
    assert kinds.at("a.py", 5, "loss_scale") is None
    assert kinds.at("a.py", 4, "loss_scale") is None
    assert kinds.at("a.py", 3, "made") is None


def test_a_run_tells_what_came_by(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    python(
        str(RECORDER), "-o", "it.lsr", "train.py", cwd=tmp_path,
        environment={"TF_USE_LEGACY_KERAS": "1"}, tensorflow_may_be_imported=True,
    )  # fmt: skip
    kinds = ObservedKinds.of(read(str(tmp_path / "it.lsr")).observed)
    read_at = kinds.at("train.py", 7, "loss_scale")
    assert read_at is not None
    assert read_at.kind.endswith("LossScaleOptimizerV3")
    assert read_at.times == 2
    assert kinds.at("train.py", 9, "made") is None
    made = kinds.at("train.py", 4, "made")
    assert made is not None
    assert made.kind.endswith("sgd.SGD")
    compiled = kinds.at("train.py", 11, "compile")
    assert compiled is not None
    assert compiled.kind.endswith("Adam")
