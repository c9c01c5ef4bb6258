# SPDX-License-Identifier: Apache-2.0
"""Tests of what is PyTorch's own: compiled steps leave the optimizer out, and data is replayed."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import keras
import numpy as np

from compat_lossscale.errors import LossScaleMisuseWarning
from compat_lossscale.keras3 import LossScaleOptimizer
from compat_lossscale.recording.comparison import compare
from tests.keras3.stepping import tensors_of, variables_of
from tests.recording.test_recorder import record


def test_fit_compiles_the_model_around_the_optimizers_steps(monkeypatch: Any) -> None:
    import torch

    plain = torch.compile
    monkeypatch.setattr(torch, "compile", lambda one, **_: plain(one, backend="eager"))
    layer = keras.layers.Dense(1, kernel_initializer="ones")
    model = keras.Sequential([keras.Input((4,)), layer])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.01), initial_scale=8.0)
    model.compile(optimizer, "mse", jit_compile=True)
    x, y = np.ones((8, 4), "float32"), np.ones((8, 1), "float32")
    model.fit(x, y, verbose=0)
    weights = [one.tolist() for one in layer.get_weights()]
    model.fit(x, np.full_like(y, np.nan), verbose=0)
    assert [one.tolist() for one in layer.get_weights()] == weights
    assert (float(optimizer.loss_scale), int(optimizer.iterations)) == (4.0, 1)
    assert int(optimizer.skipped_steps) == 1


def test_a_warning_points_at_the_program() -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        optimizer.apply(tensors_of(1.0), variables_of(1.0))
    assert [one.filename for one in caught if one.category is LossScaleMisuseWarning] == [__file__]


def test_fit_begins_with_the_values_and_gets_the_data_of_another_recording(tmp_path: Path) -> None:
    source = (
        "import keras, numpy as np\n"
        "keras.mixed_precision.set_dtype_policy('mixed_float16')\n"
        "x = np.random.RandomState(SEED).rand(96, 4).astype('float32')\n"
        "net = [keras.layers.Dense(8), keras.layers.Dropout(0.5), keras.layers.Dense(4)]\n"
        "model = keras.Sequential([keras.layers.Input((4,)), *net])\n"
        "model.compile(keras.optimizers.SGD(0.1), 'mse')\n"
        "model.fit(x, x, batch_size=32, epochs=2, verbose=0)\n"
    )
    options = ("--fix-random", "--with-initial-values", "--fix-data", "6")
    before, done = record(tmp_path, source.replace("SEED", "1"), *options)
    assert done.returncode == 0, done.stderr
    (tmp_path / "it.lsr").rename(tmp_path / "before.lsr")
    options = ("--fix-random", "--seed", "1", "--start-from", "before.lsr")
    after, _ = record(tmp_path, source.replace("SEED", "2"), *options)
    assert after.end is not None
    assert not after.end["problems"]
    assert compare(before, after).reason == "same to the bit for 6 steps"
