# SPDX-License-Identifier: Apache-2.0
"""Tests of the old members of optimizers, on Keras 3's optimizers themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import pytest
import tensorflow as tf

from compat_lossscale._patching import Undo, take_back
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.keras3 import old_members
from compat_lossscale.keras3.tensorflow_2_4 import LossScaleOptimizer
from compat_lossscale.neighbour_names.keras_names import HOOKS, MEMBERS


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


@pytest.mark.parametrize("name", sorted({**MEMBERS, **HOOKS}))
def test_members_that_are_gone_name_their_successor(name: str, members: None) -> None:
    for optimizer in (keras.optimizers.SGD(), LossScaleOptimizer(keras.optimizers.SGD())):
        assert not hasattr(optimizer, name)
        assert not hasattr(type(optimizer), name)
        assert name not in dir(optimizer)
        with pytest.raises(AttributeError) as raised:
            getattr(optimizer, name)
        assert {**MEMBERS, **HOOKS}[name] in str(raised.value)


def test_no_member_exists_only_to_raise(members: None) -> None:
    optimizer = keras.optimizers.SGD()
    optimizer.build([keras.Variable([1.0])])
    for found in (optimizer, LossScaleOptimizer(keras.optimizers.SGD())):
        assert [name for name in dir(found) if not hasattr(found, name)] == []


def test_an_error_of_a_users_property_stays_as_it_is(members: None) -> None:
    class Own(keras.optimizers.SGD):
        @property
        def rate(self) -> Any:
            raise AttributeError("the rate is not known yet")

    with pytest.raises(AttributeError, match="the rate is not known yet"):
        Own().rate  # noqa: B018  # reading it is what fails
    with pytest.raises(AttributeError, match="'Own' object has no attribute 'nothing'"):
        Own().nothing  # noqa: B018  # as above


def step(optimizer: Any, variable: Any) -> None:
    optimizer.apply_gradients([(tf.constant([0.5, 2.0]), variable)])


def plain(optimizer: Any) -> Any:
    return optimizer


def scaled(optimizer: Any) -> Any:
    return LossScaleOptimizer(optimizer, initial_scale=8.0, dynamic_growth_steps=2)


@pytest.mark.filterwarnings("ignore::compat_lossscale.errors.LossScaleMisuseWarning")
@pytest.mark.parametrize("is_built", [False, True])
@pytest.mark.parametrize("wrap", [plain, scaled])
def test_a_checkpoint_brings_an_optimizer_back(
    wrap: Callable[[Any], Any], is_built: bool, members: None, tmp_path: Path
) -> None:
    def made() -> tuple[Any, Any, tf.train.CheckpointManager]:
        variable, optimizer = keras.Variable([1.0, 2.0]), wrap(keras.optimizers.Adam(0.5))
        checkpoint = tf.train.Checkpoint(variable=variable, optimizer=optimizer)
        return (
            variable,
            optimizer,
            tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=1),
        )

    variable, optimizer, manager = made()
    step(optimizer, variable)
    manager.save()
    step(optimizer, variable)
    again, restored, found = made()
    if is_built:
        restored.build([again])
    found.checkpoint.restore(found.latest_checkpoint).assert_existing_objects_matched()
    step(restored, again)
    assert again.numpy().tolist() == variable.numpy().tolist()
    assert [one.numpy().tolist() for one in restored.variables] == [
        one.numpy().tolist() for one in optimizer.variables
    ]


@pytest.mark.filterwarnings("ignore::compat_lossscale.errors.LossScaleMisuseWarning")
@pytest.mark.parametrize("wrap", [plain, scaled])
def test_a_saved_model_may_hold_an_optimizer(
    wrap: Callable[[Any], Any], members: None, tmp_path: Path
) -> None:
    module = tf.Module()
    module.variable, module.optimizer = tf.Variable([1.0, 2.0]), wrap(keras.optimizers.Adam(0.5))
    step(module.optimizer, module.variable)
    module.call = tf.function(lambda: module.variable * 2, input_signature=[])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.call().numpy().tolist() == (module.variable * 2).numpy().tolist()


def test_a_step_without_gradients_is_refused(members: None) -> None:
    optimizer = keras.optimizers.SGD()
    with pytest.raises(ValueError, match=r"apply_gradients\(\) got no .* tf\.Module"):
        optimizer.apply_gradients(zip([], [], strict=True))
    with pytest.raises(ValueError, match=r"minimize\(\) got no gradients"):
        optimizer.minimize(lambda: tf.constant(1.0), [])


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
