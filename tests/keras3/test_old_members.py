# SPDX-License-Identifier: Apache-2.0
"""Tests of the old members of optimizers, on Keras 3's optimizers themselves."""

from __future__ import annotations

from collections.abc import Iterator

import keras
import pytest
import tensorflow as tf

from compat_lossscale._patching import Undo, take_back
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.keras3 import old_members
from compat_lossscale.neighbour_names.keras_3_names import HOOKS, MEMBERS


@pytest.fixture
def members() -> Iterator[None]:
    undo: Undo = []
    old_members.put(undo)
    yield
    take_back(undo)


def test_old_members_work(members: None) -> None:
    optimizer = keras.optimizers.SGD(lr=1)
    assert float(optimizer.lr) == 1.0
    optimizer.lr = 0.5
    variable = tf.Variable([1.0, 2.0])
    optimizer.minimize(lambda: tf.reduce_sum(variable), [variable])
    assert variable.numpy().tolist() == [0.5, 1.5]
    assert len(optimizer.weights) == len(optimizer.variables()) == len(optimizer.get_weights())
    old_members.set_value(optimizer.lr, 2)
    assert float(optimizer.learning_rate) == 2.0


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_members_that_are_gone_name_their_successor(name: str, members: None) -> None:
    optimizer = keras.optimizers.SGD()
    assert not hasattr(optimizer, name)
    with pytest.raises(AttributeError) as raised:
        getattr(optimizer, name)
    assert MEMBERS[name] in str(raised.value)


def test_decay_names_the_schedule(members: None) -> None:
    keras.optimizers.SGD(0.5, decay=0.0)
    with pytest.raises(LossScaleArgumentError, match="InverseTimeDecay"):
        keras.optimizers.SGD(0.5, decay=0.1)


@pytest.mark.parametrize("hook", sorted(HOOKS))
def test_a_subclass_of_optimizer_v2_names_the_method_of_today(hook: str, members: None) -> None:
    written = type("Own", (keras.optimizers.Optimizer,), {hook: lambda self, *args: None})
    with pytest.raises(LossScaleArgumentError) as raised:
        written("Own")
    assert f"{HOOKS[hook]} in the place of {hook}()" in str(raised.value)
    assert "without --keras3" in str(raised.value)


def test_an_optimizer_in_a_graph_of_tensorflow_1_is_refused(members: None) -> None:
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="no operations for graphs"):
        keras.optimizers.SGD().apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


def test_taking_them_back_leaves_the_class_as_found() -> None:
    classes = keras.optimizers.Optimizer.__mro__[:-1]
    before = [dict(vars(cls)) for cls in classes]
    undo: Undo = []
    old_members.put(undo)
    take_back(undo)
    assert [dict(vars(cls)) for cls in classes] == before
