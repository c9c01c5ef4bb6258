# SPDX-License-Identifier: Apache-2.0
"""Models as people have them train as with Keras' own class. `tests/zoo` has many more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest

from compat_lossscale.keras3 import LossScaleOptimizer
from tests.keras3.stepping import BACKEND

layers = keras.layers
NORMALIZATIONS = {
    "BatchNormalization": layers.BatchNormalization,
    "GroupNormalization": lambda: layers.GroupNormalization(2),
    "LayerNormalization": layers.LayerNormalization,
    "SpectralNormalization": lambda: layers.SpectralNormalization(layers.Dense(4)),
    "UnitNormalization": layers.UnitNormalization,
}
IMAGES = np.random.default_rng(0).normal(size=(8, 32, 32, 3)).astype("float32")
ROWS = np.random.default_rng(1).normal(size=(8, 4)).astype("float32")


def dense(*between: Any) -> Any:
    return keras.Sequential([keras.Input([4]), layers.Dense(4), *between, layers.Dense(2)])


def mobile_net() -> Any:
    return keras.applications.MobileNet(
        input_shape=(32, 32, 3), alpha=0.25, weights=None, classes=2
    )


def wrapped_by(wrapper: Any) -> Any:
    return wrapper(keras.optimizers.SGD(0.01, momentum=0.9), initial_scale=8.0)


def trained(
    make_model: Callable[[], Any], inputs: Any, train: Callable[[Any, Any, Any, Any], None]
) -> list[list[Any]]:
    """Trains a model with Keras' class and with this package's.

    Returns:
        What each has in its variables after it.
    """
    results = []
    for wrapper in (keras.optimizers.LossScaleOptimizer, LossScaleOptimizer):
        keras.utils.set_random_seed(0)
        model = make_model()
        before = [keras.ops.convert_to_numpy(one) for one in model.trainable_variables]
        train(model, wrapped_by(wrapper), inputs, np.ones([len(inputs), 2], "float32"))
        after = [keras.ops.convert_to_numpy(one) for one in model.trainable_variables]
        assert any((a != b).any() for a, b in zip(before, after, strict=True))
        results.append([keras.ops.convert_to_numpy(one) for one in model.variables])
    return results


def assert_same(results: list[list[Any]]) -> None:
    for theirs, ours in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def fit(model: Any, optimizer: Any, inputs: Any, targets: Any) -> None:
    model.compile(optimizer, "mse")
    model.fit(inputs, targets, batch_size=4, epochs=2, shuffle=False, verbose=0)


def train_on_batch(model: Any, optimizer: Any, inputs: Any, targets: Any) -> None:
    model.compile(optimizer, "mse")
    for _ in range(3):
        model.train_on_batch(inputs, targets)


@pytest.mark.parametrize("train", [fit, train_on_batch])
def test_two_dense_layers(train: Any) -> None:
    assert_same(trained(dense, ROWS, train))


@pytest.mark.parametrize("name", NORMALIZATIONS)
def test_normalization_layers(name: str) -> None:
    assert_same(trained(lambda: dense(NORMALIZATIONS[name]()), ROWS, fit))


@pytest.mark.slow
def test_mobile_net() -> None:
    # Deep and badly conditioned: the order of additions shows in the fifth digit.
    for theirs, ours in zip(*trained(mobile_net, IMAGES, fit), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)


if BACKEND == "tensorflow":
    import tensorflow as tf

    def loop(protocol: str, jit_compile: bool) -> Callable[[Any, Any, Any, Any], None]:
        """Returns a training loop in a `tf.function`, with the protocol if the optimizer has it."""

        def train(model: Any, optimizer: Any, inputs: Any, targets: Any) -> None:
            variables = model.trainable_variables
            has_old_protocol = hasattr(optimizer, "get_scaled_loss")
            optimizer.build(variables)

            @tf.function(jit_compile=jit_compile)
            def step(inputs: Any, targets: Any) -> None:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((model(inputs, training=True) - targets) ** 2)
                    if protocol == "2.4" and has_old_protocol:
                        scaled = optimizer.get_scaled_loss(loss)
                    else:
                        scaled = optimizer.scale_loss(loss)
                gradients = tape.gradient(scaled, variables)
                if protocol == "2.4" and has_old_protocol:
                    gradients = optimizer.get_unscaled_gradients(gradients)
                    optimizer.apply_gradients(zip(gradients, variables, strict=True))
                else:
                    optimizer.apply(gradients, variables)

            for _ in range(3):
                step(tf.constant(inputs), tf.constant(targets))

        return train

    @pytest.mark.parametrize("jit_compile", [False, True])
    @pytest.mark.parametrize("protocol", ["keras 3", "2.4"])
    def test_loops_in_functions(protocol: str, jit_compile: bool) -> None:
        def make() -> Any:
            return dense(layers.BatchNormalization(), layers.LayerNormalization())

        assert_same(trained(make, ROWS, loop(protocol, jit_compile)))

    @pytest.mark.slow
    @pytest.mark.parametrize("train", [fit, train_on_batch])
    def test_two_replicas(mirrored: Any, train: Any) -> None:
        results = []
        for wrapper in (keras.optimizers.LossScaleOptimizer, LossScaleOptimizer):
            keras.utils.set_random_seed(0)
            with mirrored.scope():
                model = dense(layers.LayerNormalization())
                optimizer = wrapped_by(wrapper)
                train(model, optimizer, ROWS, np.ones([len(ROWS), 2], "float32"))
            results.append([keras.ops.convert_to_numpy(one) for one in model.variables])
        assert_same(results)
