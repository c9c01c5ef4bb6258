# SPDX-License-Identifier: Apache-2.0
"""What is said of Keras 3's optimizers is measured beside those of TensorFlow up to 2.10."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from lossscale_codemods.vocabulary.keras_3_optimizers import (
    CLASSES,
    REFUSED,
    class_at,
    without_family,
)

GRADIENTS = np.array([0.5, -2.0, 1e-9, 3.0, 1e-4], "float32")
CLOSE = 1e-4


@pytest.fixture(scope="module", autouse=True)
def both_keras() -> None:
    """Imports both before the first test, whose fixtures prepare TensorFlow."""
    import keras  # noqa: F401
    import tf_keras  # noqa: F401


def furthest(name: str, epsilon: float | None = None, **settings: object) -> float:
    """Returns how far the weights are apart after four steps with the same gradients."""
    import keras
    import tensorflow as tf
    import tf_keras

    old = getattr(tf_keras.optimizers.legacy, name)(0.1, **settings)
    if epsilon is not None:
        settings["epsilon"] = epsilon
    new = getattr(keras.optimizers, name)(0.1, **settings)
    before, after = tf.Variable(np.ones(5, "float32")), keras.Variable(np.ones(5, "float32"))
    for step in range(1, 5):
        old.apply_gradients([(tf.constant(GRADIENTS * step), before)])
        new.apply_gradients([(tf.constant(GRADIENTS * step), after)])
    return float(np.abs(before.numpy() - after.numpy()).max())


@pytest.mark.parametrize("name", CLASSES)
def test_what_computes_the_same(name: str) -> None:
    assert (furthest(name) < CLOSE) is (CLASSES[name].computes == "")


@pytest.mark.parametrize("name", ["SGD", "Adadelta", "Ftrl"])
def test_what_is_the_same_to_the_bit(name: str) -> None:
    assert furthest(name) == 0


def test_rmsprop_with_momentum_is_the_same() -> None:
    assert furthest("RMSprop", momentum=0.5) < CLOSE


def test_the_square_of_its_epsilon_brings_rmsprop_closer() -> None:
    assert furthest("RMSprop", epsilon=1e-14) < furthest("RMSprop") / 2


@pytest.mark.parametrize("name", CLASSES)
def test_arguments_by_place(name: str) -> None:
    import keras
    import tf_keras

    for family in (keras.optimizers, tf_keras.optimizers.legacy):
        parameters = list(inspect.signature(getattr(family, name)).parameters)
        assert tuple(parameters[: len(CLASSES[name].positional)]) == CLASSES[name].positional


@pytest.mark.parametrize("name", CLASSES)
def test_defaults_of_the_learning_rate(name: str) -> None:
    import keras
    import tf_keras

    for family in (keras.optimizers, tf_keras.optimizers.legacy):
        rate = float(getattr(family, name)().learning_rate.numpy())
        assert rate == pytest.approx(float(CLASSES[name].learning_rate))


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_arguments_that_keras_3_refuses(name: str) -> None:
    import keras

    with pytest.raises((TypeError, ValueError)):
        keras.optimizers.SGD(0.1, **{name: None})


@pytest.mark.parametrize(
    ("path", "name", "new"),
    [
        ("tensorflow.keras.optimizers.Adam", "Adam", None),
        ("tensorflow.keras.optimizers.legacy.Adam", "Adam", "tensorflow.keras.optimizers.Adam"),
        ("keras.optimizers.legacy.SGD", "SGD", "keras.optimizers.SGD"),
        ("tensorflow.python.keras.optimizer_v2.adam.Adam", "Adam", None),
        ("tensorflow.keras.optimizers.AdamW", None, None),
        ("mine.optimizers.Adam", None, None),
    ],
)
def test_classes_at_paths(path: str, name: str | None, new: str | None) -> None:
    assert class_at(path) == name
    assert without_family(path) == new
