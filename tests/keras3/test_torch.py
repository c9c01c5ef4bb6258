# SPDX-License-Identifier: Apache-2.0
"""Tests of what is PyTorch's own: a compiled function that leaves the optimizer's steps out."""

from __future__ import annotations

import warnings
from typing import Any

import keras
import numpy as np

from compat_lossscale.errors import LossScaleMisuseWarning
from compat_lossscale.keras3 import LossScaleOptimizer
from tests.keras3.stepping import tensors_of, variables_of


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
