# SPDX-License-Identifier: Apache-2.0
"""A recording knows which kinds came by at places of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_lossscale.recording.reading import observed_kinds, read
from tests.recording.loading import RECORDER
from tests.support import python

PROGRAM = """
import tensorflow as tf

plain = tf.keras.optimizers.legacy.SGD(0.1)
scaled = tf.keras.mixed_precision.LossScaleOptimizer(plain)
for value in (scaled, scaled):
    value.loss_scale
print(plain.lr)
for kind in (tf.keras.optimizers.legacy.SGD, tf.keras.optimizers.SGD):
    made = kind(0.1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
model.compile("adam", "mse")
"""


def test_one_kind_is_known_with_how_often_and_mixed_kinds_are_not() -> None:
    places = [
        ("a.py", 3, "loss_scale", "keras.L", 4),
        ("a.py", 3, "loss_scale", "keras.L", 2),
        ("a.py", 5, "loss_scale", "keras.L", 1),
        ("a.py", 5, "loss_scale", "train.M", 1),
    ]
    assert observed_kinds([{"places": places}]) == {"a.py": {3: {"loss_scale": ("keras.L", 6)}}}


def test_a_run_tells_what_came_by(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    python(
        str(RECORDER), "-o", "it.lsr", "train.py", cwd=tmp_path,
        environment={"TF_USE_LEGACY_KERAS": "1"}, tensorflow_may_be_imported=True,
    )  # fmt: skip
    kinds = observed_kinds(read(str(tmp_path / "it.lsr")).observed)["train.py"]
    seen = {
        (line, what): (kind.rpartition(".")[2], times)
        for line, row in kinds.items()
        for what, (kind, times) in row.items()
    }
    assert seen == {
        (4, "made"): ("SGD", 1),
        (5, "wrapped"): ("LossScaleOptimizer", 1),
        (5, "scale"): ("_DynamicLossScaleState dynamic 32768 2000", 1),
        (7, "loss_scale"): ("LossScaleOptimizer", 2),
        (8, "lr"): ("SGD", 1),
        (12, "compile"): ("Adam", 1),
        (12, "made"): ("Adam", 1),
    }


OF_ITS_OWN = """
import tensorflow as tf

class Halving(tf.mixed_precision.experimental.DynamicLossScale):
    pass

wrapper = tf.keras.mixed_precision.experimental.LossScaleOptimizer
for scale in (Halving(8.0, 3),):
    wrapper(tf.keras.optimizers.SGD(), scale)
for scale in ("dynamic",):
    wrapper(tf.keras.optimizers.SGD(), scale)
"""


@pytest.mark.slow
@pytest.mark.parametrize("keras", [(), ("--keras3",)], ids=["tf-keras", "Keras 3"])
def test_an_old_program_tells_which_loss_scale_its_wrapper_got(
    keras: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(OF_ITS_OWN)
    python(
        "-m", "compat_lossscale", "run", *keras, "--record", "it.lsr", "train.py", cwd=tmp_path
    )  # fmt: skip
    kinds = observed_kinds(read(str(tmp_path / "it.lsr")).observed)["train.py"]
    assert kinds[9]["scale"][0].endswith(".Halving dynamic 8 3")
    assert kinds[11]["scale"][0].startswith("compat_lossscale.core.loss_scale.Dynamic")
