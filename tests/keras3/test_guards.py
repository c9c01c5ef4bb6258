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
from tests.keras3.stepping import BACKEND, take_step, tensors_of, values_in, variables_of
from tests.steps.misuse import switch_off, told

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


def test_gradients_that_are_unscaled_twice_are_told_of_once() -> None:
    optimizer = made()
    with told() as messages:
        for _ in range(2):
            unscaled = optimizer.get_unscaled_gradients(tensors_of([8.0, 16.0], 64.0))
            unscaled = optimizer.get_unscaled_gradients([None, *unscaled])
    assert len(messages) == 1
    assert "this optimizer has unscaled already" in messages[0]
    assert float(unscaled[-1]) == 1.0


def test_values_of_a_fixed_scale_of_1_are_silent() -> None:
    optimizer = made(dynamic=False, initial_scale=1)
    with silent():
        optimizer.get_scaled_loss(optimizer.get_scaled_loss(tensor()))
        optimizer.get_unscaled_gradients(optimizer.get_unscaled_gradients(tensors_of(1.0)))


def test_a_fixed_scale_that_float16_does_not_have() -> None:
    optimizer = made(dynamic=False, initial_scale=65536)
    with told() as messages:
        optimizer.get_scaled_loss(tensor())
        optimizer.scale_loss(tensor(dtype="float16"))  # which makes it float32
    assert messages == []
    with told() as messages:
        optimizer.get_scaled_loss(tensor(dtype="float16"))
        optimizer.get_scaled_loss(tensor(dtype="float16"))
    assert len(messages) == 1
    assert "65536 is infinite in float16" in messages[0]


def test_a_fixed_scale_that_is_too_large_for_a_float16_loss() -> None:
    def told_of(*losses: float, **kwargs: Any) -> list[str]:
        optimizer = made(initial_scale=32768, **kwargs)
        with told() as messages:
            for loss in losses:
                optimizer.get_scaled_loss(tensor(loss, "float16"))
        return messages

    if BACKEND == "jax":  # where a loss is mostly traced, and has no value
        assert told_of(2.0, dynamic=False) == []
        return
    (message,) = told_of(2.0, 2.0, dynamic=False)
    assert "32768 makes this float16 loss infinite" in message
    assert told_of(1.0, 2.0, dynamic=False) == []  # the first loss is looked at
    assert told_of(float("inf"), dynamic=False) == []
    assert told_of(2.0) == []


def test_a_model_that_fits_is_silent() -> None:
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(LossScaleOptimizer(keras.optimizers.SGD(0.125)), "mse")
    with silent():
        model.fit(np.ones([8, 2]), np.ones([8, 1]), batch_size=2, verbose=0)
        model.evaluate(np.ones([8, 2]), np.ones([8, 1]), verbose=0)
        model.fit(np.ones([8, 2]), np.ones([8, 1]), batch_size=4, verbose=0)


@pytest.mark.parametrize("unscaled", [False, True])
def test_steps_of_each_protocol_are_silent_and_change_no_number(
    unscaled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train() -> list[Any]:
        optimizer = made()
        variables = variables_of([1.0, 2.0], 3.0)
        optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5), initial_scale=8.0)
        for number in range(3):
            scale = optimizer.get_scaled_loss if unscaled else optimizer.scale_loss
            for _ in range(number):  # the losses of steps that accumulate
                scale(tensor())
            scale(tensor())
            take_step(optimizer, tensors_of([8.0, 16.0], 64.0), variables, unscaled)
        return [one.tolist() for one in values_in([*variables, *optimizer.variables])]

    with silent():
        guarded = train()
    switch_off(monkeypatch)
    assert train() == guarded


