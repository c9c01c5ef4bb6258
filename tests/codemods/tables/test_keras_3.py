# SPDX-License-Identifier: Apache-2.0
"""What is said of Keras 3 is compared with both Keras of today, and measured on them."""

from __future__ import annotations

import importlib
import inspect
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from lossscale_codemods.tables.keras_3 import (
    AGGREGATION,
    CLASSES,
    DATA,
    GONE,
    GONE_FROM_KERAS,
    GONE_V1,
    MEMBERS_GONE,
    NAMES,
    OLD_MODULE,
    ONLY_OF_OPTIMIZERS,
    REFUSED,
    below_keras,
    class_at,
    gone_at,
    gone_from_keras,
    without_family,
)


@pytest.fixture(scope="module", autouse=True)
def both_keras() -> None:
    """Imports both before the first test, whose fixtures prepare TensorFlow."""
    import keras  # noqa: F401
    import tf_keras  # noqa: F401


_ELSEWHERE = {"applications", "mixed_precision", "optimizers"}
"""Models that are not listed, and what has rules of its own."""


def missing(old: types.ModuleType, new: types.ModuleType, before: str = "") -> Iterator[str]:
    for name in dir(old):
        value = getattr(old, name)
        if name.startswith("_") or name in _ELSEWHERE:
            continue
        if not hasattr(new, name):
            yield before + name
        elif isinstance(value, types.ModuleType) and "tf_keras.api" in value.__name__:
            yield from missing(value, getattr(new, name), f"{before}{name}.")


def test_the_list_is_that_of_today() -> None:
    import tf_keras.api._v2.keras as old
    from keras._tf_keras import keras as new

    assert set(missing(old, new)) == GONE


def test_the_list_of_version_1_is_that_of_today() -> None:
    import tf_keras.api._v1.keras as old
    import tf_keras.api._v2.keras as newer
    from keras._tf_keras import keras as new

    of_version_2 = set(missing(old, newer))
    assert set(missing(old, new)) & of_version_2 == GONE_V1


def test_the_list_of_bare_keras_is_that_of_today() -> None:
    import keras
    import tf_keras.api._v2.keras as old

    lacking = set(missing(old, keras)) - GONE
    assert {name for name in lacking if not name.startswith("backend.")} == GONE_FROM_KERAS
    assert {f"backend.{n}" for n in dir(old.backend) if not n.startswith("_")} - lacking - GONE == {
        f"backend.{name}" for name in NAMES["backend_of_keras"]
    }


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("tensorflow.keras.backend.ndim", "backend.ndim"),
        ("tensorflow.compat.v1.keras.backend.ndim", "backend.ndim"),
        ("tensorflow.python.keras.backend.ndim", "backend.ndim"),
        ("keras.backend.ndim", "backend.ndim"),
        ("tf_keras.backend.ndim", ""),
        ("mykeras.backend.ndim", ""),
    ],
)
def test_paths_below_keras(path: str, below: str) -> None:
    assert below_keras(path) == below


def test_only_what_is_gone_is_gone() -> None:
    assert gone_at("tensorflow.keras.backend.set_learning_phase") == "backend.set_learning_phase"
    assert gone_at("tensorflow.compat.v1.keras.layers.CuDNNLSTM") == "layers.CuDNNLSTM"
    assert gone_at("tensorflow.keras.layers.Dense") is None


def test_what_only_bare_keras_lacks() -> None:
    assert gone_from_keras("keras.backend.get_value") == "backend.get_value"
    assert gone_from_keras("keras.losses.mse") == "losses.mse"
    for path in ("tensorflow.keras.backend.get_value", "keras.backend.epsilon", "keras.backend"):
        assert gone_from_keras(path) is None


def test_modules_that_were_never_public_are_gone() -> None:
    found = [name for name in sys.modules if name.startswith("keras.")]
    assert [name for name in found if OLD_MODULE.fullmatch(name)] == []
    for name in ("engine", "layers.core", "utils.np_utils", "optimizer_v2", "objectives"):
        assert OLD_MODULE.fullmatch(f"keras.{name}")
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(f"keras.{name}")


def test_a_checkpoint_of_tf_keras_restores_no_kernel(tmp_path: Path) -> None:
    import keras
    import tensorflow as tf
    import tf_keras

    old, new = tf_keras.layers.Dense(2, bias_initializer="ones"), keras.layers.Dense(2)
    old.build((None, 3))
    new.build((None, 3))
    before = new.kernel.numpy()
    path = tf.train.Checkpoint(layer=old).write(str(tmp_path / "checkpoint"))
    tf.train.Checkpoint(layer=new).read(path).expect_partial()
    np.testing.assert_array_equal(new.bias.numpy(), old.bias.numpy())
    np.testing.assert_array_equal(new.kernel.numpy(), before)


def test_members_that_are_gone() -> None:
    import keras
    import tf_keras

    old = tf_keras.optimizers.legacy.SGD(0.1, decay=0.1)
    new = keras.optimizers.SGD(0.1)
    assert [name for name in MEMBERS_GONE if not hasattr(old, name)] == []
    # Their values are those of other variables.
    assert {name for name in MEMBERS_GONE if hasattr(new, name)} == {"set_weights", "variables"}


def test_what_only_optimizers_have() -> None:
    import keras

    layer = keras.layers.Dense(1)
    assert [name for name in ONLY_OF_OPTIMIZERS if hasattr(layer, name)] == []


def test_what_variables_of_keras_lack() -> None:
    import keras
    import tensorflow as tf

    new = keras.optimizers.SGD(0.1)
    assert [name for name in NAMES["not_of_variables"] if not hasattr(tf.Variable, name)] == []
    lacking = {name for name in NAMES["not_of_variables"] if not hasattr(new.iterations, name)}
    assert lacking | {"initializer"} == NAMES["not_of_variables"]


def test_arguments_of_a_step_that_keras_3_refuses() -> None:
    import inspect

    import keras

    taken = inspect.signature(keras.optimizers.SGD.apply_gradients).parameters
    assert taken.keys().isdisjoint(AGGREGATION)


GRADIENTS = np.array([0.5, -2.0, 1e-9, 3.0, 1e-4], "float32")
CLOSE = 1e-4


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
        assert parameters[: len(CLASSES[name].positional)] == CLASSES[name].positional


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


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (owner, name)
        for row in DATA["LS911"]
        for owner in row["names"]
        for name in row.get("arguments", ())
    ],
)
def test_keras_3_refuses_the_arguments_that_are_gone(owner: str, name: str) -> None:
    import keras

    if owner == "keras.layers.*":
        makers = [keras.layers.BatchNormalization, lambda **given: keras.layers.GRU(2, **given)]
    elif owner == "keras.utils.to_categorical":
        makers = [lambda **given: keras.utils.to_categorical([1], **given)]
    elif owner.startswith("keras.callbacks."):
        callback = getattr(keras.callbacks, owner.rpartition(".")[2])
        makers = [lambda **given: callback("path", **given)]
    else:
        model = keras.Sequential([keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        makers = [getattr(model, owner.removeprefix("."))]
    for make in makers:
        with pytest.raises((TypeError, ValueError), match=name):
            make(**{name: True})
