# SPDX-License-Identifier: Apache-2.0
"""Mistakes with Keras 3's optimizers are told once each, on every backend."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
import pytest

from compat_lossscale.errors import LossScaleMisuseWarning
from compat_lossscale.keras3 import LossScaleOptimizer
from tests.keras3.stepping import BACKEND, take_step, tensors_of, variables_of
from tests.members.misuse import told

SCALERS = ("scale_loss", "get_scaled_loss")


def made(**kwargs: Any) -> Any:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5), **{"initial_scale": 8.0, **kwargs})
    optimizer.build(variables_of([1.0, 2.0], 3.0))
    return optimizer


def tensor(value: float = 2.0, dtype: str = "float32") -> Any:
    return keras.ops.convert_to_tensor(value, dtype)


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Fails at a warning of misuse."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", LossScaleMisuseWarning)
        yield


@pytest.mark.parametrize("second", SCALERS)
@pytest.mark.parametrize("first", SCALERS)
def test_a_loss_that_is_scaled_twice_is_told_of_once(first: str, second: str) -> None:
    optimizer = made()
    with told() as messages:
        for _ in range(2):
            scaled = getattr(optimizer, second)(getattr(optimizer, first)(tensor()))
    assert len(messages) == 1
    assert f"{second}() was given a loss that is scaled already" in messages[0]
    assert float(scaled) == 128.0


def test_values_of_a_fixed_scale_of_1_are_silent() -> None:
    optimizer = made(dynamic=False, initial_scale=1)
    with silent():
        optimizer.get_scaled_loss(optimizer.get_scaled_loss(tensor()))


def test_a_model_that_fits_is_silent() -> None:
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(LossScaleOptimizer(keras.optimizers.SGD(0.125)), "mse")
    with silent():
        model.fit(np.ones([8, 2]), np.ones([8, 1]), batch_size=2, verbose=0)
        model.evaluate(np.ones([8, 2]), np.ones([8, 1]), verbose=0)
        model.fit(np.ones([8, 2]), np.ones([8, 1]), batch_size=4, verbose=0)


@pytest.mark.parametrize("unscaled", [False, True])
def test_steps_of_each_protocol_are_silent(unscaled: bool) -> None:
    variables = variables_of([1.0, 2.0], 3.0)
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5), initial_scale=8.0)
    with silent():
        for number in range(3):
            scale = optimizer.get_scaled_loss if unscaled else optimizer.scale_loss
            for _ in range(number):  # the losses of steps that accumulate
                scale(tensor())
            scale(tensor())
            take_step(optimizer, tensors_of([8.0, 16.0], 64.0), variables, unscaled)


if BACKEND == "jax":
    import jax

    def test_a_mistake_is_told_of_when_jax_traces() -> None:
        optimizer = made()

        @jax.jit
        def misuse(loss: Any) -> Any:
            return optimizer.get_scaled_loss(optimizer.get_scaled_loss(loss))

        with told() as messages:
            for _ in range(2):
                misuse(tensor())
        assert len(messages) == 2
        assert "becomes a constant of the function" in messages[0]
        assert "scaled already" in messages[1]

    def test_a_step_on_values_can_be_taken_again() -> None:
        optimizer = made()
        own = [one.value for one in optimizer.variables]
        trained = [one.value for one in variables_of([1.0, 2.0], 3.0)]
        with silent():
            optimizer.get_scaled_loss(tensor())
            gradients = optimizer.get_unscaled_gradients(tensors_of([8.0, 16.0], 64.0))
            for _ in range(2):
                optimizer.stateless_apply(own, gradients, trained)