if BACKEND == "jax":
    import jax

    def test_mistakes_are_told_of_when_jax_traces() -> None:
        optimizer = made()

        @jax.jit
        def misuse(loss: Any, gradient: Any) -> Any:
            scaled = optimizer.get_scaled_loss(optimizer.get_scaled_loss(loss))
            unscaled = optimizer.get_unscaled_gradients([gradient])
            return scaled, optimizer.get_unscaled_gradients(unscaled)

        with told() as messages:
            for _ in range(2):
                misuse(tensor(), tensor(64.0))
        assert len(messages) == 3
        assert "becomes a constant of the function" in messages[0]
        assert "scaled already" in messages[1]
        assert "unscaled already" in messages[2]

    def test_a_step_on_values_can_be_taken_again() -> None:
        optimizer = made()
        own = [one.value for one in optimizer.variables]
        trained = [one.value for one in variables_of([1.0, 2.0], 3.0)]
        with silent():
            optimizer.get_scaled_loss(tensor())
            gradients = optimizer.get_unscaled_gradients(tensors_of([8.0, 16.0], 64.0))
            for _ in range(2):
                optimizer.stateless_apply(own, gradients, trained)


if BACKEND != "jax":
    COMPILED = pytest.mark.parametrize("compiled", [False, True][: 1 + (BACKEND == "tensorflow")])

    def run_twice(step: Any, compiled: bool) -> list[str]:
        """The warnings when a step runs twice."""
        if compiled:
            import tensorflow as tf  # only where it is the backend

            step = tf.function(step)
        with told() as messages:
            for _ in range(2):
                step()
        return messages

    @COMPILED
    @pytest.mark.parametrize("unscaled", [False, True])
    def test_gradients_that_are_applied_in_parts_are_told_of(
        unscaled: bool, compiled: bool
    ) -> None:
        variables = variables_of([1.0, 2.0], 3.0)
        optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5))
        optimizer.build(variables)

        def step() -> None:
            gradients = tensors_of([8.0, 16.0], 64.0)
            if unscaled:
                optimizer.get_scaled_loss(tensor())
                gradients = optimizer.get_unscaled_gradients(gradients)
            else:
                optimizer.scale_loss(tensor())
            for gradient, variable in zip(gradients, variables, strict=True):
                optimizer.apply([gradient], [variable])

        (message,) = run_twice(step, compiled)
        assert ("unscaled together" if unscaled else "scale_loss() was not called") in message

    @COMPILED
    def test_a_step_that_forgets_to_unscale_is_told_of(compiled: bool) -> None:
        variables = variables_of(3.0)
        optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5))
        optimizer.get_scaled_loss(tensor())
        pairs = list(zip(tensors_of(64.0), variables, strict=True))
        optimizer.apply_gradients(
            zip(optimizer.get_unscaled_gradients(tensors_of(64.0)), variables, strict=True)
        )

        def step() -> None:
            optimizer.get_scaled_loss(tensor())
            optimizer.apply_gradients(pairs)

        (message,) = run_twice(step, compiled)
        assert "did not call get_unscaled_gradients()" in message


if BACKEND == "tensorflow":
    import tensorflow as tf

    @pytest.mark.parametrize("unscaled", [False, True])
    def test_clipped_gradients_are_told_of_in_functions(unscaled: bool) -> None:
        variables = variables_of(3.0)
        optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5))
        optimizer.build(variables)

        def step() -> None:
            gradient = tf.clip_by_norm(tensor(64.0) * tf.ones([]), 1.0)
            if unscaled:
                optimizer.get_scaled_loss(tensor())
            else:
                optimizer.scale_loss(tensor())
            take_step(optimizer, [tf.reshape(gradient, [])], variables, unscaled)

        def clipped() -> None:
            if unscaled:
                optimizer.get_scaled_loss(tensor())
            else:
                optimizer.scale_loss(tensor())
            gradient = tf.clip_by_value(tensor(64.0), -1.0, 1.0)
            take_step(optimizer, [gradient], variables, unscaled)

        assert run_twice(step, True) == []  # the last operation is another one
        (message,) = run_twice(clipped, True)
        assert "tf.clip_by_value() clipped" in message
        assert run_twice(clipped, False) == []
