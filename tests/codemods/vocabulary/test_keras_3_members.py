# SPDX-License-Identifier: Apache-2.0
"""What is said of the members of optimizers is asked of both Keras of today."""

from __future__ import annotations

import pytest
from lossscale_codemods.vocabulary.keras_3_members import (
    AGGREGATION,
    GONE,
    NOT_OF_VARIABLES,
    ONLY_OF_OPTIMIZERS,
)


@pytest.fixture(scope="module", autouse=True)
def both_keras() -> None:
    """Imports both before the first test, whose fixtures prepare TensorFlow."""
    import keras  # noqa: F401
    import tf_keras  # noqa: F401


def test_members_that_are_gone() -> None:
    import keras
    import tf_keras

    old = tf_keras.optimizers.legacy.SGD(0.1, decay=0.1)
    new = keras.optimizers.SGD(0.1)
    assert [name for name in GONE if not hasattr(old, name)] == []
    # Their values are those of other variables.
    assert {name for name in GONE if hasattr(new, name)} == {"set_weights", "variables"}


def test_what_only_optimizers_have() -> None:
    import keras

    layer = keras.layers.Dense(1)
    assert [name for name in ONLY_OF_OPTIMIZERS if hasattr(layer, name)] == []


def test_what_variables_of_keras_lack() -> None:
    import keras
    import tensorflow as tf

    new = keras.optimizers.SGD(0.1)
    assert [name for name in NOT_OF_VARIABLES if not hasattr(tf.Variable, name)] == []
    lacking = {name for name in NOT_OF_VARIABLES if not hasattr(new.iterations, name)}
    assert lacking | {"initializer"} == NOT_OF_VARIABLES


def test_arguments_of_a_step_that_keras_3_refuses() -> None:
    import inspect

    import keras

    taken = inspect.signature(keras.optimizers.SGD.apply_gradients).parameters
    assert taken.keys().isdisjoint(AGGREGATION)
